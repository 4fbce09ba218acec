// for: std core_intrinsics funnel_shifts float_minimum_maximum float_algebraic const_eval_select
// rustc's intrinsics that its own passes leave in the text, and casts that are rare elsewhere.
use std::intrinsics as i;
use std::num::NonZero;
fn f(a: u64) -> f32 { f32::from_bits(a as u32) } fn d(a: u64) -> f64 { f64::from_bits(a) }
fn q(r: f32) -> u64 { if r.is_nan() { 1 } else { r.to_bits() as u64 } } fn p(r: f64) -> u64 { if r.is_nan() { 1 } else { r.to_bits() } }
const fn slow(x: u64) -> u64 { x ^ 1 } fn fast(x: u64) -> u64 { x ^ 2 }
fn one(x: u64) -> u64 { x + (x < 5) as u64 }

tests! {
    bits(a, b) { let n = NonZero::new(a as u32).map_or(9, |n| n.trailing_zeros()); let m = NonZero::new(b).map_or(8, |n| n.leading_zeros()); let o = unsafe { i::disjoint_bitor(a & !b, b) }; n as u64 ^ (m as u64) << 10 ^ o << 20 }
    funnel(a, b) { a.funnel_shl(b, (a % 64) as u32) ^ (a as u32).funnel_shr(b as u32, (b % 32) as u32) as u64 }
    carrying(a, b) { let (l, h) = i::carrying_mul_add(a, b, a ^ 3, b ^ 5); let (k, m) = i::carrying_mul_add(a as u16, b as u16, 7, 9); l ^ h.rotate_left(9) ^ k as u64 ^ (m as u64) << 32 }
    rounding(a, b) { q(f(a).sqrt()) ^ p(d(b).sqrt()) << 1 ^ q(f(a).floor()) << 2 ^ p(d(b).ceil()) << 3 ^ q(f(b).trunc()) << 4 ^ q(f(b).round()) << 5 ^ p(d(a).round_ties_even()) << 6 ^ q(f(a).mul_add(f(b), 1.5)) << 7 }
    fused(a, b) { let (x, y) = (((a % 1000) as f32), ((b % 1000) as f32)); q(unsafe { i::fmuladdf32(x, y, 3.0) }) }
    least(a, b) { q(f(a).minimum(f(b))) ^ q(f(a).maximum(f(b))) << 3 ^ p(d(a).minimum(d(b))) << 7 }
    unchecked(a, b) { let x = (a % 100000) as f64 - 5e4; unsafe { x.to_int_unchecked::<i32>() as u32 as u64 ^ (x.abs() as f32).to_int_unchecked::<u16>() as u64 & 0 ^ i::exact_div(a & !7, 8) << 32 ^ b & 0 } }
    algebraic(a, b) { let (x, y) = ((a % 4096) as f32, (b % 64 + 1) as f32); q(x.algebraic_add(y)) ^ q(x.algebraic_sub(y)) << 3 ^ q(x.algebraic_mul(y)) << 6 ^ q((x * y).algebraic_div(y)) << 9 ^ q(x.algebraic_rem(y)) << 12 }
    fast_math(a, b) { let (x, y) = ((a % 4096) as f32, (b % 64 + 1) as f32); unsafe { q(i::fadd_fast(x, y)) ^ q(i::fsub_fast(x, y)) << 3 ^ q(i::fmul_fast(x, y)) << 6 ^ q(i::fdiv_fast(x * y, y)) << 9 ^ q(i::frem_fast(x, y)) << 12 } }
    volatile(a, b) { let mut m = [a, b, 0]; let r = (&raw mut m) as *mut u8; unsafe { i::unaligned_volatile_store(r.add(9) as *mut u32, b as u32 ^ 5); let v = i::unaligned_volatile_load(r.add(3) as *const u64); v ^ m[1] << 1 ^ m[2] } }
    masks(a, b) { let m = [a, b, 3, 4]; let r = &m[(a % 4) as usize] as *const u64; let t = i::ptr_mask(r, !0usize); std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst); unsafe { *t ^ std::hint::black_box(b) } }
    rare(a, b) { if a == 0x1234_5678_9abc && b == 77 { i::breakpoint(); i::abort(); } let r = i::const_eval_select((a,), slow, fast); if i::unlikely(b == 3) { r ^ 5 } else if i::likely(a > b) { r } else { r ^ i::is_val_statically_known(b) as u64 } }
    pointers(a, b) { let g: fn(u64) -> u64 = if a % 2 == 0 { one } else { fast }; let u: unsafe fn(u64) -> u64 = g; let z = g as *const (); let mut m = [a, b]; let r = &raw mut m; let k: *const [u64; 2] = r; let e = k as *const u64; let x = std::ptr::with_exposed_provenance::<u64>((e as *const u64).expose_provenance() + 8); unsafe { u(b) ^ *e ^ *x << 3 ^ (z.is_null()) as u64 } }
}
