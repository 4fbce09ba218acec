// When values go out of scope: order, moves, parts, enums, arrays, captures, generic owners, loops.
pub struct Gd<'a>(&'a mut u32, u32);
impl Drop for Gd<'_> { fn drop(&mut self) { *self.0 = self.0.wrapping_mul(10).wrapping_add(self.1) } }
pub struct Two<'a> { a: Gd<'a>, n: u32, b: Option<Gd<'a>> }
pub enum Mx<'a> { One(Gd<'a>), Many([Gd<'a>; 2]), No(u32) }
pub fn order(x: &mut u32, y: &mut u32) { let _a = Gd(x, 1); let _b = Gd(y, 2); }
pub fn early(x: &mut u32, k: u32) -> u32 { let g = Gd(x, 3); if k % 2 == 0 { drop(g); return k } let h = g; h.1 + 1 }
pub fn parts(x: &mut u32, y: &mut u32, k: u32) -> u32 { let t = Two { a: Gd(x, 4), n: k, b: if k % 3 == 0 { None } else { Some(Gd(y, 5)) } }; if k > 9 { let Two { a, n, .. } = t; return a.1 + n } t.n }
pub fn en(x: &mut u32, y: &mut u32, k: u32) -> u32 { let m = match k % 3 { 0 => Mx::One(Gd(x, 6)), 1 => Mx::Many([Gd(x, 7), Gd(y, 8)]), _ => Mx::No(k) }; match &m { Mx::One(g) => g.1, Mx::Many(a) => a[1].1, Mx::No(n) => *n } }
pub fn arr(x: &mut u32, y: &mut u32, z: &mut u32) -> u32 { let a = [Gd(x, 1), Gd(y, 2), Gd(z, 3)]; a.iter().map(|g| g.1).sum() }
fn once<F: FnOnce(u32) -> u32>(f: F, n: u32) -> u32 { if n > 20 { once(f, n - 20) } else if n == 3 { 0 } else { f(n) } }
pub fn cap(x: &mut u32, k: u32) -> u32 { let g = Gd(x, 9); once(move |v| g.1 + v, k % 60) }
fn many<F: Fn(u32) -> u32>(f: F, n: u32) -> u32 { if n > 2 { many(f, n - 2) } else { f(n) } }
pub fn cap_fn(x: &mut u32, k: u32) -> u32 { let g = Gd(x, 9); many(move |v| g.1 + v, k % 9) }
fn genr<T>(t: T, n: u32) -> u32 { if n == 0 { let _k = t; 1 } else { genr(t, n - 1) + 1 } }
pub fn generic(x: &mut u32, k: u32) -> u32 { genr(Gd(x, 2), k % 3) + genr(5u8, 2) + genr((1u32, 2u8), 1) }
pub fn replace(x: &mut u32, y: &mut u32, k: u32) { let mut g = Gd(x, 1); if k % 2 == 0 { g = Gd(y, 2); g.1 += 1 } }
pub fn looped(x: &mut u32, n: u32) { for i in 0..n % 6 { let g = Gd(x, i); if i == 3 { continue } if i == 4 { break } let _ = &g; } }
pub fn swap(x: &mut u32, y: &mut u32) -> u32 { let mut a = Some(Gd(x, 1)); let mut b = Some(Gd(y, 2)); core::mem::swap(&mut a, &mut b); let t = a.take(); t.map(|g| g.1).unwrap_or(0) }
tests! {
    order_(a, b) { let mut x = a as u32; let mut y = b as u32; order(&mut x, &mut y); x as u64 ^ (y as u64) << 32 }
    early_(a, b) { let mut x = a as u32; let r = early(&mut x, b as u32 % 1000); x as u64 ^ (r as u64) << 32 }
    parts_(a, b) { let mut x = a as u32; let mut y = b as u32; let r = parts(&mut x, &mut y, (a ^ b) as u32 % 100); x as u64 ^ (y as u64) << 20 ^ (r as u64) << 40 }
    en_(a, b) { let mut x = a as u32; let mut y = b as u32; let r = en(&mut x, &mut y, (a ^ b) as u32); x as u64 ^ (y as u64) << 20 ^ (r as u64) << 40 }
    arr_(a, b) { let (mut x, mut y, mut z) = (a as u32, b as u32, 5); let r = arr(&mut x, &mut y, &mut z); x as u64 ^ (y as u64) << 16 ^ (z as u64) << 32 ^ (r as u64) << 50 }
    cap_(a, b) { let mut x = a as u32; let r = cap(&mut x, b as u32); x as u64 ^ (r as u64) << 32 }
    cap_fn_(a, b) { let mut x = a as u32; let r = cap_fn(&mut x, b as u32); x as u64 ^ (r as u64) << 32 }
    generic_(a, b) { let mut x = a as u32; let r = generic(&mut x, b as u32); x as u64 ^ (r as u64) << 32 }
    replace_(a, b) { let mut x = a as u32; let mut y = b as u32; replace(&mut x, &mut y, (a >> 1 ^ b) as u32); x as u64 ^ (y as u64) << 32 }
    looped_(a, b) { let mut x = a as u32; looped(&mut x, b as u32); x as u64 }
    swap_(a, b) { let mut x = a as u32; let mut y = b as u32; let r = swap(&mut x, &mut y); x as u64 ^ (y as u64) << 20 ^ (r as u64) << 50 }
}
