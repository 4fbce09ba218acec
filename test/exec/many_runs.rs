// A unit that needs more runs of rustc than others: types twice (a function that nobody calls has a wrong constant), bodies
// three times (captures, literals), private types and constants in modules, chains too deep for the inliner, guards of core.
use core::cell::{Cell, RefCell};
fn four<T>() -> u64 { const { assert!(core::mem::size_of::<T>() == 4, "only when it is used") }; 1 }
#[inline] fn nobody_calls() -> u64 { four::<u8>() }
fn again<F: Fn(u64) -> u64>(f: &F, n: u64) -> u64 { if n == 0 { f(3) } else { again(f, n - 1).wrapping_mul(3) ^ f(n) } }
mod one { use core::cell::Cell;
    pub const NAME: &str = "of one"; const FIRST: [u32; 4] = [3, 1, 4, 1];
    mod two { pub trait Op { const K: u64; const T: [u8; 3]; fn op(&self) -> u64; } impl Op for u8 { const K: u64 = 5; const T: [u8; 3] = [1, 2, 3]; fn op(&self) -> u64 { *self as u64 + 1 } } impl Op for u16 { const K: u64 = 9; const T: [u8; 3] = [7, 7, 1]; fn op(&self) -> u64 { *self as u64 ^ 3 } }
        pub(super) struct Held<'a, T: Op>(pub T, pub &'a core::cell::Cell<u64>); impl<T: Op> Drop for Held<'_, T> { fn drop(&mut self) { self.1.set(self.1.get().wrapping_mul(T::K) ^ self.0.op()) } } }
    fn down<T: two::Op + Copy>(v: T, n: u64) -> u64 { if n == 0 { T::K ^ T::T[(v.op() % 3) as usize] as u64 } else { down(v, n - 1).wrapping_mul(T::K) ^ v.op() } }
    pub fn run(a: u64, b: u64) -> u64 { down(a as u8, b % 4) ^ down(b as u16, a % 4) ^ FIRST[(a % 4) as usize] as u64 }
    pub fn drops(c: &Cell<u64>, a: u64) -> u64 { let h = Some([two::Held(a as u8, c), two::Held(3, c)]); let g = two::Held(a as u16, c); if a % 3 == 0 { drop(h); c.set(c.get() ^ 1); } (g.0 as u64) << 3 }
}
tests! {
    literals(a, b) { const S: &str = "abcdefg"; one::NAME.len() as u64 ^ S.as_bytes()[(a % 7) as usize] as u64 ^ b }
    captures(a, b) { let p = (a as u8, b, [a; 2]); again(&move |x| x.wrapping_mul(p.1) ^ p.0 as u64 ^ p.2[1], a % 5) }
    modules(a, b) { one::run(a, b) }
    module_drops(a, b) { let c = Cell::new(a); let r = one::drops(&c, b); r ^ c.get() }
    guards(a, b) { let c = RefCell::new((a, [b; 3])); let r = { let mut m = core::cell::RefMut::map(c.borrow_mut(), |p| &mut p.1[(a % 3) as usize]); *m = m.wrapping_mul(5); *m }; let x = r ^ c.borrow().1[0]; x }
    deep(a, b) { let p = (a % 40, b, 2u64); (0..p.0).map(|x| x ^ p.1).filter(|x| x % 3 != p.2).chain(0..p.2).map(|x| x ^ p.0 ^ p.1).fold(p.2, |s, v| s.wrapping_mul(31) ^ v ^ p.0) }
}
