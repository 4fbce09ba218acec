// args: --entry k
macro_rules! held {
    ($t:ty, $v:expr, $c:expr) => {{
        struct Held<'a>($t, &'a mut u32);
        impl Drop for Held<'_> {
            fn drop(&mut self) {
                *self.1 += self.0 as u32;
            }
        }
        Held($v as $t, $c)
    }};
}
pub fn k(x: &mut u32, y: &mut u32, n: u32) {
    let _a = held!(u8, n, x);
    let _b = held!(u16, n, y);
}
//~ MD0176 the layout of
