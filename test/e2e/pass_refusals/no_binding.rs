// args: --entry k
pub trait Weight {
    const W: u32;
}
pub struct Heavy;
impl Weight for Heavy {
    const W: u32 = 9;
}
fn again<T: Weight>(n: u32, f: impl Fn(u32) -> u32) -> u32 {
    if n == 0 { f(T::W) } else { again::<T>(n - 1, f) } //~ MD0175 the generic arguments of
}
pub fn k(n: u32) -> u32 {
    again::<Heavy>(n, |x| x + n)
}
