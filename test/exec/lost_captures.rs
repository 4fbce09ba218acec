// Closures that keep parts of one variable, which rustc prints incompletely: in all places where closures stand, beside
// generic functions with slices of a generic type, a marker of a generic type, a default method.
use core::marker::PhantomData;
struct Meters<T>(u64, PhantomData<T>);
trait Total { fn items(&self) -> &[u64]; fn total(&self) -> u64 { let mut s = 0u64; for v in self.items().iter() { s = s.rotate_left(3) ^ *v; } s } }
struct Pair([u64; 2]);
impl Total for Pair { fn items(&self) -> &[u64] { &self.0 } }
impl<T: Copy> Meters<T> {
    #[inline(never)] fn scaled(&self, by: &[T], f: impl Fn(T) -> u64) -> u64 { let mut s = self.0; for v in by.iter() { s = s.wrapping_mul(31) ^ f(*v); } s }
}
#[inline(never)] fn sum<T: Copy, F: Fn(T) -> u64>(a: &[T], f: F) -> u64 { let mut s = 7u64; for v in a.iter() { s = s.wrapping_mul(5).wrapping_add(f(*v)); } s }
#[inline(never)] fn last<T: Copy>(a: &[T], other: T) -> T { let mut r = other; for v in a.iter() { r = *v; } r }
fn again<F: Fn(u64) -> u64>(f: &F, n: u64) -> u64 { if n == 0 { f(3) } else { again(f, n - 1).wrapping_mul(3) ^ f(n) } }
#[inline(never)] fn again_mut<F: FnMut(u64) -> u64>(f: &mut F, n: u64) -> u64 { if n == 0 { f(3) } else { let r = again_mut(f, n - 1).wrapping_mul(3); r ^ f(n) } }
fn keep<A: Copy + Hold>(p: (A, A::B), n: u64) -> u64 where A::B: Copy { again(&move |x| x ^ p.0.get() ^ A::other(&p.1), n) }
trait Hold { type B; fn get(&self) -> u64; fn other(b: &Self::B) -> u64; }
impl Hold for u64 { type B = u64; fn get(&self) -> u64 { *self } fn other(b: &u64) -> u64 { b.rotate_left(9) } }
impl Hold for u8 { type B = [u16; 2]; fn get(&self) -> u64 { *self as u64 } fn other(b: &[u16; 2]) -> u64 { (b[0] ^ b[1]) as u64 } }
struct Both { x: u64, y: (u64, u8) } struct State { n: u64, m: u64, k: [u64; 3] } struct Own(u64);
struct Dr<'a>(&'a core::cell::Cell<u64>, u64); impl Drop for Dr<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(7).wrapping_add(self.1)) } }
fn pair<A, B>(a: A, b: B) -> (A, B) { (a, b) }
trait Pick<A, B> { fn pick(a: A, b: B) -> A; } impl Pick<u64, u8> for u64 { fn pick(a: u64, b: u8) -> u64 { a >> b } }
macro_rules! kept { ($p:expr, $q:expr, $n:expr) => { again(&|x| x ^ $p ^ $q.rotate_left(5), $n % 3) } }
fn inner_deep<F: Fn(u64) -> u64>(f: &F, n: u64) -> u64 { let t = (n, n ^ 5, f); (0..n % 9).chain(3..5).step_by(2).map(|x| (t.2)(x) ^ t.0).rev_sum(&|x| x ^ t.1 ^ t.0) }
trait RevSum: Iterator<Item = u64> + Sized { fn rev_sum<F: Fn(u64) -> u64>(self, f: &F) -> u64 { let mut s = 1u64; for v in self { s = s.wrapping_mul(3) ^ again(f, v % 3) } s } } impl<I: Iterator<Item = u64>> RevSum for I {}

tests! {
    second_parts(a, b) { let p = (a as u8, b); again(&move |x| x.wrapping_mul(p.1) ^ p.0 as u64, a % 5) }
    second_order(a, b) { let p = (b, a as u16, a ^ b); let k = a >> 3; again(&move |x| (x ^ p.2).wrapping_sub(p.0) ^ k ^ p.1 as u64, b % 4) }
    generic_sum(a, b) { sum(&[a, b, a ^ b], |v| v ^ 1) ^ sum(&[a as u8, b as u8], |v| v as u64) }
    generic_last(a, b) { last(&[a, b], 1) ^ last(&[] as &[u64], a) ^ last(&[b as u16], 2) as u64 }
    generic_marker(a, b) { let m = Meters::<u32>(a, PhantomData); m.scaled(&[a as u32, b as u32], |v| v as u64 ^ b) }
    default_method(a, b) { Pair([a, b]).total() ^ Pair([b, 3]).total() }
    with_generic(a, b) { let p = (a, b as u8, [b, a]); let r = again(&move |x| sum(&[x, p.0], |v| v ^ p.1 as u64) ^ p.2[1], a % 3); r ^ sum(&[p.1, 3], |v| v as u64) }
    in_generic(a, b) { keep((a, b), a % 4) ^ keep((b as u8, [1u16, 2]), 3) }
    by_reference(a, b) { let mut p = (a, b, 7u8); let r = { let q = &mut p; let mut f = |x: u64| { q.0 = q.0.wrapping_add(x); q.2 = q.2.wrapping_mul(3); q.1 }; again_mut(&mut f, b % 5) }; r ^ p.0 ^ p.2 as u64 }
    patterns(a, b) { let p = Both { x: a, y: (b, 9u8) }; again(&|v| { let Both { x, y: (s, t) } = &p; v ^ x ^ s.wrapping_mul(*t as u64) }, a % 3) ^ again(&|v| match p { Both { x: 3, .. } => v, Both { x, y: (z, 9) } => x ^ z, Both { y, .. } => y.0 }, 2) }
    nested(a, b) { let p = ((a, 1u8), (b, 2u16)); again(&|v| { let q = (v, p.0.1); again(&|w| w ^ q.0 ^ q.1 as u64 ^ p.0.0 ^ p.1.0.wrapping_mul(p.1.1 as u64), 2) }, b % 3) }
    returns(a, b) { let p = (a, b, 5u64); let f = move |x: u64| -> u64 { if x > p.0 { return p.1 } p.2 ^ x }; let g = |x: u64| -> u64 { let é = x; é ^ p.1 ^ p.0 }; again(&f, a % 3) ^ again(&g, b % 3) }
    turbofish(a, b) { let p = (a, b); let t = (again(&|x| pair::<u64, u64>(x, p.0).0 ^ <u64 as Pick<u64, u8>>::pick(p.1, 3), 2), again(&|x| if x < p.0 && p.1 > 3 { 1 } else { x << 3 }, 1)); t.0 ^ t.1 }
    by_macro(a, b) { let p = (a, b, 1u8); let q = (b, a); kept!(p.0, p.1, a) ^ kept!(q.0, q.1, b) ^ kept!(p.2 as u64, q.0, b) ^ again(&|x| x ^ p.0 ^ p.1, 1) }
    in_arms(a, b) { let p = (a, b, [3u64; 4]); let r = match a % 3 { 0 => again(&|x| x ^ p.0 ^ p.1, 1), 1 => { let f = |x| p.2[0] ^ p.1 ^ x; again(&f, 2) } _ => again(&|x| p.2[1] ^ x ^ p.0, 3), }; r }
    mut_parts(a, b) { let mut s = State { n: a, m: b, k: [0; 3] }; { let mut f = |v: u64| { s.n ^= v; s.k[(v % 3) as usize] += 1; s.m.rotate_left(3) }; let r = again_mut(&mut f, a % 7); s.m ^= r; } s.n ^ s.m ^ s.k[0] ^ s.k[1] << 8 ^ s.k[2] << 16 }
    moved_parts(a, b) { let p = (Own(a), Own(b), 3u8); let f = move |x: u64| p.0.0 ^ x ^ p.1.0 ^ p.2 as u64; let r = again(&f, a % 3); let (g, h) = (move || f(r), 1u64); g() ^ h }
    dropped_parts(a, b) { let c = core::cell::Cell::new(a); { let p = (Dr(&c, 3), Dr(&c, 5), b); let f = move |x: u64| p.0.1 ^ p.1.1 ^ x ^ p.2; let r = again(&f, b % 3); c.set(c.get() ^ r); if a % 2 == 0 { let _g = f; c.set(c.get() + 1 & 0xffff) } } c.get() }
    deep(a, b) { let p = (a % 40, b, 2u64); inner_deep(&move |x| x ^ p.1 ^ p.2, p.0) ^ (0..p.0).map(|x| x ^ p.1).filter(|x| x % 3 != p.2).chain(0..p.2).map(|x| { let q = (x, p.1, p.2); again(&|y| y ^ q.0 ^ q.1 ^ p.2, x % 3) }).fold(p.2, |s, v| s.wrapping_mul(31) ^ v ^ p.0) }
}
