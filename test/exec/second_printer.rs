// Closures that keep parts of one variable, in a crate with generic functions on which rustc's second
// printer crashes: slices of a generic type, a marker of a generic type, a default method.
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

tests! {
    second_parts(a, b) { let p = (a as u8, b); again(&move |x| x.wrapping_mul(p.1) ^ p.0 as u64, a % 5) }
    second_order(a, b) { let p = (b, a as u16, a ^ b); let k = a >> 3; again(&move |x| (x ^ p.2).wrapping_sub(p.0) ^ k ^ p.1 as u64, b % 4) }
    generic_sum(a, b) { sum(&[a, b, a ^ b], |v| v ^ 1) ^ sum(&[a as u8, b as u8], |v| v as u64) }
    generic_last(a, b) { last(&[a, b], 1) ^ last(&[] as &[u64], a) ^ last(&[b as u16], 2) as u64 }
    generic_marker(a, b) { let m = Meters::<u32>(a, PhantomData); m.scaled(&[a as u32, b as u32], |v| v as u64 ^ b) }
    default_method(a, b) { Pair([a, b]).total() ^ Pair([b, 3]).total() }
}
