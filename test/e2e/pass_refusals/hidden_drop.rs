// args: --entry k
#[inline]
pub fn k(x: &mut u32, n: u32) {
    struct Guard<'a>(&'a mut u32);
    impl Drop for Guard<'_> {
        fn drop(&mut self) {
            *self.0 += 1;
        }
    }
    let g = Guard(x);
    if n > 3 {
        core::mem::forget(g);
    }
}
//~ MD0186 how to drop
