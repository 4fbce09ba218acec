// args: --entry k
#[track_caller]
fn line() -> u32 {
    core::panic::Location::caller().line()
}
fn again(n: u32, f: fn() -> u32) -> u32 {
    if n == 0 { f() } else { again(n - 1, f) }
}
pub fn k(n: u32) -> u32 {
    again(n, line)
}
//~ MD0185 the caller's location
