// Types declared inside of bodies, where nothing can name them: dropped in inlined, generic and nested functions.
use core::cell::{Cell, RefCell};
#[inline] fn in_inline(c: &Cell<u64>, n: u64) -> u64 {
    struct G<'a>(&'a Cell<u64>, u64);
    impl Drop for G<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(10).wrapping_add(self.1)) } }
    let g = G(c, n % 7); let o = Some(G(c, 3));
    if n % 3 == 0 { core::mem::forget(o); } else if n % 3 == 1 { drop(o); c.set(c.get() ^ 5); }
    g.1
}
fn in_generic<T: Copy + Into<u64>>(c: &Cell<u64>, v: T) {
    struct G<'a, U: Into<u64> + Copy>(&'a Cell<u64>, U);
    impl<U: Into<u64> + Copy> Drop for G<'_, U> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(3) ^ self.1.into()) } }
    let _g = [G(c, v), G(c, v)]; let _t = (G(c, v), 1u8); c.set(c.get().rotate_left(3));
}
fn recurse<F: Fn(u64) -> u64>(c: &Cell<u64>, f: &F, n: u64) -> u64 {
    struct D<'a, F: Fn(u64) -> u64>(&'a Cell<u64>, &'a F, u64);
    impl<F: Fn(u64) -> u64> Drop for D<'_, F> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(7) ^ (self.1)(self.2)) } }
    let d = D(c, f, n);
    if n == 0 { return f(d.2) }
    let r = recurse(c, f, n - 1); if n % 2 == 0 { core::mem::forget(d) } r
}
trait Tr { fn go(&self, c: &Cell<u64>) -> u64 { struct M<'a>(&'a Cell<u64>, u8); impl Drop for M<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_add(self.1 as u64)) } } let m = M(c, 9); let r = self.n(); c.set(c.get() * 2); r ^ m.1 as u64 } fn n(&self) -> u64; }
impl Tr for u64 { fn n(&self) -> u64 { *self ^ 1 } }
impl Tr for (u8, u16) { fn n(&self) -> u64 { self.0 as u64 ^ self.1 as u64 } }
macro_rules! scoped { ($c:expr, $v:expr) => {{ struct S<'a>(&'a Cell<u64>, u64); impl Drop for S<'_> { fn drop(&mut self) { self.0.set(self.0.get() ^ self.1) } } S($c, $v) }} }
trait Action { fn act(&self, v: u64) -> u64; }
impl<F: Fn(u64) -> u64> Action for F { fn act(&self, v: u64) -> u64 { self(v) } }
impl Action for Box3 { fn act(&self, v: u64) -> u64 { v.wrapping_add(self.0) } } struct Box3(u64);
struct Act<'a, A: Action> { a: A, c: &'a Cell<u64> }
impl<A: Action> Drop for Act<'_, A> { fn drop(&mut self) { self.c.set(self.a.act(self.c.get().rotate_left(5))) } }
fn four<T>() -> u64 { const { assert!(core::mem::size_of::<T>() == 4, "only when it is used") }; 1 }
#[inline] fn nobody_calls() -> u64 { four::<u8>() }
enum Never {}
#[inline] fn nested(c: &Cell<u64>, n: u64) {
    #[inline] fn inner(c: &Cell<u64>, n: u64) { struct G<'a>(&'a Cell<u64>, u64); impl Drop for G<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(5).wrapping_add(self.1)) } } enum E<'a> { A(G<'a>), B(u8), C { x: G<'a>, y: G<'a> } }
        let e = match n % 3 { 0 => E::A(G(c, 1)), 1 => E::B(4), _ => E::C { x: G(c, 2), y: G(c, 3) } }; if let E::B(v) = &e { c.set(c.get() + *v as u64) } if let E::C { x, .. } = e { c.set(c.get() ^ 77); drop(x) } }
    inner(c, n); let f = |m: u64| { struct H<'a>(&'a Cell<u64>); impl Drop for H<'_> { fn drop(&mut self) { self.0.set(!self.0.get()) } } let _h = H(c); inner(c, m) }; f(n + 1); f(n / 2)
}
struct Late<'a>(&'a Cell<u64>, u64);
impl Drop for Late<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(31) ^ self.1) } }
tests! {
    hidden_never_set(a, b) { let c = Cell::new(b); { let g; let h = (Late(&c, a), 5u8); if match a % 3 { 0 => { if b % 2 == 0 { return c.get(); } b % 5 != 1 } 1 => a > b, _ => false } { g = h.0; } let mut w = 0u8; while w < 4 && { if false { return a ^ b; } true } { w += 1; c.set(c.get() ^ w as u64); } } c.get() }
    hidden_inline(a, b) { let c = Cell::new(a % 100); let r = in_inline(&c, b); r ^ c.get() << 3 }
    hidden_generic(a, b) { let c = Cell::new(b); in_generic(&c, a as u8); in_generic(&c, b as u32); in_generic(&c, a); c.get() }
    hidden_recursive(a, b) { let c = Cell::new(b); let p = (a as u8, b); let r = recurse(&c, &move |x| x.wrapping_mul(p.1) ^ p.0 as u64, a % 5); r ^ c.get() }
    hidden_default(a, b) { let c = Cell::new(a as u8 as u64); let r = b.go(&c); let s = (a as u8, b as u16).go(&c); r ^ s << 16 ^ c.get() << 40 }
    hidden_macro(a, b) { let c = Cell::new(a); { let _x = scoped!(&c, b); let y = Some(scoped!(&c, 5)); if b % 2 == 0 { drop(y) } c.set(c.get().wrapping_mul(3)); } c.get() }
    hidden_nested(a, b) { let c = Cell::new(a as u16 as u64); nested(&c, b % 50); c.get() }
    hidden_here(a, b) { struct W<'a, T>(T, &'a Cell<u64>); impl<T> Drop for W<'_, T> { fn drop(&mut self) { self.1.set(self.1.get().wrapping_mul(31).wrapping_add(core::mem::size_of::<T>() as u64)) } } let c = Cell::new(a); { let r = RefCell::new(Some(W((W(1u8, &c), W(2u32, &c)), &c))); if b % 2 == 0 { r.borrow_mut().take(); } let _z: [W<u16>; 0] = []; let _n: Option<(W<u8>, Never)> = None; c.set(c.get() ^ 1); } c.get() }
    hidden_captured(a, b) { struct L<'a>(&'a Cell<u64>, u64); impl Drop for L<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(10).wrapping_add(self.1)) } } let c = Cell::new(a); { let l = L(&c, 2); let mut i = [L(&c, 3), L(&c, 4)].into_iter().map(move |d| d.1 ^ l.1).peekable(); if b % 2 == 0 { i.next(); } if b % 3 == 0 { i.peek(); } c.set(c.get() ^ 9); } c.get() }
    hidden_sorted(a, b) { trait Key { fn k(&self) -> u64; } struct K<'a>(&'a Cell<u64>, u64); impl Key for K<'_> { fn k(&self) -> u64 { self.1 } } impl Drop for K<'_> { fn drop(&mut self) { self.0.set(self.0.get() ^ self.1) } } struct Top<T: Key>(Option<T>); impl<T: Key> Top<T> { fn put(&mut self, t: T) { let more = match &self.0 { Some(o) => o.k() < t.k(), None => true }; if more { self.0 = Some(t) } } } let c = Cell::new(1); { let mut t = Top(None); t.put(K(&c, a)); t.put(K(&c, b)); t.put(K(&c, 1000)); c.set(c.get().wrapping_mul(3)); } c.get() }
    hidden_twice(a, b) { macro_rules! two { ($c:expr, $t:ty, $v:expr) => {{ struct S<'a>($t, &'a Cell<u64>); impl Drop for S<'_> { fn drop(&mut self) { self.1.set(self.1.get().rotate_left(7) ^ self.0 as u64) } } S($v as $t, $c) }} } let c = Cell::new(b); { let _x = two!(&c, u8, a); let y = Some(two!(&c, u128, b));  if b % 2 == 0 { drop(y) } c.set(c.get() ^ 1); } c.get() }
    hidden_bound(a, b) { let c = Cell::new(b); { let k = a % 10; let g = Act { a: move |v: u64| v ^ k, c: &c }; let h = Some((Act { a: Box3(3), c: &c }, a)); if b % 2 == 0 { core::mem::forget(g) } c.set(c.get().wrapping_mul(3)); if a % 3 == 0 { drop(h); c.set(!c.get()) } } c.get() }
    hidden_long(a, b) { let c = Cell::new(b); { let (p, q, r, s, t) = (a ^ 1, a as u8, b as u16, (a, b), [a, b, 3]); let g = Some((Act { a: move |v: u64| v ^ p ^ q as u64 ^ r as u64 ^ s.0 ^ s.1 ^ t[2], c: &c }, (1u8, Some(Act { a: move |v: u64| v ^ p ^ q as u64 ^ r as u64 ^ s.0 ^ s.1 ^ t[1], c: &c })))); if a % 2 == 0 { drop(g); c.set(c.get() ^ 1) } } c.get() }
}
