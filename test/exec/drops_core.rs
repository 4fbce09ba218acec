// Glue that core keeps private or that only a closure's type completes: guards of RefCell, arrays by value,
// adapters and guards that hold closures.
use core::cell::{Cell, RefCell, Ref, RefMut};
pub struct Lg<'a>(&'a Cell<u64>, u64);
impl Drop for Lg<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(10).wrapping_add(self.1)) } }
pub struct Gu<T, F: Fn(&T)>(T, F);
impl<T, F: Fn(&T)> Drop for Gu<T, F> { fn drop(&mut self) { (self.1)(&self.0) } }
pub struct Fi<F: FnMut(u64)> { f: F, n: u64 }
impl<F: FnMut(u64)> Drop for Fi<F> { fn drop(&mut self) { (self.f)(self.n) } }
pub fn arr<'a>(c: &'a Cell<u64>, a: u64) -> [Lg<'a>; 4] { [Lg(c, 1 + a % 2), Lg(c, 3), Lg(c, 4), Lg(c, 5)] }
tests! {
    into_iter(a, b) { let c = Cell::new(a % 9); for d in arr(&c, a) { c.set(c.get() * 3 + d.1); if d.1 + b % 5 > 6 { break } } c.get() }
    into_iter_back(a, b) { let c = Cell::new(a % 9); { let mut i = arr(&c, b).into_iter(); let x = i.next_back(); if a % 3 == 0 { drop(x); let _y = i.next(); c.set(c.get() * 7) } else if b % 3 == 0 { core::mem::forget(x) } } c.get() }
    into_iter_map(a, b) { let c = Cell::new(1); let k = Lg(&c, 9); let mut s = 0; for v in arr(&c, a).into_iter().map(move |d| { let _k = &k; d.1 * 2 }) { s += v; if s > b % 30 { break } } c.get() ^ s << 40 }
    into_iter_pair(a, b) { let c = Cell::new(1); { let mut i = [(Lg(&c, 1), a), (Lg(&c, 2), b)].into_iter(); if a % 2 == 0 { if let Some((d, n)) = i.next() { c.set(c.get() ^ n % 8); drop(d) } } } c.get() }
    borrow(a, b) { let c = RefCell::new(a); { let mut m = c.borrow_mut(); *m = m.wrapping_add(b); } let r = *c.borrow(); let busy = { let _x = c.borrow(); c.try_borrow_mut().is_err() as u64 }; let f = c.try_borrow_mut().is_ok() as u64; r ^ busy << 63 ^ f }
    borrow_twice(a, b) { let c = RefCell::new((a, b)); let x = c.borrow(); let y = c.borrow(); let n = x.0 ^ y.1; drop(x); let e = c.try_borrow_mut().is_err() as u64; drop(y); c.borrow_mut().0 = n; let z = c.borrow().0; z ^ e }
    borrow_panics(a, b) { let c = RefCell::new(a); let m = c.borrow_mut(); if b % 3 == 0 { let r = *c.borrow(); return r } let r = *m ^ 1; r }
    borrow_mut_panics(a, b) { let c = RefCell::new(a); let m = c.borrow(); if b % 3 == 0 { *c.borrow_mut() = 1 } let r = *m ^ 1; r }
    borrow_map(a, b) { let c = RefCell::new((a, [b, a, 3])); { let mut m = RefMut::map(c.borrow_mut(), |p| &mut p.1[(a % 3) as usize]); *m = m.wrapping_mul(5); } let r = Ref::map(c.borrow(), |p| &p.1); let s = Ref::clone(&r); drop(r); let n = s[0] ^ s[1].rotate_left(7) ^ s[2]; let e = c.try_borrow_mut().is_err() as u64; drop(s); let f = c.try_borrow_mut().is_ok() as u64; n ^ e ^ f << 3 }
    borrow_opt(a, b) { let c = RefCell::new(a); let mut o = Some(c.borrow_mut()); if a % 2 == 0 { o = None } let e = c.try_borrow().is_err() as u64; if b % 2 == 0 { o.take(); } let f = c.try_borrow().is_err() as u64; drop(o); let r = *c.borrow(); e ^ f << 1 ^ r }
    guard(a, b) { let c = Cell::new(0u64); { let _g = Gu(a, |v| c.set(c.get() * 3 + *v % 16)); let mut h = Some(Gu((1u8, b as u16), |v| c.set(c.get() * 5 ^ v.1 as u64))); if b % 3 == 0 { h.take(); } if a % 3 == 1 { core::mem::forget(h) } } c.get() }
    guard_many(a, b) { let c = Cell::new(1u64); { let f = |v: &u64| c.set(c.get().wrapping_mul(10).wrapping_add(*v)); let mut g = [Some(Gu(a % 7, &f)), None, Some(Gu(b % 7, &f))]; if a % 2 == 0 { g.swap(0, 1); g[1].take(); c.set(c.get() * 3) } let _r: Result<Gu<u64, _>, u8> = if b % 2 == 0 { Ok(Gu(8, &f)) } else { Err(3) }; } c.get() }
    guard_mut(a, b) { let mut n = a; let mut m = 0; { let _f = Some(Fi { f: |v| { n = n.wrapping_mul(3) ^ v; m += 1 }, n: b }); } n ^ m << 50 }
    guard_owns(a, b) { let c = Cell::new(2); { let l = Lg(&c, 7); let k = Lg(&c, 8); let g = Some((Gu(a, move |v: &u64| l.0.set(l.0.get() * 2 + *v % 4)), move || k.1)); if b % 2 == 0 { if let Some((x, y)) = g { c.set(c.get() * 3 + y()); drop(x); c.set(c.get() + 1) } } } c.get() }
    adapters(a, b) { let c = Cell::new(1); { let k = Lg(&c, 2); let l = Lg(&c, 3); let mut i = (a % 9..b % 20).filter(move |v| v % 3 != k.1).map(move |v| v + l.1).peekable(); if let Some(v) = i.peek() { c.set(c.get() * 7 + *v) } if a % 2 == 0 { i.next(); } c.set(c.get() * 3 + i.next().unwrap_or(1)); } c.get() }
}
