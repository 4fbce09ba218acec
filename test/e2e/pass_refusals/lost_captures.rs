// args: --entry k
fn again<F: Fn(u32) -> u32>(f: &F, n: u32) -> u32 {
    if n == 0 { f(1) } else { again(f, n - 1) }
}
pub fn k(p: (u8, u64), n: u32) -> u32 {
    again(&move |x| x + p.0 as u32 + p.1 as u32, n + column!()) //~ MD0184 rustc loses captures
}
