// for: edition=2024
// What needs the edition of 2024: let chains, the order in which temporaries are dropped.
use core::cell::Cell;
struct D<'a>(&'a Cell<u64>, u64); impl Drop for D<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(31).wrapping_add(self.1)); } } impl<'a> D<'a> { fn get(&self) -> Option<u64> { if self.1 % 2 == 0 { Some(self.1) } else { None } } }
fn tail(c: &Cell<u64>, n: u64) -> u64 { let k = Cell::new(n); let d = D(c, 3); k.get() ^ D(c, n % 100).1 ^ d.1 }

tests! {
    let_chains(a, b) { let o = if a % 2 == 0 { Some(b) } else { None }; let r: Result<u64, u64> = if b % 3 == 0 { Ok(a) } else { Err(b) }; if let Some(x) = o && x > 5 && let Ok(y) = r && y % 4 == 0 { x ^ y << 3 } else if a > b && let Err(e) = r && let Some(z) = e.checked_sub(9) { z } else { let mut n = a % 50; let mut t = 0; while let Some(m) = n.checked_sub(3) && m != b % 20 { n = m; t = t * 3 + m; } t } }
    if_let_temporaries(a, b) { let c = Cell::new(a); if let Some(x) = D(&c, b % 10).get() { c.set(c.get() ^ x); } else { c.set(c.get().wrapping_mul(7) ^ 5); } c.get() }
    tail_temporaries(a, b) { let c = Cell::new(a); let r = tail(&c, b); c.get() ^ r << 40 }
    rpit_captures(a, b) { fn f<'a>(x: &'a [u64], k: &'a u64) -> impl Iterator<Item = u64> { x.iter().map(move |v| v ^ k) } f(&[a, b, 3], &b).fold(1, |s, v| s.wrapping_mul(31) ^ v) }
}
