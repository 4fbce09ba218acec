// Constants that the bodies name, and whose values stand elsewhere.
trait Op { const K: u32; const T: [u32; 2]; const F: f32; }
struct A;
struct B;
impl Op for A { const K: u32 = 3; const T: [u32; 2] = [1, 2]; const F: f32 = 1.5; }
impl Op for B { const K: u32 = 40; const T: [u32; 2] = [30, 4]; const F: f32 = -2.0; }
struct N<const V: u32>;
impl<const V: u32> Op for N<V> { const K: u32 = V * 2; const T: [u32; 2] = [V, V + 1]; const F: f32 = 0.5; }
fn two<T: Op, const W: usize>(n: u32) -> u32 { if n == 0 { T::K + W as u32 } else { 1 + two::<T, W>(n - 1) } }
fn shifted<T: Op>(n: u32) -> u32 { if n == 0 { (7u32 << (T::K & 3)) ^ (T::K % 5) } else { shifted::<T>(n - 1) ^ T::K } }
fn like_it<T: Op>(n: u32) -> f32 {
  if n == 0 { T::F + T::T[n as usize % 2] as f32 } else if n == 1 { <T as Op>::T.iter().sum::<u32>() as f32 } else { 1. + like_it::<T>(n - 1) }
}
fn table<T: Op>(i: u32) -> u32 { let t: &'static [u32; 2] = &T::T; t.iter().fold(i, |s, v| s.wrapping_mul(31).wrapping_add(*v)) }
fn outer<T: Op>(n: u32) -> u32 { if n == 0 { table::<A>(1) ^ table::<T>(2) } else { outer::<T>(n - 1).wrapping_add(table::<N<9>>(n)) } }
fn with_fn<T: Op>(n: u32, f: impl Fn(u32) -> u32) -> u32 { if n == 0 { f(T::K) } else { with_fn::<T>(n - 1, f) } }
// Not flattened into others, so that it can be asked for in a wrapper of its own.
fn deep(x: &[u32], o: u32, n: u32) -> u32 {
  if n > 0 { return deep(x, o, n - 1).wrapping_mul(3); }
  x.contains(&o) as u32 + x.starts_with(&[1, 2]) as u32 * 2 + x.ends_with(&[2u32]) as u32 * 4 + (x == &[1u32, 2][..]) as u32 * 8
}
fn root(x: u64, n: u32) -> u64 { if n > 0 { root(x, n - 1) } else { x.isqrt() } }

tests! {
    generic_and_number(a, b) { (two::<A, 4>(a as u32 % 9) + two::<B, 5>(b as u32 % 9) + two::<N<7>, 6>(3)) as u64 }
    shift_by_assoc(a, b) { (shifted::<A>(a as u32 % 5) + shifted::<B>(b as u32 % 5)) as u64 }
    const_named_as_type(a, b) { (like_it::<A>(a as u32 % 6) + like_it::<B>(b as u32 % 6)).to_bits() as u64 }
    promoted_of_another_type(a, b) { (outer::<B>(a as u32 % 4) as u64) << 32 ^ outer::<N<3>>(b as u32 % 4) as u64 }
    assoc_and_closure(a, b) { with_fn::<B>(a as u32 % 4, |x| x.wrapping_add(b as u32)) as u64 }
    promoted_under_deep_calls(a, b) { let x = [a as u32, b as u32, 2, 1, 2]; deep(&x[a as usize % 5..], b as u32, a as u32 % 3) as u64 }
    private_table_copied(a, b) { (a as u8).isqrt() as u64 ^ (b as u16).isqrt() as u64 * 256 }
    private_table_in_stages(a, b) { root(a ^ b, a as u32 % 2) }
    private_table_signed(a, b) { (a as i32 & i32::MAX).isqrt() as u64 ^ b }
}
