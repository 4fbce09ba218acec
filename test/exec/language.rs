// The language: enums, patterns, drops, closures, unions, packed structs, statics, generics.
use core::mem::*;
use core::cmp::*;
use core::ops::*;
fn arr8(a: u64, b: u64) -> [u64; 8] { let mut s = a ^ b.rotate_left(17) ^ 1; let mut r = [0; 8]; let mut i = 0; while i < 8 { s ^= s << 13; s ^= s >> 7; s ^= s << 17; r[i] = s >> (i * 7); i += 1; } r }
fn bytes16(a: u64, b: u64) -> [u8; 16] { let mut r = [0; 16]; r[..8].copy_from_slice(&a.to_le_bytes()); r[8..].copy_from_slice(&b.to_be_bytes()); r }
fn h(x: &[u64]) -> u64 { x.iter().fold(7u64, |s, v| s.rotate_left(5).wrapping_mul(31) ^ *v) }
fn hb(x: &[u8]) -> u64 { x.iter().fold(7u64, |s, v| s.rotate_left(5).wrapping_mul(31) ^ *v as u64) }
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)] struct P { x: i32, y: i16 }
#[derive(Clone, Copy, PartialEq, PartialOrd)] enum Shape { Circle(f32), Rect { w: f32, h: f32 }, Tri(f32, f32, f32), Empty }
impl Shape { fn area(&self) -> f32 { match *self { Shape::Circle(r) => 3.0 * r * r, Shape::Rect { w, h } => w * h, Shape::Tri(a, b, c) => a * b + c, Shape::Empty => 0.0 } } }
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)] #[repr(u8)] enum Color { Red = 1, Green = 5, Blue = 200 }
impl Color { fn of(x: u64) -> Option<Color> { Some(match x % 7 { 0 => Color::Red, 1 => Color::Green, 2 => Color::Blue, _ => return None }) } }
#[derive(Clone, Copy)] #[repr(i16)] enum Ng { A = -300, B = -1, C = 0, D = 32767 }
#[derive(Clone, Copy)] enum Inner { A(u8), B, C(bool) }
#[derive(Clone, Copy)] enum Mid { X(Inner), Y(u32), Z }
#[derive(Clone, Copy)] enum Outer { P(Option<Mid>), Q(Mid, u8), R }
fn inner(x: u64) -> Inner { match x % 4 { 0 => Inner::A(x as u8), 1 => Inner::B, 2 => Inner::C(true), _ => Inner::C(false) } }
fn mid(x: u64) -> Mid { match x % 3 { 0 => Mid::X(inner(x / 3)), 1 => Mid::Y(x as u32), _ => Mid::Z } }
fn outer(x: u64) -> Outer { match x % 4 { 0 => Outer::P(Some(mid(x / 4))), 1 => Outer::P(None), 2 => Outer::Q(mid(x / 4), x as u8), _ => Outer::R } }
#[derive(Clone, Copy)] enum Expr<'a> { Num(i64), Add(&'a Expr<'a>, &'a Expr<'a>), Mul(&'a Expr<'a>, &'a Expr<'a>), Neg(&'a Expr<'a>) }
#[inline(never)] fn eval(e: &Expr) -> i64 { match e { Expr::Num(n) => *n, Expr::Add(a, b) => eval(a).wrapping_add(eval(b)), Expr::Mul(a, b) => eval(a).wrapping_mul(eval(b)), Expr::Neg(a) => eval(a).wrapping_neg() } }
enum E { Bad(u8), Worse { code: i32 }, Eof }
struct Cur<'a> { d: &'a [u8], at: usize }
impl<'a> Cur<'a> { fn next(&mut self) -> Result<u8, E> { let v = *self.d.get(self.at).ok_or(E::Eof)?; self.at += 1; if v == 255 { Err(E::Bad(v)) } else { Ok(v) } } fn pair(&mut self) -> Result<i32, E> { let a = self.next()?; let b = self.next()?; if a > b { return Err(E::Worse { code: a as i32 - b as i32 }); } Ok(a as i32 * 256 + b as i32) } fn all(&mut self) -> Result<i32, E> { let mut s = 0i32; loop { match self.pair() { Ok(v) => s = s.wrapping_mul(7).wrapping_add(v), Err(E::Eof) => return Ok(s), Err(e) => return Err(e) } } } }
#[derive(Clone, Copy, PartialEq)] struct V2(f32, f32);
impl Add for V2 { type Output = V2; fn add(self, o: V2) -> V2 { V2(self.0 + o.0, self.1 + o.1) } }
impl Mul<f32> for V2 { type Output = V2; fn mul(self, k: f32) -> V2 { V2(self.0 * k, self.1 * k) } }
impl Neg for V2 { type Output = V2; fn neg(self) -> V2 { V2(-self.0, -self.1) } }
impl AddAssign for V2 { fn add_assign(&mut self, o: V2) { *self = *self + o } }
impl Index<usize> for V2 { type Output = f32; fn index(&self, i: usize) -> &f32 { match i { 0 => &self.0, 1 => &self.1, _ => panic!("no such axis") } } }
impl IndexMut<usize> for V2 { fn index_mut(&mut self, i: usize) -> &mut f32 { match i { 0 => &mut self.0, _ => &mut self.1 } } }
impl core::ops::Neg for P { type Output = P; fn neg(self) -> P { P { x: self.x.wrapping_neg(), y: self.y.wrapping_neg() } } }
struct Mat<const R: usize, const C: usize>([[i64; C]; R]);
impl<const R: usize, const C: usize> Mat<R, C> { const N: usize = R * C; fn mul<const K: usize>(&self, o: &Mat<C, K>) -> Mat<R, K> { let mut r = Mat([[0; K]; R]); for i in 0..R { for j in 0..K { for k in 0..C { r.0[i][j] = r.0[i][j].wrapping_add(self.0[i][k].wrapping_mul(o.0[k][j])); } } } r } fn t(&self) -> Mat<C, R> { let mut r = Mat([[0; R]; C]); for (i, row) in self.0.iter().enumerate() { for (j, v) in row.iter().enumerate() { r.0[j][i] = *v; } } r } fn hash(&self) -> u64 { let mut s = Self::N as u64; for r in &self.0 { for v in r { s = s.rotate_left(7) ^ *v as u64; } } s } }
struct Collatz(u64, u32); impl Iterator for Collatz { type Item = u64; fn next(&mut self) -> Option<u64> { if self.1 == 0 || self.0 <= 1 { return None; } self.1 -= 1; let v = self.0; self.0 = if v % 2 == 0 { v / 2 } else { v.wrapping_mul(3).wrapping_add(1) }; Some(v) } }
struct Fib { a: u64, b: u64 } impl Iterator for Fib { type Item = u64; fn next(&mut self) -> Option<u64> { let r = self.a; self.a = self.b; self.b = r.wrapping_add(self.b); Some(r) } }
struct D<'a>(&'a core::cell::Cell<u64>, u64); impl<'a> Drop for D<'a> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(31).wrapping_add(self.1)); } }
struct DD<'a> { p: D<'a>, q: Option<D<'a>>, r: [D<'a>; 2] }
union U { a: u64, b: [u8; 8], c: (u32, f32) }
#[repr(C)] union UF { f: f32, u: u32, h: [u16; 2] }
#[repr(C, packed(2))] #[derive(Clone, Copy)] struct Pk { a: u8, b: u64, c: u32 }
#[repr(align(32))] #[derive(Clone, Copy)] struct Al(u8, u64);
#[repr(transparent)] struct Tr(u64);
static TABLE: [[u16; 3]; 4] = [[1, 2, 3], [40, 50, 60], [700, 800, 900], [9, 99, 999]];
static NAMES: [&str; 4] = ["zero", "un", "deuxi\u{e8}me", ""];
static BYTES: &[u8] = b"hello\x00\xffworld";
const FNS: [fn(u64) -> u64; 3] = [|x| x ^ 1, dbl, |x| x >> 3];
fn dbl(x: u64) -> u64 { x.wrapping_mul(2) }
struct Node { v: u64, next: Option<&'static Node> } static N3: Node = Node { v: 300, next: None }; static N2: Node = Node { v: 20, next: Some(&N3) }; static N1: Node = Node { v: 1, next: Some(&N2) };
const POLY: u32 = 0xEDB88320; const fn crc_table() -> [u32; 256] { let mut t = [0; 256]; let mut i = 0; while i < 256 { let mut c = i as u32; let mut k = 0; while k < 8 { c = if c & 1 != 0 { POLY ^ (c >> 1) } else { c >> 1 }; k += 1; } t[i] = c; i += 1; } t } static CRC: [u32; 256] = crc_table();
trait Animal { const LEGS: u32; type Food: Into<u64> + Copy; fn eat(&self, f: Self::Food) -> u64 { f.into() * Self::LEGS as u64 + self.name() } fn name(&self) -> u64; }
struct Cat(u8); struct Bird; impl Animal for Cat { const LEGS: u32 = 4; type Food = u32; fn name(&self) -> u64 { self.0 as u64 } } impl Animal for Bird { const LEGS: u32 = 2; type Food = u8; fn name(&self) -> u64 { 77 } fn eat(&self, f: u8) -> u64 { f as u64 } }
fn feed<A: Animal>(a: &A, f: A::Food) -> u64 { a.eat(f) ^ A::LEGS as u64 }
#[inline(never)] fn make_adder(k: u64) -> impl Fn(u64) -> u64 { move |x| x.wrapping_add(k) }
#[inline(never)] fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C { move |x| g(f(x)) }
#[inline(never)] fn apply_n<F: FnMut(u64) -> u64>(n: u64, mut f: F) -> u64 { let mut r = 0; for i in 0..n { r ^= f(i) << (i % 7); } r }
#[inline(never)] fn swap_ref<'a>(x: &'a mut u64, y: &'a mut u64, c: bool) -> &'a mut u64 { if c { core::mem::swap(x, y); x } else { y } }
#[inline(never)] fn fact(n: u64) -> u64 { if n == 0 { 1 } else { n.wrapping_mul(fact(n - 1)) } }
#[inline(never)] fn ack(m: u64, n: u64) -> u64 { if m == 0 { n + 1 } else if n == 0 { ack(m - 1, 1) } else { ack(m - 1, ack(m, n - 1)) } }
#[inline(never)] fn even(n: u64) -> bool { if n == 0 { true } else { odd(n - 1) } } #[inline(never)] fn odd(n: u64) -> bool { if n == 0 { false } else { even(n - 1) } }
#[inline(never)] fn qsort(x: &mut [u64]) { if x.len() <= 1 { return; } let p = x[x.len() / 2]; let (mut i, mut j) = (0, x.len() - 1); loop { while x[i] < p { i += 1; } while x[j] > p { j -= 1; } if i >= j { break; } x.swap(i, j); i += 1; j -= 1; } let (l, r) = x.split_at_mut(i); qsort(l); qsort(r); }

tests! {
    derive_ord(a, b) { let p = P { x: a as i32, y: (a >> 32) as i16 }; let q = P { x: b as i32, y: (b >> 32) as i16 }; (p.cmp(&q) as i8 as u8 as u64) ^ ((p < q) as u64) << 8 ^ ((p == q) as u64) << 9 ^ ((p.max(q) == p) as u64) << 10 ^ ((P::default() <= q) as u64) << 11 ^ (((-p).x as u32 as u64) << 32) }
    shapes(a, b) { let mk = |x: u64| match x % 4 { 0 => Shape::Circle((x % 100) as f32), 1 => Shape::Rect { w: (x % 50) as f32, h: 2.0 }, 2 => Shape::Tri(1.0, (x % 9) as f32, 0.5), _ => Shape::Empty }; let s = [mk(a), mk(b), mk(a ^ b), mk(a / 4)]; let t: f32 = s.iter().map(Shape::area).sum(); t.to_bits() as u64 ^ ((s[0] == s[1]) as u64) << 40 ^ (s[0].partial_cmp(&s[2]).map_or(3, |o| o as i8 as u8 as u64)) << 48 }
    colors(a, b) { let (c, d) = (Color::of(a), Color::of(b)); match (c, d) { (Some(x), Some(y)) if x == y => x as u64, (Some(x), Some(y)) => (x as u64) << 8 | y as u64 | ((x < y) as u64) << 20, (Some(Color::Red), None) => 1 << 30, (Some(_), None) => 2 << 30, (None, Some(y)) => y as u64 * 3, (None, None) => size_of::<Option<Color>>() as u64 } }
    neg_discr(a, b) { let n = match a % 4 { 0 => Ng::A, 1 => Ng::B, 2 => Ng::C, _ => Ng::D }; n as i16 as u16 as u64 ^ (n as i64 as u64) << 16 ^ (n as u8 as u64) << 60 ^ match n { Ng::A => 1, Ng::B => b, Ng::C => 3, Ng::D => 4 } }
    transmute_enum(a, b) { let c: Color = unsafe { transmute(match a % 3 { 0 => 1u8, 1 => 5, _ => 200 }) }; match c { Color::Red => b, Color::Green => b + (b < 100) as u64, Color::Blue => !b } }
    three_level(a, b) { let o = outer(a); let q = outer(b); let v = |o: &Outer| match o { Outer::P(Some(Mid::X(Inner::A(n)))) if *n > 100 => *n as u64, Outer::P(Some(Mid::X(Inner::A(n)))) => *n as u64 * 1000, Outer::P(Some(Mid::X(Inner::B))) => 2, Outer::P(Some(Mid::X(Inner::C(t)))) => 3 + *t as u64, Outer::P(Some(Mid::Y(v))) => *v as u64, Outer::P(Some(Mid::Z)) => 5, Outer::P(None) => 6, Outer::Q(Mid::Y(v), w) => *v as u64 ^ (*w as u64) << 40, Outer::Q(m, w) => (match m { Mid::X(Inner::B) => 9, Mid::Z => 10, _ => 11 }) << 8 | *w as u64, Outer::R => 7 }; v(&o).wrapping_mul(31) ^ v(&q) ^ (size_of::<Outer>() as u64) << 56 }
    mutate_enum(a, b) { let mut o = outer(a); if let Outer::P(Some(ref mut m)) = o { if let Mid::X(Inner::A(n)) = m { *n = n.wrapping_add(b as u8); } else if let Mid::Y(y) = m { *y ^= b as u32; } else { *m = mid(b); } } else if let Outer::Q(m, w) = &mut o { *w = !*w; core::mem::swap(m, &mut mid(b)); } else { o = outer(b); } match o { Outer::P(None) => 1, Outer::P(Some(Mid::X(Inner::A(n)))) => n as u64, Outer::P(Some(Mid::Y(n))) => n as u64, Outer::P(_) => 2, Outer::Q(Mid::Y(n), w) => n as u64 * w as u64, Outer::Q(_, w) => w as u64, Outer::R => 4 } }
    expr_tree(a, b) { let n1 = Expr::Num(a as i64); let n2 = Expr::Num(b as i64); let s = Expr::Add(&n1, &n2); let m = Expr::Mul(&s, &n1); let g = Expr::Neg(&m); let e = if a > b { Expr::Add(&g, &s) } else { m }; eval(&e) as u64 }
    parse(a, b) { let d = bytes16(a, b); let mut c = Cur { d: &d, at: (a % 4) as usize }; (match c.all() { Ok(v) => v as u32 as u64, Err(E::Bad(x)) => 1 << 40 | x as u64, Err(E::Worse { code }) => 2 << 40 | code as u32 as u64, Err(E::Eof) => 3 << 40 }) | (c.at as u64) << 50 }
    operators(a, b) { let v = V2((a % 100) as f32, 1.5); let mut w = v * 2.0 + -V2(0.5, (b % 7) as f32); w += v; w[0] *= 3.0; w[1] += w[0]; (w[(a % 2) as usize].to_bits() as u64) ^ (w[(b % 3) as usize].to_bits() as u64) << 32 }
    matrices(a, b) { let m = Mat([[a as i64, 2, 3], [b as i64, 5, -6]]); let n = m.t(); m.mul(&n).hash() ^ n.mul(&m).hash() }
    by_ref_iter(a, b) { let mut f = Fib { a: a % 9, b: 1 }; let x: u64 = f.by_ref().take(4).sum(); let y = f.next().unwrap(); let z = f.find(|v| v % 3 == b % 3).unwrap_or(0); x ^ y << 10 ^ z << 30 }
    drops(a, b) { let c = core::cell::Cell::new(a); { let _x = D(&c, 1); let y = D(&c, 2); let _ = D(&c, 3); if b % 2 == 0 { drop(y); } let _z = D(&c, 4); if b % 3 == 0 { return c.get(); } } c.get() }
    drops_struct(a, b) { let c = core::cell::Cell::new(a); { let d = DD { p: D(&c, 1), q: if b % 2 == 0 { Some(D(&c, 2)) } else { None }, r: [D(&c, 3), D(&c, 4)] }; if b % 3 == 1 { let DD { q, .. } = d; core::mem::drop(q); c.set(c.get() ^ 0x55); } else if b % 3 == 2 { core::mem::forget(d); } } c.get() }
    drops_loop(a, b) { let c = core::cell::Cell::new(a); for i in 0..(b % 5) { let d = D(&c, i); if i == 3 { break; } if i % 2 == 0 { continue; } c.set(c.get() + (d.1 & 1)); } c.get() }
    drops_replace(a, b) { let c = core::cell::Cell::new(a); let mut x = D(&c, 5); x = D(&c, 6); let old = core::mem::replace(&mut x, D(&c, 7)); let mut o = Some(D(&c, 8)); if b % 2 == 0 { o.take(); } let t = (D(&c, 9), D(&c, 10)); let (m, _) = t; drop(m); c.set(c.get() ^ 1); drop(old); let r = c.get(); drop(x); r ^ c.get() }
    drops_cond(a, b) { let c = core::cell::Cell::new(a); let x; let y = D(&c, 50); if b % 2 == 0 { x = D(&c, 51); c.set(c.get() ^ x.1); } if b % 3 == 0 { let moved = y; c.set(c.get().wrapping_add(moved.1)); } c.get() }
    manually(a, b) { let c = core::cell::Cell::new(a); let mut m = ManuallyDrop::new(D(&c, 3)); m.1 = b; if a % 2 == 0 { unsafe { ManuallyDrop::drop(&mut m) } } else { let x = unsafe { ManuallyDrop::take(&mut m) }; c.set(c.get() ^ x.1); } c.get() }
    uninit(a, b) { let mut x: [MaybeUninit<u64>; 8] = [const { MaybeUninit::uninit() }; 8]; let n = (b % 9) as usize; for i in 0..n { x[i].write(a.rotate_left(i as u32)); } let mut s = 0; for v in &x[..n] { s ^= unsafe { v.assume_init() }.wrapping_mul(3); } s }
    unions(a, b) { let mut u = U { a }; unsafe { u.b[3] = b as u8; let (x, y) = u.c; u.c.0 = x ^ b as u32; u.a ^ y.to_bits() as u64 } }
    union_match(a, b) { let u = UF { u: a as u32 }; unsafe { match u { UF { u: 0x3f800000 } => 1, UF { f } if f > 0.0 => 2, UF { h: [0, x] } => x as u64, _ => b & 0xff } } }
    packed(a, b) { let mut p = [Pk { a: a as u8, b, c: (a >> 8) as u32 }; 3]; p[(a % 3) as usize].b = p[(b % 3) as usize].c as u64; let q = unsafe { core::ptr::addr_of!(p[1].b).read_unaligned() }; let Pk { a: x, b: y, c: z } = p[2]; q ^ y ^ (x as u64) << 3 ^ (z as u64) << 20 ^ (size_of::<Pk>() as u64) << 50 }
    aligned(a, b) { let x = [Al(a as u8, b), Al(b as u8, a)]; let i = (a % 2) as usize; x[i].1 ^ x[1 - i].0 as u64 ^ (align_of::<Al>() as u64) << 40 ^ ((&x[1] as *const _ as u64) % 32) }
    transparent(a, b) { let t = Tr(a); let u: u64 = unsafe { transmute(t) }; let s: &Tr = unsafe { &*(&b as *const u64 as *const Tr) }; u ^ s.0 }
    transmutes(a, b) { let x: [u16; 4] = unsafe { transmute(a) }; let y: (u32, u32) = unsafe { transmute(b) }; let z: f64 = unsafe { transmute([y.0, x[1] as u32]) }; let w: [u8; 8] = unsafe { transmute(z) }; hb(&w) ^ x[3] as u64 ^ y.1 as u64 }
    strings(a, b) { let s = NAMES[(a % 4) as usize]; let c = s.as_bytes().get((b % 6) as usize).copied().unwrap_or(1); s.len() as u64 * 1000 + c as u64 + (s.is_empty() as u64) * 7 + (s == "un") as u64 * 100000 }
    str_chars(a, b) { let s = NAMES[(a % 4) as usize]; s.chars().fold(b, |h, c| h.wrapping_mul(33) ^ c as u64) }
    fn_table(a, b) { FNS[(a % 3) as usize](b) }
    fn_select(a, b) { let f: fn(u64) -> u64 = match a % 3 { 0 => dbl, 1 => |x| !x, _ => u64::swap_bytes }; f(f(b)) ^ [dbl, fact_small].map(|g| g(a))[(b % 2) as usize] }
    list(a, b) { let mut p = Some(&N1); let mut s = a; let mut k = b % 5; while let Some(n) = p { s = s.wrapping_mul(7).wrapping_add(n.v); if k == 0 { break; } k -= 1; p = n.next; } s }
    crc(a, b) { let mut c = !0u32; for x in bytes16(a, b) { c = CRC[((c ^ x as u32) & 255) as usize] ^ (c >> 8); } !c as u64 }
    assoc(a, b) { feed(&Cat(a as u8), b as u32) ^ feed(&Bird, a as u8) << 40 }
    closures_ret(a, b) { let f = make_adder(a); let g = compose(&f, |x: u64| x ^ 0xff); let h2 = compose(g, |x| (x as u8, x)); let (p, q) = h2(b); p as u64 ^ q }
    closure_state(a, b) { let mut n = a; let mut log = [0u64; 4]; let r = apply_n(b % 10, |i| { n = n.wrapping_mul(5).wrapping_add(i); log[(i % 4) as usize] ^= n; n }); r ^ n ^ h(&log) }
    disjoint(a, b) { struct S { x: u64, y: [u64; 2], z: (u8, bool) } let mut s = S { x: a, y: [b, 3], z: (1, false) }; { let mut f = |k: u64| { s.x = s.x.wrapping_add(k); s.z.1 = !s.z.1; }; let g = &s.y; f(g[0]); f(g[1]); f(7); } s.x ^ s.y[1] ^ s.z.0 as u64 ^ (s.z.1 as u64) << 33 }
    closure_move(a, b) { let t = [a, b, a ^ b]; let f = move |i: usize| t[i % 3]; let g = |i: usize| f(i + 1) ^ f(i); let mut v = [0; 3]; for (i, x) in v.iter_mut().enumerate() { *x = g(i); } h(&v) ^ h(&t) }
    closure_once(a, b) { fn run<F: FnOnce() -> u64>(f: F) -> u64 { f() } let c = core::cell::Cell::new(b); let d = D(&c, a); let r = run(move || { let e = d; e.1 ^ 5 }); r ^ c.get() }
    closure_enum(a, b) { let o = if a % 2 == 0 { Some(b) } else { None }; let f = |k: u64| o.map(|v| v.wrapping_add(k)).unwrap_or_else(|| k ^ 3); f(a) ^ f(1) }
    ref_ret(a, b) { let (mut x, mut y) = (a, b); *swap_ref(&mut x, &mut y, a > b) ^= 0xff; let r = swap_ref(&mut x, &mut y, a == 3); *r = r.wrapping_add(1); x.rotate_left(5) ^ y }
    mem_ops(a, b) { let mut x = [a, b, 3]; let y = take(&mut x[1]); let z = replace(&mut x[0], y); x.swap(0, 2); let (p, q) = x.split_at_mut(1); swap(&mut p[0], &mut q[1]); h(&x) ^ z }
    struct_update(a, b) { #[derive(Clone, Copy)] struct Cfg { a: u64, b: u8, c: [u16; 3], d: Option<u32> } const DEF: Cfg = Cfg { a: 9, b: 8, c: [1, 2, 3], d: None }; let c = Cfg { a, ..DEF }; let d = Cfg { c: [b as u16; 3], d: Some(b as u32), ..c }; c.a ^ c.b as u64 ^ d.a.rotate_left(9) ^ d.c[1] as u64 ^ d.d.map_or(0, |v| v as u64) << 7 ^ c.d.is_some() as u64 }
    recursion(a, b) { fact(a % 25) ^ ack(a % 3, b % 5) << 32 ^ even(b % 50) as u64 }
    quick(a, b) { let mut x = arr8(a, b); qsort(&mut x); h(&x) }
    slice_of_slices(a, b) { let x = arr8(a, b); let y = bytes16(a, b); let s: [&[u64]; 3] = [&x[..3], &x[2..(b % 7 + 2) as usize], &[]]; s.iter().map(|v| h(v)).fold(0, |p: u64, q| p.rotate_left(9) ^ q) ^ s.iter().map(|v| v.len()).sum::<usize>() as u64 ^ y[0] as u64 }
    slice_range_trap(a, b) { let x = arr8(1, 2); h(&x[(a % 10) as usize..(b % 10) as usize]) }
    index_trap(a, b) { let x = arr8(1, 2); x[a as usize % 10] ^ x[..(b % 12) as usize].len() as u64 }
    unwrap_trap(a, b) { a.checked_mul(b).unwrap() ^ (b.checked_sub(1)).expect("nothing left") }
    arith_trap(a, b) { (a as u8 + b as u8) as u64 ^ ((a as i16 - b as i16) as u16 as u64) << 8 ^ (-(a as i8)) as u8 as u64 }
    split_first(a, b) { let x = arr8(a, b); let mut s: &[u64] = &x[(b % 9) as usize..]; let mut r = 0u64; while let [f, rest @ ..] = s { r = r.rotate_left(1) ^ f; s = rest; } if let [p, .., q] = x { r ^= p ^ q; } if let Some((l, _)) = x.split_last() { r ^= l << 1; } r }
    slice_pat(a, b) { let x = bytes16(a, b); match &x[..(b % 5) as usize] { [] => 1, [v] => *v as u64, [0, rest @ ..] => hb(rest), [p, q] if p == q => 3, [p, .., q] => (*p as u64) << 8 | *q as u64 } }
}
fn fact_small(x: u64) -> u64 { fact(x % 10) }
