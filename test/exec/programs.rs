// Larger pieces: parsers, state machines, pools, generic mathematics, drops in odd places, niches.
use core::ops::*;
use core::cmp::*;
use core::mem::*;
use core::marker::PhantomData;
fn arr8(a: u64, b: u64) -> [u64; 8] { let mut s = a ^ b.rotate_left(17) ^ 1; let mut r = [0; 8]; let mut i = 0; while i < 8 { s ^= s << 13; s ^= s >> 7; s ^= s << 17; r[i] = s >> (i * 7); i += 1; } r }
fn bytes16(a: u64, b: u64) -> [u8; 16] { let mut r = [0; 16]; r[..8].copy_from_slice(&a.to_le_bytes()); r[8..].copy_from_slice(&b.to_be_bytes()); r }
fn h(x: &[u64]) -> u64 { x.iter().fold(7u64, |s, v| s.rotate_left(5).wrapping_mul(31) ^ *v) }
fn hb(x: &[u8]) -> u64 { x.iter().fold(7u64, |s, v| s.rotate_left(5).wrapping_mul(31) ^ *v as u64) }
fn fx(x: f64) -> u64 { if x.is_nan() { 1 } else { x.to_bits() } }
fn fy(x: f32) -> u64 { if x.is_nan() { 1 } else { x.to_bits() as u64 } }
// generics, traits
trait Num: Copy + Add<Output = Self> + Mul<Output = Self> + Sub<Output = Self> + PartialOrd + Default { const ONE: Self; const NAME: &'static str; fn from_u(x: u64) -> Self; fn to_u(self) -> u64; }
impl Num for f64 { const ONE: f64 = 1.0; const NAME: &'static str = "f64"; fn from_u(x: u64) -> f64 { (x % 1000) as f64 } fn to_u(self) -> u64 { fx(self) } }
impl Num for f32 { const ONE: f32 = 1.0; const NAME: &'static str = "f32"; fn from_u(x: u64) -> f32 { (x % 1000) as f32 } fn to_u(self) -> u64 { fy(self) } }
impl Num for i64 { const ONE: i64 = 1; const NAME: &'static str = "i64"; fn from_u(x: u64) -> i64 { (x % 1000) as i64 } fn to_u(self) -> u64 { self as u64 } }
impl Num for core::num::Wrapping<u8> { const ONE: Self = core::num::Wrapping(1); const NAME: &'static str = "wu8"; fn from_u(x: u64) -> Self { core::num::Wrapping(x as u8) } fn to_u(self) -> u64 { self.0 as u64 } }
#[derive(Clone, Copy, PartialEq, Debug)] struct Cx<T>(T, T);
impl<T: Num> Add for Cx<T> { type Output = Self; fn add(self, o: Self) -> Self { Cx(self.0 + o.0, self.1 + o.1) } }
impl<T: Num> Mul for Cx<T> { type Output = Self; fn mul(self, o: Self) -> Self { Cx(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0) } }
impl<T: Num> From<(T, T)> for Cx<T> { fn from(p: (T, T)) -> Self { Cx(p.0, p.1) } }
#[inline(never)] fn horner<T: Num>(x: T, c: &[T]) -> T { let mut s = T::default(); for k in c.iter().rev() { s = s * x + *k; } s }
fn poly<T: Num>(a: u64, b: u64) -> u64 { let c = [T::ONE, T::from_u(a), T::from_u(b)]; horner(T::from_u(a ^ b), &c).to_u() ^ T::NAME.len() as u64 }
#[derive(Clone, Copy)] struct Vecn<T, const N: usize>([T; N]);
impl<T: Num, const N: usize> Vecn<T, N> { fn dot(&self, o: &Self) -> T { self.0.iter().zip(&o.0).fold(T::default(), |s, (p, q)| s + *p * *q) } fn map<U, F: Fn(T) -> U>(self, f: F) -> Vecn<U, N> { Vecn(self.0.map(f)) } }
impl<T, const N: usize> Deref for Vecn<T, N> { type Target = [T; N]; fn deref(&self) -> &[T; N] { &self.0 } }
impl<T, const N: usize> DerefMut for Vecn<T, N> { fn deref_mut(&mut self) -> &mut [T; N] { &mut self.0 } }
impl<T: Num, const N: usize> Default for Vecn<T, N> { fn default() -> Self { Vecn([T::default(); N]) } }
struct Meters<T>(f32, PhantomData<T>); struct Km; impl<T> Meters<T> { fn new(x: f32) -> Self { Meters(x, PhantomData) } }
trait Visitor { type Out; fn leaf(&mut self, x: u64); fn node(&mut self, k: u8); fn done(self) -> Self::Out; }
struct Sum(u64); impl Visitor for Sum { type Out = u64; fn leaf(&mut self, x: u64) { self.0 = self.0.wrapping_add(x); } fn node(&mut self, k: u8) { self.0 = self.0.rotate_left(k as u32); } fn done(self) -> u64 { self.0 } }
struct Depth { d: u32, m: u32 } impl Visitor for Depth { type Out = (u32, bool); fn leaf(&mut self, _: u64) { self.d -= (self.d > 0) as u32; } fn node(&mut self, _: u8) { self.d += 1; self.m = self.m.max(self.d); } fn done(self) -> (u32, bool) { (self.m, self.d == 0) } }
fn walk<V: Visitor>(x: &[u8], mut v: V) -> V::Out { for c in x { if c % 3 == 0 { v.node(*c); } else { v.leaf(*c as u64); } } v.done() }
// intrusive pool linked list
#[derive(Clone, Copy)] struct Slot { v: u32, next: Option<core::num::NonZeroU8> }
struct Pool { s: [Slot; 8], head: Option<core::num::NonZeroU8>, n: u8 }
impl Pool { fn new() -> Pool { Pool { s: [Slot { v: 0, next: None }; 8], head: None, n: 0 } } fn push(&mut self, v: u32) -> Result<(), u32> { if self.n as usize >= self.s.len() { return Err(v); } self.s[self.n as usize] = Slot { v, next: self.head }; self.n += 1; self.head = core::num::NonZeroU8::new(self.n); Ok(()) } fn iter(&self) -> PoolIter<'_> { PoolIter { p: self, at: self.head } } fn rev(&mut self) { let mut prev = None; let mut cur = self.head; while let Some(i) = cur { let s = &mut self.s[i.get() as usize - 1]; let nx = replace(&mut s.next, prev); prev = cur; cur = nx; } self.head = prev; } }
struct PoolIter<'a> { p: &'a Pool, at: Option<core::num::NonZeroU8> } impl<'a> Iterator for PoolIter<'a> { type Item = &'a u32; fn next(&mut self) -> Option<&'a u32> { let i = self.at?.get() as usize - 1; self.at = self.p.s[i].next; Some(&self.p.s[i].v) } }
impl<'a> IntoIterator for &'a Pool { type Item = &'a u32; type IntoIter = PoolIter<'a>; fn into_iter(self) -> PoolIter<'a> { self.iter() } }
// state machine, token lexer
#[derive(Clone, Copy, PartialEq, Debug)] enum Tok<'a> { Num(u32), Ident(&'a [u8]), Op(u8), Str { body: &'a [u8], esc: bool }, Err(Why) }
#[derive(Clone, Copy, PartialEq, Debug)] enum Why { Eof, Bad(u8), Long { at: u16, n: u16 } }
struct Lex<'a> { s: &'a [u8] }
impl<'a> Lex<'a> { fn next(&mut self) -> Tok<'a> { while let [b' ', r @ ..] = self.s { self.s = r; } match *self.s { [] => Tok::Err(Why::Eof), [c @ b'0'..=b'9', ..] => { let mut n = (c - b'0') as u32; let mut i = 1; while let Some(d @ b'0'..=b'9') = self.s.get(i) { n = n.wrapping_mul(10).wrapping_add((d - b'0') as u32); i += 1; if i > 6 { return Tok::Err(Why::Long { at: i as u16, n: n as u16 }); } } self.s = &self.s[i..]; Tok::Num(n) } [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] => { let n = self.s.iter().position(|c| !c.is_ascii_alphanumeric()).unwrap_or(self.s.len()); let n = n.max(1); let (w, r) = self.s.split_at(n); self.s = r; Tok::Ident(w) } [b'"', ref r @ ..] => match r.iter().position(|c| *c == b'"') { Some(i) => { self.s = &r[i + 1..]; Tok::Str { body: &r[..i], esc: r[..i].contains(&b'\\') } } None => { self.s = &[]; Tok::Err(Why::Eof) } }, [c, ref r @ ..] if b"+-*/".contains(&c) => { self.s = r; Tok::Op(c) } [c, ref r @ ..] => { self.s = r; Tok::Err(Why::Bad(c)) } } } }
fn tok(t: &Tok) -> u64 { match t { Tok::Num(n) => *n as u64, Tok::Ident(w) => hb(w) ^ 3, Tok::Op(c) => *c as u64 + 1000, Tok::Str { body, esc } => hb(body) ^ *esc as u64, Tok::Err(Why::Eof) => 5, Tok::Err(Why::Bad(c)) => *c as u64 + 77, Tok::Err(Why::Long { at, n }) => (*at as u64) << 16 | *n as u64 } }
static SRC: [&[u8]; 4] = [b"a1 + 23*foo_", b"\"hi\\n\" 9999999 x", b"  \"open", b"-_-#42"];
#[derive(Clone, Copy)] #[repr(u8)] enum St { Idle, Run { left: u8 }, Wait(u8, u8), Done = 9 }
impl St { fn step(self, x: u8) -> St { use St::*; match (self, x) { (Idle, 0) => Idle, (Idle, n) => Run { left: n }, (Run { left: 0 }, _) => Done, (Run { left }, 1..=9) => Run { left: left / 2 }, (Run { left }, n) => Wait(left, n), (Wait(p, q), n) if p == q || n > 200 => Run { left: p ^ n }, (Wait(p, q), n) => Wait(q, p.wrapping_add(n)), (Done, 7) => Idle, (s @ Done, _) => s } } }
static mut DUMMY: u32 = 0;
static CFG: Config = Config { name: "cfg", lim: [Some(3), None, Some(-7)], inner: &INNER, f: Some(dbl), o: Ordering::Greater, u: (), t: (1, 'x', 2.5, true) }; static INNER: [Config2; 2] = [Config2 { k: &CFG_K, s: b"ab" }, Config2 { k: &5, s: &[] }]; static CFG_K: u64 = 99;
struct Config { name: &'static str, lim: [Option<i16>; 3], inner: &'static [Config2], f: Option<fn(u64) -> u64>, o: Ordering, u: (), t: (u8, char, f64, bool) } struct Config2 { k: &'static u64, s: &'static [u8] }
fn dbl(x: u64) -> u64 { x.wrapping_mul(2) }
const MASKS: [u128; 3] = [1 << 100, u128::MAX / 3, 0]; const NEG: [i128; 2] = [-1, i128::MIN]; const FL: [(f32, f64); 3] = [(1.5, -0.0), (f32::INFINITY, f64::MIN_POSITIVE), (f32::MAX, 1e-320)];
const fn gcd(a: u32, b: u32) -> u32 { if b == 0 { a } else { gcd(b, a % b) } } const G: u32 = gcd(48, 180); struct HasC<const K: u32>; impl<const K: u32> HasC<K> { const SQ: u32 = K * K + G; const T: [u32; 3] = [K, K + 1, Self::SQ]; }
#[inline(never)] fn big(a: [u64; 12], k: usize) -> [u64; 12] { let mut r = a; r[k % 12] ^= a[(k + 1) % 12]; r }
#[inline(never)] fn many(a: u8, b: u16, c: u32, d: u64, e: i8, f: f32, g: f64, hh: bool, i: char, j: (u8, u64), k: [u16; 3], l: Option<u32>, m: &u64, n: &[u64]) -> (u64, bool, Option<u8>) { let s = a as u64 ^ b as u64 ^ c as u64 ^ d ^ e as u64 ^ fy(f) ^ fx(g) ^ hh as u64 ^ i as u64 ^ j.0 as u64 ^ j.1 ^ k[1] as u64 ^ l.unwrap_or(4) as u64 ^ *m ^ h(n); (s, s % 2 == 0, if s % 3 == 0 { None } else { Some(s as u8) }) }
#[inline(never)] fn never_ret(x: u64) -> ! { if x > 3 { panic!("big") } else { unreachable!("small {}", x) } }
struct Scoped<'a, F: FnMut()>(&'a core::cell::Cell<u64>, Option<F>); impl<F: FnMut()> Drop for Scoped<'_, F> { fn drop(&mut self) { if let Some(mut f) = self.1.take() { f(); f(); } self.0.set(self.0.get() + 1); } }
enum Own<'a> { A(Dr<'a>), B { x: u8, d: Dr<'a> }, C } struct Dr<'a>(&'a core::cell::Cell<u64>, u64); impl Drop for Dr<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(31).wrapping_add(self.1)); } }
#[inline(never)] fn take_own(o: Own) -> u64 { match o { Own::A(d) => d.1, Own::B { x, .. } => x as u64, Own::C => 3 } }
#[inline(never)] fn res_own<'a>(c: &'a core::cell::Cell<u64>, k: u64) -> Result<Dr<'a>, (u8, Dr<'a>)> { if k % 3 == 0 { Err((k as u8, Dr(c, 70))) } else { Ok(Dr(c, 80)) } }

tests! {
    poly_all(a, b) { poly::<f64>(a, b) ^ poly::<f32>(b, a).rotate_left(3) ^ poly::<i64>(a, b).rotate_left(7) ^ poly::<core::num::Wrapping<u8>>(a, b) }
    complex(a, b) { let c: Cx<f64> = (a as f64 / 1e19, b as f64 / 2e19).into(); let mut z = Cx(0.0, 0.0); let mut n = 0; while n < 40 && z.0 * z.0 + z.1 * z.1 < 4.0 { z = z * z + c; n += 1; } n ^ fx(z.0) }
    vecn(a, b) { let v = Vecn([a as f32, b as f32, 2.0]); let mut w = Vecn::<i64, 4>::default(); w[2] = a as i64 % 1000; w[0] = -5; for x in w.iter_mut() { *x += 1; } let u = v.map(|x| (x * 0.5) as i32); fy(v.dot(&v)) ^ w.dot(&w) as u64 ^ (u.0[1] as u32 as u64) << 20 ^ w.len() as u64 }
    phantom(a, b) { let m = Meters::<Km>::new(a as f32); fy(m.0) ^ size_of_val(&m) as u64 ^ b }
    visitors(a, b) { let x = bytes16(a, b); let s = walk(&x, Sum(a)); let (d, z) = walk(&x[2..], Depth { d: 0, m: 0 }); s ^ (d as u64) << 50 ^ (z as u64) << 60 }
    pool(a, b) { let mut p = Pool::new(); let mut fails = 0u64; for i in 0..(a % 12) { if let Err(v) = p.push((b >> i) as u32) { fails += v as u64 + 1; } } let s = p.iter().fold(1u64, |s, v| s.rotate_left(5) ^ *v as u64); p.rev(); let mut t = 0u64; for v in &p { t = t.wrapping_mul(3) ^ *v as u64; } s ^ t ^ fails << 32 ^ p.iter().max().copied().unwrap_or(9) as u64 }
    machine(a, b) { let mut s = St::Idle; let mut n = 0u64; for x in bytes16(a, b) { s = s.step(x); n = n.rotate_left(5) ^ match s { St::Idle => 1, St::Run { left } => left as u64, St::Wait(p, q) => (p as u64) << 8 | q as u64, St::Done => 77 }; } n }
    config(a, b) { let c = &CFG; let i = &c.inner[(a % 2) as usize]; let f = c.f.unwrap(); c.name.len() as u64 ^ f(*i.k) ^ hb(i.s) ^ c.lim[(b % 3) as usize].map_or(40, |v| v as u16 as u64) ^ (c.o as i8 as u8 as u64) << 20 ^ c.t.1 as u64 ^ fx(c.t.2) ^ c.t.3 as u64 }
    consts(a, b) { let m = MASKS[(a % 3) as usize]; let n = NEG[(b % 2) as usize]; let (p, q) = FL[(a % 3) as usize]; (m >> 64) as u64 ^ m as u64 ^ (n >> 90) as u64 ^ fy(p) ^ fx(q).rotate_left(3) ^ HasC::<7>::SQ as u64 ^ (HasC::<9>::T[(b % 3) as usize] as u64) << 40 ^ G as u64 }
    big_arr(a, b) { let x = core::array::from_fn::<u64, 12, _>(|i| a ^ i as u64); let y = big(x, b as usize % 100); let z = big(y, a as usize % 50); h(&z) ^ h(&x) }
    many_args(a, b) { let (s, t, u) = many(a as u8, b as u16, a as u32, b, a as i8, b as f32, a as f64, a > b, 'z', (1, b), [a as u16, 2, 3], if a % 2 == 0 { Some(7) } else { None }, &b, &[a, b][..(a % 3) as usize]); s ^ t as u64 ^ (u.unwrap_or(5) as u64) << 40 }
    never(a, b) { if a % 5 == 3 { never_ret(b) } a ^ b }
    scoped(a, b) { let c = core::cell::Cell::new(a); let mut n = 0u64; { let _s = Scoped(&c, if b % 2 == 0 { Some(|| n += 3) } else { None }); c.set(c.get() ^ 5); } c.get() ^ n }
    own_enum(a, b) { let c = core::cell::Cell::new(b); let mk = |k: u64| match k % 3 { 0 => Own::A(Dr(&c, 1)), 1 => Own::B { x: k as u8, d: Dr(&c, 2) }, _ => Own::C }; let mut o = mk(a); let r = take_own(mk(b)); if b % 5 == 0 { o = mk(b / 5); } let s = if let Own::B { ref d, .. } = o { d.1 } else { 9 }; c.set(c.get() ^ r << 3 ^ s); drop(o); c.get() }
    own_res(a, b) { let c = core::cell::Cell::new(b); let f = |k: u64| -> Result<u64, (u8, Dr)> { let x = res_own(&c, k)?; let y = res_own(&c, k / 3)?; c.set(c.get() + 1); Ok(x.1 + y.1) }; let r = match f(a) { Ok(v) => v, Err((k, d)) => k as u64 * d.1 }; r ^ c.get() }
    own_opt_arr(a, b) { let c = core::cell::Cell::new(b); let mut x: [Option<Dr>; 3] = [const { None }; 3]; for i in 0..(a % 5) as usize { x[i % 3] = Some(Dr(&c, i as u64)); } if let Some(d) = x[1].take() { c.set(c.get() ^ d.1); } x.swap(0, 2); let n = x.iter().flatten().count() as u64; drop(x); c.get() ^ n }
    own_tuple_move(a, b) { let c = core::cell::Cell::new(b); let t = (Dr(&c, 1), (Dr(&c, 2), 5u8), Dr(&c, 3)); let k; if a % 2 == 0 { k = t.1 .0; } else { k = t.2; } c.set(c.get() ^ k.1); c.get() }
    own_shadow(a, b) { let c = core::cell::Cell::new(b); let x = Dr(&c, 1); let x = Dr(&c, x.1 + 1); { let x = Dr(&c, 9 + a % 2); if x.1 == 10 { return c.get(); } } let y = match a % 3 { 0 => x, 1 => { drop(x); Dr(&c, 20) } _ => Dr(&c, 30) }; c.set(c.get() ^ y.1); c.get() }
    own_while(a, b) { let c = core::cell::Cell::new(b); let mut cur = Some(Dr(&c, a % 6)); while let Some(d) = cur.take() { if d.1 > 0 { cur = Some(Dr(&c, d.1 - 1)); } } c.get() }
    own_temp(a, b) { let c = core::cell::Cell::new(b); let f = |k| Dr(&c, k); let n = f(a % 9).1 + f(2).1 * c.get() % 7; if f(3).1 == 3 && f(a % 2).1 == 1 { c.set(c.get() ^ 1); } match f(4).1 { 4 => c.set(c.get() + 2), _ => {} } n ^ c.get() }
    own_closure(a, b) { let c = core::cell::Cell::new(b); let d = Dr(&c, 5); let e = Dr(&c, 6); let mut f = move |k: u64| { d.1 ^ k }; let r = f(a) ^ f(b); if a % 2 == 0 { drop(f); } c.set(c.get() ^ e.1); r ^ c.get() }
    zst(a, b) { #[derive(Clone, Copy, PartialEq, Default)] struct Z; let z = [Z; 5]; let n = z.iter().filter(|x| **x == Z).count() as u64; let o: Option<Z> = if a % 2 == 0 { Some(Z) } else { None }; let r: Result<(), Z> = if b % 2 == 0 { Ok(()) } else { Err(Z) }; n ^ o.is_some() as u64 ^ (r.is_err() as u64) << 4 ^ (size_of_val(&z) as u64) << 8 ^ z.len() as u64 ^ (z.iter().enumerate().last().unwrap().0 as u64) << 20 }
    zst_sort(a, b) { let x = [(); 3]; let mut it = x.iter(); it.next(); it.len() as u64 ^ a ^ b }
    infallible(a, b) { let x: Result<u64, core::convert::Infallible> = Ok(a); let y: u64 = u64::try_from(b).unwrap(); x.unwrap() ^ y }
    single_var(a, b) { #[derive(Clone, Copy)] enum One { V(u64, u8) } let One::V(x, y) = One::V(a, b as u8); x ^ y as u64 ^ size_of::<One>() as u64 }
    niche_many(a, b) { #[derive(Clone, Copy)] enum N { A(bool), B, C, D } #[derive(Clone, Copy)] enum M { X(N), Y, Z(u8) } let m = |k: u64| match k % 7 { 0 => M::X(N::A(true)), 1 => M::X(N::A(false)), 2 => M::X(N::B), 3 => M::X(N::C), 4 => M::X(N::D), 5 => M::Y, _ => M::Z(k as u8) }; let v = |x: M| match x { M::X(N::A(t)) => t as u64, M::X(N::B) => 3, M::X(N::C) => 4, M::X(N::D) => 5, M::Y => 6, M::Z(k) => k as u64 * 9 }; v(m(a)) * 1000 + v(m(b)) + (size_of::<Option<M>>() as u64) * 100000 }
    niche_ref(a, b) { enum R<'a> { P(&'a u64, u8), Q(u8), S } let f = |k: u64| match k % 3 { 0 => R::P(&a, 3), 1 => R::Q(k as u8), _ => R::S }; let v = |r: &R| match r { R::P(p, k) => **p ^ *k as u64, R::Q(q) => *q as u64, R::S => 1 }; v(&f(a)) ^ v(&f(b)).rotate_left(9) }
    niche_char(a, b) { #[derive(Clone, Copy, PartialEq)] enum C { Ch(char), Eof, Nl, Tab } let f = |k: u64| match char::from_u32(k as u32 % 0x120000) { Some('\n') => C::Nl, Some('\t') => C::Tab, Some(c) => C::Ch(c), None => C::Eof }; let v = |c: C| match c { C::Ch('a') => 1, C::Ch(c) => c as u64, C::Eof => 0x200000, C::Nl => 0x200001, C::Tab => 0x200002 }; v(f(a)) ^ v(f(b)) << 24 ^ (f(a) == f(b)) as u64 }
    niche_slice(a, b) { let x = arr8(a, b); let s: Option<&[u64]> = x.get((a % 9) as usize..(b % 10) as usize); match s { Some([]) => 1, Some([p, ..]) => *p, None => 2 } }
    niche_fn(a, b) { let f: Option<fn(u64) -> u64> = if a % 2 == 0 { Some(dbl) } else { None }; f.map_or(3, |g| g(b)) ^ size_of_val(&f) as u64 }
    big_discr(a, b) { #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)] #[repr(i64)] enum B { L = i64::MIN, M = -1, Z = 0, H = i64::MAX } let f = |k: u64| match k % 4 { 0 => B::L, 1 => B::M, 2 => B::Z, _ => B::H }; f(a) as i64 as u64 ^ (f(a) < f(b)) as u64 ^ (f(b) as i64 >> 3) as u64 ^ match f(b) { B::L => 4, B::M => 8, B::Z => 16, B::H => 32 } }
    discr_u128ish(a, b) { #[derive(Clone, Copy)] enum D { A = 0x1_0000_0000, B = 5 } let d = if a % 2 == 0 { D::A } else { D::B }; d as u64 ^ (d as u8 as u64) << 4 ^ (discriminant(&d) == discriminant(&D::A)) as u64 }
    explicit_mixed(a, b) { #[repr(u8)] #[derive(Clone, Copy)] enum E { A(u32) = 3, B { x: u64 } = 250, C } let f = |k: u64| match k % 3 { 0 => E::A(k as u32), 1 => E::B { x: k }, _ => E::C }; let d = |e: &E| unsafe { *(e as *const E as *const u8) } as u64; d(&f(a)) ^ d(&f(b)) << 8 ^ match f(a) { E::A(x) => x as u64, E::B { x } => x, E::C => 4 } << 16 }
    repr_c_enum(a, b) { #[repr(C)] #[derive(Clone, Copy)] enum E { A(u8), B(u64) } let e = if a % 2 == 0 { E::A(b as u8) } else { E::B(b) }; size_of::<E>() as u64 ^ match e { E::A(x) => x as u64, E::B(x) => x } }
    bool_arr(a, b) { let mut x = [false; 9]; for i in 0..9 { x[i] = a >> i & 1 == 1; } x[(b % 9) as usize] ^= true; x[1] |= x[2]; x[3] &= !x[4]; x.iter().fold(0, |s, v| s << 1 | *v as u64) ^ (x[5] < x[6]) as u64 ^ (x[7].then(|| a).unwrap_or(3)) ^ x[8].then_some(7u64).unwrap_or_default() }
    char_loop(a, b) { let mut s = 0u64; for c in 'x'..='\u{82}' { s = s.wrapping_mul(31) ^ c as u64; } for c in ('\u{d7fe}'..'\u{e002}').rev() { s = s.wrapping_mul(17) ^ c as u64; } s ^ a ^ b }
    u8_loop(a, b) { let mut n = 0u64; let mut i = a as u8; loop { n = n.wrapping_mul(3) + i as u64; let (j, o) = i.overflowing_add(b as u8 | 1); if o { break n; } i = j; } }
    rng_max(a, b) { let mut n = 0u64; for i in u64::MAX - a % 4..=u64::MAX { n = n.rotate_left(3) ^ i; } for i in (i128::MAX - (b % 3) as i128)..=i128::MAX { n = n.rotate_left(7) ^ i as u64; } for i in i64::MIN..i64::MIN + 3 { n ^= i as u64; n = n.rotate_left(1); } n }
    rng_incl_state(a, b) { let mut r = a % 5..=b % 7; let x = r.next(); let y = r.next_back(); let e = r.is_empty(); let n = r.count() as u64; x.unwrap_or(50) ^ y.unwrap_or(60) << 8 ^ (e as u64) << 16 ^ n << 20 }
    rng_step_big(a, b) { let mut s = 0u64; for i in (0u8..=255).step_by(1 + (a % 200) as usize) { s = s.rotate_left(5) ^ i as u64; } for i in (i32::MIN..i32::MAX).step_by(1 << 30) { s = s.rotate_left(5) ^ i as u32 as u64; } s ^ b }
    float_loop(a, b) { let mut x = (a % 1000) as f64; let mut n = 0u64; while x > 0.5 && n < 100 { x *= 0.75; x -= 0.125; n += 1; } fx(x) ^ n << 50 ^ b }
    float_cmp_chain(a, b) { let (x, y) = (f64::from_bits(a), f64::from_bits(b)); if x < y { 1 } else if x > y { 2 } else if x == y { 3 } else if x.is_nan() && y.is_nan() { 4 } else if !(x >= y) { 5 } else { 6 } }
    float_lt_not_ge(a, b) { let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32)); (x < y) as u64 | (!(x >= y) as u64) << 1 | ((x > y) as u64) << 2 | (!(x <= y) as u64) << 3 | ((x != y) as u64) << 4 | (!(x == y) as u64) << 5 | ((x <= y || x > y) as u64) << 6 }
    float_sel(a, b) { let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32)); let m = if x < y { x } else { y }; let n = if x >= y { x } else { y }; let k = if x != x { 0.0 } else { x }; fy(m) ^ fy(n) << 20 ^ fy(k).rotate_left(40) }
    float_parts(a, b) { let x = f64::from_bits(a); let e = (x.to_bits() >> 52 & 0x7ff) as i32 - 1023; let m = x.to_bits() & ((1 << 52) - 1); (e as u32 as u64) ^ m ^ fx(f64::from_bits(m | 1023 << 52)) ^ b }
    float_bits_f32(a, b) { let i = 0x5f3759df - (a as u32 >> 1); let y = f32::from_bits(i); fy(y * (1.5 - 0.5 * f32::from_bits(b as u32) * y * y)) }
    float_u8(a, b) { let x = f32::from_bits(a as u32); let c = (x * 255.0 + 0.5) as u8; let d = (f64::from_bits(b) as i8) as u8; c as u64 | (d as u64) << 8 | ((x as u16) as u64) << 16 | ((x as i16 as u16) as u64) << 32 }
    float_neg_zero(a, b) { let z = if a % 2 == 0 { 0.0f64 } else { -0.0 }; let w = -z; let v = 0.0 - z; let u = z * -1.0; w.to_bits() ^ v.to_bits() >> 1 ^ u.to_bits() >> 2 ^ (z + 0.0).to_bits() >> 3 ^ ((z == w) as u64) ^ (1.0 / z).to_bits().rotate_left(9) ^ b }
    float_denorm(a, b) { let x = f32::from_bits(a as u32 & 0x807fffff); let y = f32::from_bits(b as u32 & 0x80ffffff); fy(x + y) ^ fy(x * 2.0) << 16 ^ fy(x / 3.0) << 32 ^ fy(y - x).rotate_left(48) ^ fx(x as f64) ^ (x < y) as u64 }
    i_div_edge(a, b) { let x = a as i8; let y = b as i8; x.checked_div(y).map_or(1000, |v| v as u8 as u64) ^ x.checked_rem(y).map_or(2000, |v| v as u8 as u64) << 8 ^ x.overflowing_div(if y == 0 { 1 } else { y }).1 as u64 ^ (x.checked_div_euclid(y).map_or(7, |v| v as u8) as u64) << 24 ^ (x.checked_rem_euclid(y).map_or(7, |v| v as u8) as u64) << 32 }
    i_abs_trap(a, b) { (a as i16).abs() as u64 ^ (b as i64 >> 60).pow(3) as u64 }
    neg_trap(a, b) { (-(a as i64)) as u64 ^ (!(b as i64)) as u64 }
    mul_trap(a, b) { (a as i32 * b as i32) as u32 as u64 ^ (a as i64 * (b as i8 as i64)) as u64 }
    sub_trap(a, b) { let i = (a % 8) as usize; let j = (b % 8) as usize; let v = arr8(a, b); v[i - j] }
    shl_ov(a, b) { let k = (a % 70) as u32; (1u64 << k) ^ b }
    assert_eq_t(a, b) { assert_eq!(a % 4, b % 4, "no"); assert_ne!(a, 7); debug_assert!(a != b, "dbg"); a }
    opt_expect(a, b) { let v = arr8(a, b); let x = v.iter().find(|x| **x % 7 == b % 7).expect("found"); *x }
    res_expect(a, b) { let r: Result<u8, u8> = if a % 3 == 0 { Err(b as u8) } else { Ok(a as u8) }; (r.unwrap_or_else(|e| e ^ 255) as u64) << 8 ^ r.unwrap() as u64 }
    slice_bad(a, b) { let v = arr8(a, b); let s = &v[(b % 4) as usize..]; let (x, y) = s.split_at((a % 9) as usize); h(x) ^ h(y) }
    chunk_zero(a, b) { let v = arr8(a, b); v.chunks((a % 3) as usize).map(|c| c[0]).fold(0, |s, x| s ^ x) }
    copy_bad(a, b) { let mut v = arr8(a, b); let w = [1u64, 2, 3]; v[..(a % 5) as usize].copy_from_slice(&w[..(b % 4) as usize]); h(&v) }
    str_slice(a, b) { let s = "h\u{e9}llo w\u{f6}rld"; let i = (a % 14) as usize; s.get(i..).map_or(99, |t| t.len() as u64) ^ (s.is_char_boundary((b % 14) as usize) as u64) << 8 }
    str_cmp(a, b) { let t = ["a", "ab", "b", ""]; let (x, y) = (t[(a % 4) as usize], t[(b % 4) as usize]); x.cmp(y) as i8 as u8 as u64 ^ ((x == y) as u64) << 8 ^ ((x < y) as u64) << 9 }
    swap_refs(a, b) { let (mut x, mut y) = ([a, 1], [b, 2]); let (mut p, mut q) = (&mut x, &mut y); if a > b { swap(&mut p, &mut q); } p[0] ^= 7; q[1] += 1; let r = &mut *p; r[1] = q[0]; x[0] ^ x[1].rotate_left(3) ^ y[0].rotate_left(5) ^ y[1].rotate_left(9) }
    ref_in_struct(a, b) { struct W<'a> { buf: &'a mut [u8], n: usize } impl<'a> W<'a> { fn put(&mut self, c: u8) -> &mut Self { if let Some(p) = self.buf.get_mut(self.n) { *p = c; self.n += 1; } self } fn rest(self) -> &'a mut [u8] { &mut self.buf[self.n..] } } let mut m = [0u8; 6]; { let mut w = W { buf: &mut m, n: 0 }; w.put(a as u8).put(b as u8).put(3); for _ in 0..(b % 6) { w.put(9); } for r in w.rest() { *r = 77; } } hb(&m) }
    ref_ref(a, b) { let x = a; let p = &x; let q = &p; let r = &&**q; **r ^ **q ^ b }
    ref_opt_map(a, b) { let mut t = [Some(a), None, Some(b)]; for o in t.iter_mut() { if let Some(v) = o { *v ^= 5; } else { *o = Some(1); } } let s = t.iter().map(|o| o.as_ref().map_or(0, |v| *v)).fold(0, |s, v| s ^ v); s ^ t[1].unwrap() }
    slice_get_mut(a, b) { let mut v = arr8(a, b); if let Some(s) = v.get_mut(2..(a % 9) as usize) { s.fill(b); s.reverse(); } if let [x, .., y] = &mut v[..] { swap(x, y); } if let Some(x) = v.last_mut() { *x ^= 1; } if let Some((f, r)) = v.split_first_mut() { *f ^= r[0]; r[1] = *f; } h(&v) }
    u8_swap_arr(a, b) { let mut v = [[1u8, 2], [3, a as u8]]; let (p, q) = v.split_at_mut(1); swap(&mut p[0], &mut q[0]); v[0][1] = v[1][(b % 2) as usize]; hb(v.as_flattened()) }
    type_info(a, b) { struct T(u8, u64); size_of::<T>() as u64 ^ (align_of::<T>() as u64) << 8 ^ (needs_drop::<Dr>() as u64) << 16 ^ (offset_of!(T, 1) as u64) << 20 ^ (size_of::<[T; 3]>() as u64) << 28 ^ a ^ b ^ (core::any::type_name::<u8>().len() as u64) << 40 }
    max_by_partial(a, b) { let v = [f32::from_bits(a as u32), 1.5, f32::from_bits(b as u32)]; let mut m = v[0]; for x in &v[1..] { if x.partial_cmp(&m) == Some(Ordering::Greater) { m = *x; } } fy(m) }
    tuple_cmp(a, b) { let (p, q) = ((a as u8, b as i8, 'c'), (b as u8, a as i8, 'd')); (p < q) as u64 | ((p == q) as u64) << 1 | (p.cmp(&q) as i8 as u8 as u64) << 8 | ((p.max(q).0) as u64) << 16 }
    ord_chain(a, b) { let c = (a as u8).cmp(&(b as u8)).then_with(|| (a >> 8).cmp(&(b >> 8))).reverse(); c.is_lt() as u64 ^ (c.is_ge() as u64) << 1 ^ (a.max(b) ^ a.min(b)) ^ a.clamp(5, 500) }
    ctl_flow(a, b) { let r = (|| { let x = if a > 5 { ControlFlow::Continue(a) } else { ControlFlow::Break(7u8) }?; if x > b { return ControlFlow::Break(9); } ControlFlow::Continue(x as u16) })(); match r { ControlFlow::Break(k) => k as u64, ControlFlow::Continue(v) => v as u64 | 1 << 20 } }
    nested_mod(a, b) { mod m { pub mod n { pub fn f(x: u64) -> u64 { super::g(x) + 1 } pub static S: [u8; 3] = [4, 5, 6]; } fn g(x: u64) -> u64 { x / 3 } pub const K: u64 = n::S.len() as u64; } m::n::f(a) ^ m::K ^ m::n::S[(b % 3) as usize] as u64 }
    shadow_loop(a, b) { let x = a; let x = { let x = x ^ b; let mut x = [x; 3]; x[1] = 5; x.iter().fold(0, |x, y| x ^ y.rotate_left(3)) }; for x in [x, 3] { if x == 3 { return x ^ a; } } x }
    early_in_closure(a, b) { let f = |x: u64| { if x % 2 == 0 { return x / 2; } for i in 0..x % 10 { if i == 5 { return 99; } } x }; f(a) ^ f(b).rotate_left(9) }
    arr_of_closures(a, b) { let fs: [fn(u64, u64) -> u64; 4] = [|x, y| x ^ y, |x, y| x & y, u64::wrapping_add, |x, _| !x]; fs.iter().enumerate().fold(a, |s, (i, f)| f(s.rotate_left(i as u32), b)) }
    iter_own_zip(a, b) { struct Cnt(u8); impl Iterator for Cnt { type Item = u8; fn next(&mut self) -> Option<u8> { self.0 = self.0.checked_add(50)?; Some(self.0) } fn size_hint(&self) -> (usize, Option<usize>) { (0, Some(6)) } } Cnt(a as u8).zip(bytes16(a, b)).fold(0u64, |s, (x, y)| s.rotate_left(8) ^ x as u64 ^ (y as u64) << 8) }
    iter_double(a, b) { struct Cd { l: u64, r: u64 } impl Iterator for Cd { type Item = u64; fn next(&mut self) -> Option<u64> { if self.l < self.r { self.l += 1; Some(self.l - 1) } else { None } } } impl DoubleEndedIterator for Cd { fn next_back(&mut self) -> Option<u64> { if self.l < self.r { self.r -= 1; Some(self.r) } else { None } } } let mut s = 0u64; for x in (Cd { l: a % 10, r: b % 20 }).rev() { s = s * 7 % 1000003 + x; } let mut c = Cd { l: 0, r: 9 }; while let (Some(x), Some(y)) = (c.next(), c.next_back()) { s = s.wrapping_mul(3) ^ x << y; } s }
    histogram(a, b) { let mut hst = [0u8; 4]; for x in bytes16(a, b) { hst[(x >> 6) as usize] += 1; } hst.iter().scan(0u8, |s, x| { *s += x; Some(*s) }).fold(0u64, |s, x| s << 8 | x as u64) }
    prefix_mut(a, b) { let mut v = arr8(a, b); for i in 1..v.len() { v[i] = v[i].wrapping_add(v[i - 1]); } for w in (1..8).rev() { v[w] ^= v[w - 1] >> w; } h(&v) }
    bits_iter(a, b) { let mut x = a; let mut s = 0u64; while x != 0 { let i = x.trailing_zeros(); s = s.wrapping_mul(67) + i as u64; x &= x - 1; } s ^ b.reverse_bits().leading_zeros() as u64 }
    morton(a, b) { let sp = |mut x: u64| { x &= 0xffff_ffff; x = (x | x << 16) & 0xffff_0000_ffff; x = (x | x << 8) & 0xff00_ff00_ff00_ff; x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f; x = (x | x << 2) & 0x3333_3333_3333_3333; (x | x << 1) & 0x5555_5555_5555_5555 }; sp(a) | sp(b) << 1 }
    sha_like(a, b) { let mut w = [0u32; 32]; for (i, x) in w.iter_mut().enumerate().take(16) { *x = (a as u32).rotate_left(i as u32) ^ (b >> i) as u32; } for i in 16..32 { let s0 = w[i - 15].rotate_right(7) ^ w[i - 15] >> 3; let s1 = w[i - 2].rotate_right(17) ^ w[i - 2] >> 10; w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1); } let [mut p, mut q, mut r] = [1u32, 2, 3]; for x in w { let t = p.wrapping_add(q & r ^ !q & x); (p, q, r) = (q.rotate_left(5), t, p); } (p as u64) << 32 ^ (q as u64) << 7 ^ r as u64 }
    xor_shift_rng(a, b) { struct R([u32; 4]); impl R { fn next(&mut self) -> u32 { let t = self.0[1] << 9; let r = self.0[0].wrapping_mul(5).rotate_left(7).wrapping_mul(9); self.0[2] ^= self.0[0]; self.0[3] ^= self.0[1]; self.0[1] ^= self.0[2]; self.0[0] ^= self.0[3]; self.0[2] ^= t; self.0[3] = self.0[3].rotate_left(11); r } fn unit(&mut self) -> f32 { (self.next() >> 8) as f32 * (1.0 / 16777216.0) } fn below(&mut self, n: u32) -> u32 { ((self.next() as u64 * n as u64) >> 32) as u32 } } let mut r = R([a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]); let x = r.next(); let y = r.unit(); let z = r.below(b as u32); x as u64 ^ fy(y) << 20 ^ (z as u64) << 32 }
}
