// The enums of the other file, private to a module that only gives out numbers.
mod hidden {
#[repr(i8)] #[derive(Clone, Copy, PartialEq)] enum N { A = -3, B = 5, C = 100 }
#[repr(u16)] #[derive(Clone, Copy)] enum D { X(u8) = 7, Y { a: u32, b: i8 } = 300, Z = 2 }
#[derive(Clone, Copy)] enum E { P(bool, u16), Q(char), R, S(Option<bool>) }
#[derive(Clone, Copy)] enum F { One(u32) }
#[derive(Clone, Copy)] enum G { A(u64, N), B(N, u8), C([u16; 3]) }
enum Void {}
#[inline(never)] fn g_mk(i: u32, n: N) -> G { match i % 3 { 0 => G::A(i as u64 * 3, n), 1 => G::B(n, i as u8), _ => G::C([i as u16, 2, 3]) } }
fn neg(n: N) -> i32 { n as i32 * 2 + match n { N::A => 1, N::B => 2, N::C => 3 } }
fn neg_mk(i: i32) -> N { if i < 0 { N::A } else if i < 9 { N::B } else { N::C } }
fn data(d: D) -> i64 { match d { D::X(x) => x as i64, D::Y { a, b } => a as i64 * 10 + b as i64, D::Z => -1 } }
fn data_mk(i: u32) -> D { match i % 3 { 0 => D::X(i as u8), 1 => D::Y { a: i, b: -(i as u8 as i8 & 3) }, _ => D::Z } }
fn niche(e: E) -> u32 { match e { E::P(b, x) => b as u32 + x as u32 * 2, E::Q(c) => c as u32, E::R => 1, E::S(None) => 2, E::S(Some(b)) => 3 + b as u32 } }
fn niche_mk(i: u32) -> E { match i % 5 { 0 => E::P(i > 7, i as u16), 1 => E::Q('é'), 2 => E::R, 3 => E::S(None), _ => E::S(Some(i % 2 == 0)) } }
fn one(f: F) -> u32 { let F::One(x) = f; x ^ 1 }
fn one_mk(x: u32) -> F { F::One(x) }
fn opts(a: Option<Option<bool>>, b: Option<N>, c: Option<E>, d: Result<u8, N>) -> u32 { (match a { None => 0, Some(None) => 1, Some(Some(x)) => 2 + x as u32 }) + (match b { None => 0, Some(n) => neg(n) as u32 & 0xff }) * 4 + (match c { None => 0, Some(e) => niche(e) }) * 7 + match d { Ok(v) => v as u32, Err(n) => (n == N::B) as u32 } }
fn opts_mk(i: u32) -> (Option<Option<bool>>, Option<N>, Option<E>, Result<u8, N>, Option<&'static u32>, Option<core::num::NonZeroU16>) { static K: u32 = 7; (match i % 4 { 0 => None, 1 => Some(None), 2 => Some(Some(false)), _ => Some(Some(true)) }, if i % 3 == 0 { None } else { Some(neg_mk(i as i32 - 5)) }, if i % 2 == 0 { None } else { Some(niche_mk(i)) }, if i % 5 == 0 { Err(N::C) } else { Ok(i as u8) }, if i % 3 == 0 { Some(&K) } else { None }, core::num::NonZeroU16::new(i as u16 % 3)) }
fn never(r: Result<u32, Void>) -> u32 { match r { Ok(x) => x + 1 } }
fn never_mk(x: u32) -> Result<u32, Void> { Ok(x) }
fn gs(i: u32, n: N) -> u64 { match g_mk(i, n) { G::A(x, m) => x + neg(m) as u64 % 7, G::B(m, y) => (m as i8 as u8) as u64 + y as u64, G::C(a) => a.iter().map(|&v| v as u64).sum() } }
fn set(d: &mut D, e: &mut E, i: u32) { *d = data_mk(i); if i % 2 == 1 { *e = niche_mk(i) } else if let E::P(_, x) = e { *x += 1 } }
fn ord(a: i64, b: i64) -> core::cmp::Ordering { a.cmp(&b).then(core::cmp::Ordering::Less).reverse() }
fn flow(x: &[i32]) -> core::ops::ControlFlow<i32, u32> { x.iter().try_fold(0u32, |a, &v| if v < 0 { core::ops::ControlFlow::Break(v) } else { core::ops::ControlFlow::Continue(a + 1) }) }
fn wide(k: u8, v: u64) -> Option<u128> { if k > 3 { Some((v as u128) << 64 | k as u128) } else { None } }
#[repr(C)] union U { a: u32, b: [u8; 4], c: f32 }
fn uni(x: u32, i: u32) -> u32 { let u = match i % 3 { 0 => U { a: x }, 1 => U { b: [1, 2, 3, x as u8] }, _ => U { c: x as f32 } }; unsafe { u.a.wrapping_add(u.b[2] as u32) } }
#[repr(C, packed)] #[derive(Clone, Copy)] struct P { a: u8, b: u32, c: u16 }
fn packed(p: P, k: u32) -> P { P { a: p.a ^ 1, b: { p.b }.wrapping_add(k), c: p.c.rotate_left(k) } }
#[repr(align(32))] #[derive(Clone, Copy)] struct Al(u8, u32);
fn aligned(a: Al, x: &mut [Al; 3], i: usize) -> usize { x[i % 3] = a; x[(i + 1) % 3].1 ^= 5; core::mem::size_of::<Al>() }
fn nn(k: u64) -> N { match k % 3 { 0 => N::A, 1 => N::B, _ => N::C } }
pub fn neg_(a: u64, b: u64) -> u64 { (neg(nn(a)) as i64 ^ neg_mk(b as i32) as i64) as u64 }
pub fn data_(a: u64, b: u64) -> u64 { (data(data_mk(a as u32)) ^ data(data_mk(b as u32))) as u64 }
pub fn niche_(a: u64, b: u64) -> u64 { niche(niche_mk(a as u32)) as u64 ^ (niche(niche_mk(b as u32)) as u64) << 32 }
pub fn one_(a: u64, b: u64) -> u64 { one(one_mk(a as u32)) as u64 }
pub fn opts_(a: u64, b: u64) -> u64 { let m = opts_mk(a as u32); opts(m.0, m.1, m.2, m.3) as u64 ^ m.4.map_or(9, |v| *v as u64) ^ (m.5.map_or(0, |v| v.get()) as u64) << 40 ^ b }
pub fn never_(a: u64, b: u64) -> u64 { never(never_mk(a as u32 % 1000)) as u64 }
pub fn gs_(a: u64, b: u64) -> u64 { gs(a as u32 % 100000, nn(b)) }
pub fn set_(a: u64, b: u64) -> u64 { let mut d = data_mk(b as u32); let mut e = niche_mk(a as u32 / 3 * 5); set(&mut d, &mut e, (a ^ b) as u32 % 50000); data(d) as u64 ^ (niche(e) as u64) << 30 }
pub fn ord_(a: u64, b: u64) -> u64 { ord(a as i64, b as i64) as i8 as u64 }
pub fn flow_(a: u64, b: u64) -> u64 { match flow(&[a as i32, 3, b as i32]) { core::ops::ControlFlow::Break(x) => x as u64, core::ops::ControlFlow::Continue(x) => x as u64 + 77 } }
pub fn wide_(a: u64, b: u64) -> u64 { wide(a as u8, b).map_or(1, |v| (v >> 64) as u64 ^ v as u64) }
pub fn uni_(a: u64, b: u64) -> u64 { uni(a as u32, b as u32) as u64 }
pub fn packed_(a: u64, b: u64) -> u64 { let p = packed(P { a: a as u8, b: b as u32, c: (a >> 8) as u16 }, b as u32); p.a as u64 ^ ({ p.b } as u64) << 8 ^ ({ p.c } as u64) << 48 }
pub fn aligned_(a: u64, b: u64) -> u64 { let mut x = [Al(1, 2), Al(3, 4), Al(5, a as u32)]; let n = aligned(Al(b as u8, 7), &mut x, a as usize % 5); n as u64 + x.iter().map(|v| v.0 as u64 * 3 ^ v.1 as u64).fold(0, |s: u64, v| s.wrapping_mul(31).wrapping_add(v)) }
}
tests! {
    in_neg_(a, b) { hidden::neg_(a, b) }
    in_data_(a, b) { hidden::data_(a, b) }
    in_niche_(a, b) { hidden::niche_(a, b) }
    in_one_(a, b) { hidden::one_(a, b) }
    in_opts_(a, b) { hidden::opts_(a, b) }
    in_never_(a, b) { hidden::never_(a, b) }
    in_gs_(a, b) { hidden::gs_(a, b) }
    in_set_(a, b) { hidden::set_(a, b) }
    in_ord_(a, b) { hidden::ord_(a, b) }
    in_flow_(a, b) { hidden::flow_(a, b) }
    in_wide_(a, b) { hidden::wide_(a, b) }
    in_uni_(a, b) { hidden::uni_(a, b) }
    in_packed_(a, b) { hidden::packed_(a, b) }
    in_aligned_(a, b) { hidden::aligned_(a, b) }
}
