// Trait objects and function pointers.
use core::mem::*;
use core::cell::Cell;
fn h(x: &[u64]) -> u64 { x.iter().fold(7u64, |s, v| s.rotate_left(5).wrapping_mul(31) ^ *v) }
trait Named { fn id(&self) -> u64 { 7 } fn two(&self, x: u64) -> (u64, u64) { (self.id(), x) } }
trait Shape: Named { fn area(&self) -> f32; fn scale(&mut self, k: f32); fn twice(&self) -> f32 { self.area() * 2.0 } }
struct Circle(f32); struct Sq { a: f32, b: u8 } struct Unit;
impl Named for Circle {} impl Named for Sq { fn id(&self) -> u64 { self.b as u64 } } impl Named for Unit { fn id(&self) -> u64 { 99 } }
impl Shape for Circle { fn area(&self) -> f32 { 3.0 * self.0 } fn scale(&mut self, k: f32) { self.0 *= k } }
impl Shape for Sq { fn area(&self) -> f32 { self.a * self.a } fn scale(&mut self, k: f32) { self.a *= k; self.b ^= 5; } fn twice(&self) -> f32 { 1.5 } }
impl Shape for Unit { fn area(&self) -> f32 { 0.25 } fn scale(&mut self, _: f32) {} }
static C1: Circle = Circle(2.0);
static TAB: [&(dyn Shape + Sync); 3] = [&C1, &Sq { a: 3.0, b: 2 }, &Unit];
impl dyn Shape + '_ { fn helper(&self) -> f32 { self.area() + 1.0 } }
trait Ext { fn ext(&self) -> f32; } impl<T: Shape + ?Sized> Ext for T { fn ext(&self) -> f32 { self.area() - 1.0 } }
trait Own { fn own(&self, n: u64) -> u64; } impl Own for dyn Shape { fn own(&self, n: u64) -> u64 { if n == 0 { self.id() } else { self.own(n - 1).wrapping_mul(3) } } }
trait Tr<T> { fn get(&self, t: T) -> T; fn by(&self) -> &dyn Named; }
impl Tr<u64> for Circle { fn get(&self, t: u64) -> u64 { t ^ 1 } fn by(&self) -> &dyn Named { self } }
impl<T: Copy> Tr<T> for Sq { fn get(&self, t: T) -> T { t } fn by(&self) -> &dyn Named { self } }
struct G<'a>(&'a Cell<u64>, u64); impl Drop for G<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(31) ^ self.1) } } impl Named for G<'_> { fn id(&self) -> u64 { self.1 } }
trait A0 { fn a0(&self) -> u64; } trait B0: A0 { fn b0(&self) -> u64 { self.a0() + 1 } } trait C0: A0 { fn c0(&self) -> u64; } trait D0: B0 + C0 { fn d0(&self) -> u64 { self.b0() ^ self.c0() } }
struct X(u64); struct Y(u64, u64);
impl A0 for X { fn a0(&self) -> u64 { self.0 } } impl B0 for X {} impl C0 for X { fn c0(&self) -> u64 { self.0 * 3 } } impl D0 for X {}
impl A0 for Y { fn a0(&self) -> u64 { self.1 } } impl B0 for Y { fn b0(&self) -> u64 { self.0 } } impl C0 for Y { fn c0(&self) -> u64 { !self.0 } } impl D0 for Y { fn d0(&self) -> u64 { 5 } }
struct Wrap<'a>(&'a dyn A0); impl A0 for Wrap<'_> { fn a0(&self) -> u64 { self.0.a0().wrapping_add(1000) } }
trait Visit { fn num(&mut self, n: u64); fn done(&self) -> u64; }
struct Sum(u64); impl Visit for Sum { fn num(&mut self, n: u64) { self.0 = self.0.wrapping_add(n) } fn done(&self) -> u64 { self.0 } }
struct Max<const N: usize>([u64; N], usize); impl<const N: usize> Visit for Max<N> { fn num(&mut self, n: u64) { self.0[self.1 % N] = n; self.1 += 1 } fn done(&self) -> u64 { h(&self.0) } }
enum Tree<'a> { Leaf(u64), Node(&'a Tree<'a>, &'a Tree<'a>) }
#[inline(never)] fn walk(t: &Tree, v: &mut dyn Visit) { match t { Tree::Leaf(n) => v.num(*n), Tree::Node(a, b) => { walk(a, v); walk(b, v) } } }
trait Big { fn big(&self, a: [u64; 5], b: u64) -> [u64; 6]; } impl Big for X { fn big(&self, a: [u64; 5], b: u64) -> [u64; 6] { [a[0] ^ self.0, a[1], a[2], a[3], a[4], b] } } impl Big for Y { fn big(&self, a: [u64; 5], b: u64) -> [u64; 6] { [b, a[4], a[3] ^ self.1, a[2], a[1], self.0] } }
fn g1(x: u64) -> u64 { x.wrapping_add(1) } fn g2(x: u64) -> u64 { x.wrapping_mul(3) } fn gener<T: Into<u64>>(x: T) -> u64 { x.into() ^ 0x55 }
#[inline(never)] fn call(f: fn(u64) -> u64, x: u64) -> u64 { f(x) }
#[inline(never)] fn pick(n: u64) -> fn(u64) -> u64 { match n % 4 { 0 => g1, 1 => g2, 2 => |x| x >> 3, _ => gener::<u64> } }
#[inline(never)] fn dcall(f: &dyn Fn(u64) -> u64, x: u64) -> u64 { f(x) ^ f(1) }
#[inline(never)] fn dmut(f: &mut dyn FnMut(u64)) { f(3); f(4) }
static OPS: [fn(u64, u64) -> u64; 4] = [u64::wrapping_add, |a, b| a ^ b, sub, u64::wrapping_mul];
fn sub(a: u64, b: u64) -> u64 { a.wrapping_sub(b) }
struct Ops { name: u8, f: fn(u64) -> u64, next: Option<fn(u64) -> u64> }
static TABLE: [Ops; 3] = [Ops { name: 1, f: g1, next: None }, Ops { name: 2, f: g2, next: Some(g1) }, Ops { name: 3, f: |x| !x, next: Some(|x| x / 2) }];
static DYNS: [&(dyn Fn(u64) -> u64 + Sync); 3] = [&g1, &|x| x ^ 77, &(g2 as fn(u64) -> u64)];
type Step = fn(&mut St) -> Option<Nx>; struct Nx(Step); struct St { n: u64, log: u64 }
fn s_a(s: &mut St) -> Option<Nx> { s.log = s.log * 3 + 1; if s.n % 2 == 0 { s.n /= 2; Some(Nx(s_a)) } else { Some(Nx(s_b)) } } fn s_b(s: &mut St) -> Option<Nx> { s.log = s.log * 5 + 2; if s.n < 3 { return None; } s.n = (s.n - 1) / 2; Some(Nx(s_a)) }
fn shape<'a>(n: u64, c: &'a Circle, s: &'a Sq) -> &'a dyn Shape { if n % 3 == 0 { c } else if n % 3 == 1 { s } else { &Unit } }

tests! {
    call_method(a, b) { let c = Circle((a % 50) as f32); let s = Sq { a: (b % 9) as f32, b: b as u8 }; let d = shape(a, &c, &s); h(&[d.area().to_bits() as u64, d.twice().to_bits() as u64, d.id(), d.helper().to_bits() as u64, d.ext().to_bits() as u64, d.two(b).1]) }
    array_of_dyn(a, b) { let mut c = Circle((a % 50) as f32); let mut s = Sq { a: (b % 9) as f32, b: b as u8 }; let mut u = Unit; let d: [&mut dyn Shape; 3] = [&mut c, &mut s, &mut u]; let mut t = 0u64; for q in d { q.scale((a % 7) as f32); t = t.rotate_left(9) ^ q.area().to_bits() as u64 ^ q.id(); } t ^ s.b as u64 }
    static_dyn(a, b) { let d = TAB[(a % 3) as usize]; let n: &dyn Named = d; d.area().to_bits() as u64 ^ n.id() << 40 ^ (size_of_val(d) as u64) << 50 }
    own_impl(a, b) { let c = Circle(1.0); let s = Sq { a: 2.0, b: a as u8 }; shape(b, &c, &s).own_of(a % 5) }
    generic_trait(a, b) { let c = Circle(1.0); let s = Sq { a: 1.0, b: 4 }; let d: &dyn Tr<u64> = if a % 2 == 0 { &c } else { &s }; d.get(b) ^ d.by().id() << 50 }
    upcast(a, b) { let x = X(a >> 3); let y = Y(b, a); let d: &dyn D0 = if a % 2 == 0 { &x } else { &y }; let e: &dyn B0 = d; let f: &dyn C0 = d; let g: &dyn A0 = e; let k: &dyn A0 = f; let m: &(dyn D0) = d; h(&[d.d0(), e.b0(), f.c0(), g.a0(), k.a0(), m.b0(), m.a0()]) }
    nested_dyn(a, b) { let x = X(a); let y = Y(b, 3); let w = Wrap(if b % 2 == 0 { &x } else { &y }); let v = Wrap(&w); let l: [&dyn A0; 3] = [&x, &w, &v]; l[(a % 3) as usize].a0() ^ Wrap(l[(b % 3) as usize]).a0() }
    visitor(a, b) { let l = [Tree::Leaf(a), Tree::Leaf(b), Tree::Leaf(a ^ b)]; let n = Tree::Node(&l[0], &l[1]); let m = Tree::Node(&n, &l[2]); let mut s = Sum(0); let mut x = Max([0; 2], 0); let v: &mut dyn Visit = if a % 2 == 0 { &mut s } else { &mut x }; walk(&m, v); walk(&n, v); v.done() }
    memory_result(a, b) { let x = X(a); let y = Y(b, a); let d: &dyn Big = if b % 2 == 0 { &x } else { &y }; h(&d.big([1, 2, 3, a, b], b)) }
    drop_dyn(a, b) { let c = Cell::new(a); let mut g = ManuallyDrop::new(G(&c, 5)); let mut k = ManuallyDrop::new(Circle(1.0)); let p: *mut dyn Named = if b % 2 == 0 { &mut *g as &mut dyn Named } else { &mut *k as &mut dyn Named }; let n = unsafe { (*p).id() }; unsafe { core::ptr::drop_in_place(p) }; c.get() ^ n << 9 }
    measure(a, b) { let c = Cell::new(a); let g = ManuallyDrop::new(G(&c, 5)); let q = Sq { a: 1.0, b: 2 }; let d: &dyn Named = match b % 3 { 0 => &*g, 1 => &q, _ => &Unit }; (size_of_val(d) as u64) << 32 | align_of_val(d) as u64 | d.id() << 8 }
    dyn_iter(a, b) { let (mut r, mut s) = (0..a % 40, (b % 9..60).step_by(3)); let it: &mut dyn Iterator<Item = u64> = if b % 2 == 0 { &mut r } else { &mut s }; let mut t = it.next().unwrap_or(5); for v in it { t = t.wrapping_mul(7) ^ v; if v > 50 { break; } } t ^ r.start << 30 }
    dyn_fn(a, b) { let k = b | 1; let f = move |x: u64| x.wrapping_mul(k) ^ a; let g = |x: u64| x / 3; let p: fn(u64) -> u64 = pick(b); let d: &dyn Fn(u64) -> u64 = match a % 5 { 0 => &f, 1 => &g, 2 => &g1, 3 => &p, _ => &&f }; dcall(d, b) ^ d(a) }
    dyn_fn_mut(a, b) { let (mut t, mut u) = (0u64, 1u64); { let mut f = |x: u64| t = t * 2 + x; let mut g = |x: u64| { u ^= x << 4; }; let d: &mut dyn FnMut(u64) = if a % 2 == 0 { &mut f } else { &mut g }; dmut(d); d(b % 100); (*d)(1); } t ^ u << 20 }
    dyn_two_args(a, b) { let f: &dyn Fn(u64, u32) -> u32 = if a % 2 == 0 { &|x, y| x as u32 ^ y } else { &|x, y| y.wrapping_sub(x as u32) }; let g: &dyn Fn() -> u64 = &|| a ^ 3; f(b, 9) as u64 ^ g() << 30 }
    static_fns(a, b) { DYNS[(a % 3) as usize](b) ^ OPS[(b % 4) as usize](a, b) }
    any(a, b) { use core::any::*; static IDS: [TypeId; 3] = [TypeId::of::<u64>(), TypeId::of::<Unit>(), TypeId::of::<(u64, u8)>()]; let (x, y, z) = (a, (b, 5u8), Unit); let d: &dyn Any = match b % 3 { 0 => &x, 1 => &y, _ => &z }; let mut m = y; if let Some(t) = (&mut m as &mut dyn Any).downcast_mut::<(u64, u8)>() { t.0 ^= 9; } (if let Some(v) = d.downcast_ref::<u64>() { *v } else if let Some((v, w)) = d.downcast_ref::<(u64, u8)>() { v ^ *w as u64 } else { d.is::<Unit>() as u64 + 70 }) ^ m.0 << 7 ^ (d.type_id() == IDS[(a % 3) as usize]) as u64 ^ ((IDS[0] == IDS[2]) as u64) << 5 }
    fn_locals(a, b) { let f = pick(a); let g = pick(b); let l = [f, g, g1, g2, |x| x ^ 9]; call(f, b) ^ call(l[(b % 5) as usize], a) ^ ((f as usize == g as usize) as u64) << 63 & 0 }
    fn_struct(a, b) { let o = &TABLE[(a % 3) as usize]; let x = (o.f)(b); o.next.map_or(x, |f| f(x)) ^ (o.name as u64) << 56 }
    fn_state(a, b) { let mut s = St { n: a % 10000 + 1, log: 0 }; let mut f: Step = if b % 2 == 0 { s_a } else { s_b }; let mut n = 0; while let Some(Nx(g)) = f(&mut s) { f = g; n += 1; if n > 12 { break; } } s.log ^ s.n << 48 }
    fn_unsafe_and_c(a, b) { unsafe fn u(x: u64) -> u64 { x + (x < 9) as u64 } extern "C" fn c(x: u32, y: u8) -> u32 { x ^ y as u32 } let f: unsafe fn(u64) -> u64 = if a % 2 == 0 { u } else { g1 }; let g: extern "C" fn(u32, u8) -> u32 = c; unsafe { f(b & 0xffff) ^ g(a as u32, b as u8) as u64 } }
    fn_tables(a, b) { fn inner<T: Into<u64>, const N: u64>(x: T) -> u64 { x.into() ^ N } static T: [fn(u32) -> u64; 2] = [inner::<u32, 5>, inner::<u32, 6>]; static M: [fn(&Sq) -> u64; 2] = [<Sq as Named>::id, |q| q.b as u64 * 3]; static F: [fn(f32) -> f32; 3] = [f32::abs, f32::to_degrees, |x| x + 1.0]; static C: [fn(u64) -> Option<u64>; 2] = [Some, |x| x.checked_sub(7)]; let f = F[(b % 3) as usize](f32::from_bits(a as u32)); T[(a % 2) as usize](b as u32) ^ M[(b % 2) as usize](&Sq { a: 1.0, b: a as u8 }) << 40 ^ C[(a % 2) as usize](b).unwrap_or(1) ^ if f.is_nan() { 1 } else { f.to_bits() as u64 } << 8 }
    fn_map(a, b) { let v = [a, b, 3, 4]; let f: fn(u64) -> u64 = if a % 2 == 0 { g1 } else { g2 }; h(&v.map(f)) ^ v.iter().copied().map(g2).fold(0, u64::wrapping_add) ^ Some(b).map(f).unwrap() }
}
trait OwnOf { fn own_of(&self, n: u64) -> u64; } impl OwnOf for dyn Shape + '_ { fn own_of(&self, n: u64) -> u64 { if n == 0 { self.id() } else { self.own_of(n - 1).wrapping_mul(3) ^ n } } }
