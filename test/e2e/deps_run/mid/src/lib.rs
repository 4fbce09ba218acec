#![no_std]
pub use dep::Step;
pub fn through<S: Step>(s: S, n: u64) -> u64 { dep::walk(&s, n, (n % 4) as u32) ^ s.twice(n) }
pub struct Mine(pub u64);
impl Step for Mine { const BY: u64 = 5; const TABLE: [u32; 4] = [1, 1, 2, 3]; fn step(&self, n: u64) -> u64 { n ^ self.0 } }
#[inline(never)] pub fn apply<F: FnMut(u64) -> u64>(mut f: F, n: u64) -> u64 { if n == 0 { f(1) } else { let r = f(n); apply(f, n - 1).wrapping_mul(3) ^ r } }
