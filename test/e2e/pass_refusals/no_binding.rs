// args: --entry k
pub trait Weight {
    const W: u32;
}
pub struct Heavy;
impl Weight for Heavy {
    const W: u32 = 9;
}
macro_rules! recursive {
    ($name:ident) => {
        fn $name<T: Weight>(n: u32) -> u32 {
            if n == 0 { T::W } else { $name::<T>(n - 1) } //~ MD0175 the generic arguments of
        }
    };
}
recursive!(again);
pub fn k(n: u32) -> u32 {
    again::<Heavy>(n)
}
