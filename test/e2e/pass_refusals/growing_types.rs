// args: --entry k
fn grow<T: Copy>(x: T, n: u32) -> u32 {
    if n == 0 { 0 } else { grow((x, n), n - 1) + 1 }
}
#[inline]
pub fn k(n: u32) -> u32 {
    grow(n, n)
}
//~ MD0190 grow without an end
