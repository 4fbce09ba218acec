// What the pass has to make itself: instances of generic functions that call themselves, closures as
// their arguments, trait methods with and without defaults, constants by type, function pointers,
// code in private modules.
pub struct S { a: u8, b: u64 }
fn rec<F: Fn(u32) -> u32>(f: &F, n: u32) -> u32 { if n == 0 { f(0) } else { rec(f, n - 1).wrapping_add(f(n)) } }
fn rec_mut<F: FnMut(u32)>(f: &mut F, n: u32) { f(n); if n > 0 { rec_mut(f, n - 1) } }
fn once<F: FnOnce(u32) -> u32>(f: F, n: u32) -> u32 { if n > 100 { once(f, n - 100) } else { f(n) } }
pub fn split_caps(p: (u8, u64), n: u32) -> u32 { let s = S { a: p.0, b: p.1 }; let k = n % 5; rec(&move |x| (s.a as u32).wrapping_mul(3).wrapping_add(s.b as u32).wrapping_add(x), k) }
pub fn split_refs(p: (u8, u64), n: u32) -> u32 { let mut s = S { a: p.0, b: p.1 }; let k = n % 4; rec_mut(&mut |x| { s.a = s.a.wrapping_add(x as u8); s.b = s.b.wrapping_mul(3) }, k); s.a as u32 + s.b as u32 % 1000 }
pub fn call_once(v: u32, w: u64) -> u32 { let t = (v, w); once(move |x| x.wrapping_add(t.1 as u32).wrapping_mul(t.0), v % 300) }
trait Shape { const SIDES: u32; fn area(&self) -> u32; fn twice(&self, n: u32) -> u32 { if n == 0 { self.area() } else { self.twice(n - 1).wrapping_add(Self::SIDES) } } }
pub struct Sq(u32); pub struct Re(u32, u32);
impl Shape for Sq { const SIDES: u32 = 4; fn area(&self) -> u32 { self.0.wrapping_mul(self.0) } }
impl Shape for Re { const SIDES: u32 = 9; fn area(&self) -> u32 { self.0.wrapping_mul(self.1) } fn twice(&self, n: u32) -> u32 { n + self.1 / 2 } }
fn walk<T: Shape>(t: &T, n: u32) -> u32 { if n == 0 { t.area() } else { walk(t, n - 1).wrapping_mul(3).wrapping_add(t.twice(n)).wrapping_add(T::SIDES) } }
pub fn shapes(a: u32, b: u32) -> u32 { walk(&Sq(a), b % 4).wrapping_add(walk(&Re(a, b), a % 3)) }
fn cg<const N: usize, T: Copy + Into<u64>>(x: [T; N], n: u32) -> u64 { if n == 0 { x[N - 1].into() + N as u64 } else { cg::<N, T>(x, n - 1).wrapping_mul(7) + x[n as usize % N].into() } }
pub fn consts(a: u8, b: u32) -> u64 { cg([a, 3, 9], b % 3) + cg([b, 1, 2, 3, 4], a as u32 % 4) }
mod inner { 
  mod deep { pub(super) fn g<T: super::Num>(x: T, n: u32) -> T { if n == 0 { x.step() } else { g(x.step(), n - 1) } } }
  pub trait Num: Copy { const K: Self; fn step(self) -> Self; }
  impl Num for u32 { const K: u32 = 17; fn step(self) -> u32 { self.wrapping_mul(3).wrapping_add(Self::K) } }
  impl Num for f32 { const K: f32 = 0.5; fn step(self) -> f32 { self * 2.0 + Self::K } }
  static TABLE: [u16; 5] = [5, 4, 3, 2, 1];
  const LUT: [u32; 4] = make(); const fn make() -> [u32; 4] { let mut a = [0; 4]; let mut i = 0; while i < 4 { a[i] = (i * i + 7) as u32; i += 1 } a }
  pub fn run(a: u32, f: f32, n: u32) -> (u32, f32, u16, u32) { (deep::g(a, n % 4), deep::g(f, n % 3), TABLE[n as usize % 5], LUT[a as usize % 4]) }
}
pub fn modules(a: u32, f: f32, n: u32) -> (u32, f32, u16, u32) { inner::run(a, f, n) }
fn even(n: u32) -> bool { n == 0 || odd(n - 1) } fn odd(n: u32) -> bool { n != 0 && even(n - 1) }
pub fn mutual(n: u32) -> bool { even(n % 50) }
fn add1(x: u32) -> u32 { x.wrapping_add(1) } fn dbl(x: u32) -> u32 { x.wrapping_mul(2) }
static FNS: [fn(u32) -> u32; 3] = [add1, dbl, |x| x ^ 0x55];
pub fn fn_table(i: usize, x: u32) -> u32 { FNS[i % 3](x) }
pub fn fn_local(b: bool, x: u32) -> u32 { let k: fn(u32) -> u32 = if b { add1 } else { |v| v / 3 }; rec(&k, x % 3).wrapping_add(rec(&add1, 2)).wrapping_add(rec(&&dbl, 1)) }
fn prom<T: inner::Num>(n: u32) -> T { if n == 0 { let a = &[T::K, T::K]; a[n as usize] } else { prom::<T>(n - 1).step() } }
pub fn promoted(n: u32) -> (u32, f32) { (prom::<u32>(n % 3), prom::<f32>(n % 2)) }
fn sized<T>(n: u32) -> usize { if n == 0 { core::mem::size_of::<T>() + core::mem::align_of::<T>() } else { sized::<T>(n - 1) + 1 } }
pub fn sizes(n: u32) -> usize { sized::<u16>(n % 3) + sized::<(u8, u64)>(1) * 100 + sized::<[Option<char>; 3]>(0) * 10000 }
fn zip<A: Fn(u32) -> u32, B: Fn(u32) -> u32>(a: A, b: B, n: u32) -> u32 { if n == 0 { a(b(1)) } else { zip(a, b, n - 1) } }
pub fn two(x: u32, y: u32) -> u32 { zip(|v| v.wrapping_add(x), |v| v ^ y, 2).wrapping_mul(2).wrapping_add(zip(|v| v.wrapping_mul(x), |v| v, 1)) }
fn nest<F: Fn(u32) -> u32>(n: u32, f: F) -> u32 { let g = |x: u32| f(x).wrapping_add(n); if n == 0 { g(3) } else { let h = |x| g(x) ^ 1; rec(&h, n % 3) } }
pub fn nested(x: u32) -> u32 { nest(x % 4, |v| v.wrapping_mul(x)).wrapping_add(nest(0, |v| v + 1)) }
trait Ext { extern "C" fn down(x: u64) -> u64; fn go(x: u64) -> u64; fn dflt(x: u64) -> u64 { extern "C" fn h(x: u64) -> u64 { if x == 0 { 3 } else { h(x - 1).wrapping_mul(x | 1) } } h(x) } }
struct E1; struct E2<X>(X);
impl E1 { extern "C" fn m(x: u64) -> u64 { if x == 0 { 1 } else { E1::m(x - 1).wrapping_mul(x) } } fn hop(x: u64) -> u64 { extern "C" fn h(x: u64) -> u64 { if x == 0 { 5 } else { h(x - 1).wrapping_add(x) } } h(x) } }
impl<X> E2<X> { extern "C" fn m(x: u64) -> u64 { if x == 0 { 7 } else { Self::m(x - 1) ^ x << 9 } } fn hop(x: u64) -> u64 { fn h<Y: Copy>(x: u64, y: Y) -> u64 { if x == 0 { 5 } else { h(x - 1, y).wrapping_mul(x | 1) } } h(x, 3u8) } }
impl Ext for E1 { extern "C" fn down(x: u64) -> u64 { if x == 0 { 1 } else { E1::down(x - 1) ^ x << 3 } } fn go(x: u64) -> u64 { extern "C" fn h(x: u64) -> u64 { if x == 0 { 1 } else { h(x - 1).wrapping_add(x << 5) } } h(x) } }
impl Ext for E2<u8> { extern "C" fn down(x: u64) -> u64 { x } fn go(x: u64) -> u64 { fn h(x: u64) -> u64 { if x == 0 { 2 } else { h(x - 1).wrapping_add(x << 7) } } h(x) } }

tests! {
    split_caps_(a, b) { split_caps((a as u8, b), b as u32) as u64 }
    split_refs_(a, b) { split_refs((a as u8, b), a as u32 ^ b as u32) as u64 }
    call_once_(a, b) { call_once(a as u32 % 1000, b) as u64 }
    shapes_(a, b) { shapes(a as u32, b as u32) as u64 }
    consts_(a, b) { consts(a as u8, b as u32) }
    modules_(a, b) { let r = modules(a as u32, (b as u32 % 1000) as f32, b as u32); (r.0 as u64) ^ (r.1.to_bits() as u64) << 20 ^ (r.2 as u64) << 50 ^ r.3 as u64 }
    mutual_(a, b) { mutual(a as u32 ^ b as u32) as u64 }
    fn_table_(a, b) { fn_table((a % 7) as usize, b as u32) as u64 }
    fn_local_(a, b) { fn_local(a & 1 == 1, b as u32) as u64 }
    promoted_(a, b) { let r = promoted(a as u32); r.0 as u64 ^ (r.1.to_bits() as u64) << 32 }
    sizes_(a, b) { sizes(a as u32) as u64 }
    two_(a, b) { two(a as u32, b as u32) as u64 }
    nested_(a, b) { nested((a ^ b) as u32 % 1000) as u64 }
    extern_c_methods(a, b) { E1::m(a & 15) ^ E2::<u8>::m(b & 15) ^ E1::down(b & 7) ^ <E2<u8> as Ext>::down(a) }
    functions_inside_of_methods(a, b) { E1::hop(a & 15) ^ E2::<i8>::hop(b & 15) ^ E1::go(b & 7) ^ <E2<u8> as Ext>::go(a & 7) ^ E1::dflt(b & 3) ^ E2::<u8>::dflt(a & 3) }
}
