// args: --entry k
pub fn k(x: u32) -> u32 {
    struct Inner;
    trait Tr {
        fn m(x: u32) -> u32;
    }
    impl Tr for Inner {
        fn m(x: u32) -> u32 {
            x + 1
        }
    }
    static TABLE: [fn(u32) -> u32; 2] = [Inner::m, |x| x ^ 1];
    TABLE[(x & 1) as usize](x) //~ MD0182 a table points to
}
