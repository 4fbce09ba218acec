// Numbers: fixed point, casts, 128 bits, floats, bit tricks, searches.
#[cfg(mirdc_device)] use mirdc::math::FloatExt;
use core::num::*;
use core::mem::*;
#[inline(never)] fn mixv(x: u64) -> u64 { x ^ (x >> 29).wrapping_mul(0x9E3779B97F4A7C15) }
fn arr8(a: u64, b: u64) -> [u64; 8] { let mut s = a ^ b.rotate_left(17) ^ 1; let mut r = [0; 8]; let mut i = 0; while i < 8 { s ^= s << 13; s ^= s >> 7; s ^= s << 17; r[i] = s >> (i * 7); i += 1; } r }
fn bytes16(a: u64, b: u64) -> [u8; 16] { let mut r = [0; 16]; r[..8].copy_from_slice(&a.to_le_bytes()); r[8..].copy_from_slice(&b.to_be_bytes()); r }
fn h(x: &[u64]) -> u64 { x.iter().fold(7u64, |s, v| s.rotate_left(5).wrapping_mul(31) ^ *v) }
fn hb(x: &[u8]) -> u64 { x.iter().fold(7u64, |s, v| s.rotate_left(5).wrapping_mul(31) ^ *v as u64) }
fn f(x: u64) -> f64 { f64::from_bits(x) }
fn g(x: u64) -> f32 { f32::from_bits(x as u32) }
fn o(x: f64) -> u64 { if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() } }
fn o3(x: f32) -> u64 { if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() as u64 } }

tests! {
    windows_sum(a, b) { let x = arr8(a, b); x.windows(3).map(|w| w[0] ^ w[2].wrapping_sub(w[1])).fold(0, |s: u64, v| s.rotate_left(3) ^ v) }
    chunks_mix(a, b) { let x = bytes16(a, b); let mut s = 0u64; for (i, c) in x.chunks(5).enumerate() { s = s.rotate_left(9) ^ hb(c) ^ i as u64 ^ (c.len() as u64) << 50; } s }
    chunks_exact_rem(a, b) { let x = bytes16(a, b); let it = x.chunks_exact(6); let r = it.remainder(); let mut s = hb(r); for c in it { s ^= hb(c).rotate_left(7); } s }
    rchunks(a, b) { let x = bytes16(a, b); let mut s = 0; for c in x.rchunks(7) { s = mixv(s) ^ hb(c); } s }
    zip_dot(a, b) { let x = arr8(a, b); let y = arr8(b, a); x.iter().zip(y.iter()).map(|(p, q)| p.wrapping_mul(*q)).fold(0, u64::wrapping_add) }
    zip3(a, b) { let x = arr8(a, b); let y = bytes16(a, b); x.iter().zip(&y).zip(y.iter().rev()).fold(0u64, |s, ((p, q), r)| s.wrapping_mul(3) ^ p ^ (*q as u64) << (*r & 31)) }
    sortnet(a, b) { let mut x = arr8(a, b); for i in 0..8 { for j in 0..7 - i { if x[j] > x[j + 1] { x.swap(j, j + 1); } } } h(&x) }
    bitonic(a, b) { let mut x = arr8(a, b); let n = 8; let mut k = 2; while k <= n { let mut j = k / 2; while j > 0 { for i in 0..n { let l = i ^ j; if l > i { let up = i & k == 0; if (x[i] > x[l]) == up { x.swap(i, l); } } } j /= 2; } k *= 2; } h(&x) }
    bsearch(a, b) { let t = [1u64, 5, 9, 100, 1000, 1 << 20, 1 << 40, u64::MAX]; match t.binary_search(&a) { Ok(i) => i as u64 | 0x100, Err(i) => i as u64 | b & 0xff00_0000 } }
    bsearch_by(a, b) { let t = [-9i64, -3, 0, 4, 77]; let r = t.binary_search_by(|p| p.cmp(&(a as i64))); let q = t.partition_point(|p| *p < b as i64); match r { Ok(i) => i as u64 * 100 + q as u64, Err(i) => 1 << 33 | (i as u64 * 100 + q as u64) } }
    bsearch_own(a, b) { let t = arr8(b, 3); let mut lo = 0usize; let mut hi = t.len(); while lo < hi { let m = lo + (hi - lo) / 2; if t[m] < a { lo = m + 1 } else { hi = m } } lo as u64 }
    fixed_mul(a, b) { let (x, y) = (a as i32, b as i32); let p = (x as i64 * y as i64) >> 16; (p as i32 as u32 as u64) | (p.clamp(i32::MIN as i64, i32::MAX as i64) as u32 as u64) << 32 }
    q31(a, b) { let (x, y) = (a as i32, b as i32); let r = ((x as i64 * y as i64 + (1 << 30)) >> 31).min(0x7fff_ffff) as i32; r.saturating_add(y).saturating_neg() as u32 as u64 ^ (x.saturating_sub(y) as u32 as u64) << 32 ^ (x.saturating_mul(y) as u32 as u64) << 16 }
    mulhi(a, b) { let p = a as u128 * b as u128; ((p >> 64) as u64) ^ (p as u64).rotate_left(1) }
    u128_div(a, b) { let n = (a as u128) << 64 | b as u128; let d = (b as u128) << 17 | 1; let (q, r) = (n / d, n % d); (q as u64) ^ ((q >> 64) as u64).rotate_left(3) ^ (r as u64).rotate_left(9) ^ ((r >> 64) as u64).rotate_left(23) }
    i128_div(a, b) { let n = (a as i64 as i128) << 40 ^ b as i64 as i128; let d = (b as i64 >> 7) as i128; if d == 0 { return 1; } let q = n.wrapping_div(d); let r = n.wrapping_rem_euclid(d); (q as u64) ^ ((q >> 64) as u64).rotate_left(3) ^ (r as u64).rotate_left(9) ^ ((r >> 64) as u64).rotate_left(23) }
    u128_ops(a, b) { let n = (a as u128) << 64 | b as u128; let s = (a % 200) as u32; (n.leading_zeros() as u64) ^ (n.trailing_zeros() as u64) << 8 ^ (n.count_ones() as u64) << 16 ^ (n.rotate_left(s) >> 64) as u64 ^ (n.swap_bytes() as u64) ^ (n.reverse_bits() >> 3) as u64 ^ n.wrapping_shl(s) as u64 ^ (n.wrapping_shr(s) as u64).rotate_left(2) }
    i128_checked(a, b) { let n = ((a as u128) << 64 | b as u128) as i128; let m = ((b as u128) << 64 | a as u128) as i128; let c = n.checked_add(m).map_or(1, |v| v as u64 ^ (v >> 64) as u64); let d = n.checked_mul(b as i8 as i128).map_or(2, |v| v as u64 ^ (v >> 64) as u64); let (e, ov) = n.overflowing_mul(m); let g = n.saturating_sub(m); c ^ d.rotate_left(7) ^ e as u64 ^ (e >> 64) as u64 ^ ov as u64 ^ g as u64 ^ ((g >> 64) as u64).rotate_left(9) }
    u128_float(a, b) { let n = (a as u128) << 64 | b as u128; o(n as f64) ^ o3(n as f32).rotate_left(8) ^ o(n as i128 as f64).rotate_left(13) ^ o3(n as i128 as f32).rotate_left(33) }
    float_u128(a, b) { let x = f(a) as u128; let y = g(b) as i128; let z = f(b) as i128; let w = g(a) as u128; x as u64 ^ (x >> 64) as u64 ^ (y as u64).rotate_left(5) ^ ((y >> 64) as u64).rotate_left(9) ^ (z as u64).rotate_left(15) ^ ((z >> 64) as u64).rotate_left(19) ^ (w as u64).rotate_left(25) ^ ((w >> 64) as u64).rotate_left(29) }
    casts(a, b) { let x = f(a); let y = g(b); (x as u8 as u64) ^ (x as i8 as u64) << 8 ^ (x as i16 as u16 as u64) << 16 ^ (y as u16 as u64) << 32 ^ (y as i32 as u32 as u64).rotate_left(40) ^ (x as u64).rotate_left(3) ^ (y as i64 as u64).rotate_left(5) ^ (x as i64 as u64).rotate_left(7) ^ (y as u64).rotate_left(11) ^ (y as usize as u64).rotate_left(19) }
    int_floats(a, b) { o(a as f64) ^ o(b as i64 as f64).rotate_left(3) ^ o3(a as f32).rotate_left(17) ^ o3(b as i64 as f32).rotate_left(33) ^ o(a as i8 as f64).rotate_left(44) ^ o3(b as u16 as f32) ^ o(true as u8 as f64) }
    ff(a, b) { o(g(a) as f64) ^ o3(f(b) as f32).rotate_left(32) }
    char_match(a, b) { let c = match char::from_u32(a as u32) { Some(c) => c, None => return 99 }; match c { 'a'..='f' => c as u64 - 'a' as u64 + 10, 'A'..='F' => 100, '0'..='9' => c.to_digit(10).unwrap() as u64, '\u{80}'..='\u{7ff}' => 2, '\0' => 5, _ if c.is_ascii_punctuation() => 8, _ => c.len_utf8() as u64 * 1000 } }
    char_utf8(a, b) { let c = char::from_u32((a % 0x110000) as u32).unwrap_or('x'); let mut buf = [0u8; 4]; let n = c.encode_utf8(&mut buf).len(); hb(&buf[..n]) ^ n as u64 }
    bool_match(a, b) { let (p, q, r) = (a & 1 == 0, b > 5, a > b); match (p, q, r) { (true, true, _) => 1, (true, false, true) => 2, (false, _, false) => 3, (false, true, true) => 4, _ => 5 } }
    labelled(a, b) { let mut n = 0u64; 'o: for i in 0..20u64 { for j in 0..20u64 { if i * j > a % 300 { break 'o; } if j > b % 20 { continue 'o; } n = n * 3 % 1000003 + i + j; } } n }
    loop_value(a, b) { let mut x = a | 1; let r = loop { x = x.wrapping_mul(6364136223846793005).wrapping_add(b); if x >> 60 == 3 { break x; } if x & 0xfff == 0 { break 7; } }; r }
    block_label(a, b) { let r = 'x: { if a == 0 { break 'x 5; } if b % 3 == 1 { break 'x a / 3; } a ^ b }; r }
    while_let(a, b) { let mut st = [0u64; 16]; let mut sp = 0; let mut push = |v, sp: &mut usize, st: &mut [u64; 16]| { if *sp < 16 { st[*sp] = v; *sp += 1; } }; push(a % 30, &mut sp, &mut st); let mut s = 0u64; while let Some(v) = if sp > 0 { sp -= 1; Some(st[sp]) } else { None } { s = s.wrapping_mul(5) + v; if v > 3 { push(v / 2, &mut sp, &mut st); push(v / 3, &mut sp, &mut st); } } s ^ b }
    let_else(a, b) { let Some(x) = a.checked_sub(b) else { return 77 }; let Ok(y) = u32::try_from(x) else { return x >> 32 }; y as u64 }
    ilog_trap(a, b) { a.ilog2() as u64 ^ (b.ilog10() as u64) << 8 }
    pow_all(a, b) { let e = (b % 70) as u32; a.wrapping_pow(e) ^ (a as i32).checked_pow(e).map_or(1, |v| v as u32 as u64) ^ (a as i8).saturating_pow(e) as u8 as u64 ^ (a as u16).overflowing_pow(e).0 as u64 ^ ((a as i16).overflowing_pow(e).1 as u64) << 40 }
    pow_trap(a, b) { (a as u32).pow((b % 9) as u32) as u64 }
    abs_diff(a, b) { (a as i64).abs_diff(b as i64) ^ (a as i8).abs_diff(b as i8) as u64 ^ a.abs_diff(b) }
    next_pow2(a, b) { a.checked_next_power_of_two().unwrap_or(3) ^ (b as u8).checked_next_power_of_two().unwrap_or(3) as u64 ^ a.is_power_of_two() as u64 }
    next_pow2_trap(a, b) { (a as u16).next_power_of_two() as u64 }
    div_forms(a, b) { let (x, y) = (a as i32, (b as i32) | 1); if x == i32::MIN && y == -1 { return 4 } x.div_euclid(y) as u32 as u64 ^ (x.rem_euclid(y) as u32 as u64) << 32 ^ a.div_ceil(b | 1) ^ a.checked_next_multiple_of(b % 1000).unwrap_or(9) }
    div_trap(a, b) { (a as i64 / b as i64) as u64 ^ (a as i32 % b as i32) as u32 as u64 }
    shifts_checked(a, b) { let s = b as u32; a.checked_shl(s).unwrap_or(1) ^ (a as i64).checked_shr(s).unwrap_or(2) as u64 ^ (a as u8).overflowing_shl(s).0 as u64 ^ (a as i16).wrapping_shr(s) as u16 as u64 ^ (a as u8).unbounded_shl(s) as u64 ^ ((a as i32).unbounded_shr(s) as u32 as u64) << 32 }
    shift_types(a, b) { let s = (b % 8) as u8; (a << s) ^ (a >> (s as i128)) ^ ((a as u8) << (s as i64)) as u64 ^ ((a as i8) >> (s as usize)) as u8 as u64 }
    shift_trap(a, b) { (a as u32 >> (b as i8)) as u64 ^ ((a as u16) << (b as u16 & 31)) as u64 }
    bits(a, b) { let x = a as u16; let y = b as i8; x.leading_zeros() as u64 ^ (y.leading_ones() as u64) << 8 ^ (x.trailing_ones() as u64) << 16 ^ (y.trailing_zeros() as u64) << 24 ^ (x.reverse_bits() as u64) << 32 ^ (x.rotate_right(b as u32) as u64) << 48 ^ y.rotate_left(a as u32) as u8 as u64 ^ x.swap_bytes() as u64 ^ (y.count_zeros() as u64) << 3 }
    le_bytes(a, b) { let x = a.to_le_bytes(); let y = (b as i32).to_be_bytes(); u32::from_be_bytes([x[1], y[0], x[7], y[3]]) as u64 ^ u64::from_ne_bytes([y[0], x[0], y[1], x[1], y[2], x[2], y[3], x[3]]) ^ u16::from_le_bytes([x[0], y[1]]) as u64 }
    carrying(a, b) { let (s, c) = a.overflowing_add(b); let (t, d) = s.overflowing_sub(b ^ 5); let (u, e) = (a as i64).overflowing_neg(); let (v, k) = (a as i8).overflowing_abs(); s ^ t.rotate_left(4) ^ u as u64 ^ v as u8 as u64 ^ c as u64 ^ (d as u64) << 1 ^ (e as u64) << 2 ^ (k as u64) << 3 }
    signum_etc(a, b) { let x = a as i16; (x.signum() as u16 as u64) ^ (x.unsigned_abs() as u64) << 16 ^ (x.is_negative() as u64) << 40 ^ ((x.wrapping_abs() as u16 as u64) << 41) ^ ((b as i64).wrapping_neg() as u64) ^ x.checked_abs().map_or(5, |v| v as u64) ^ x.midpoint(b as i16) as u16 as u64 ^ a.midpoint(b) }
    mixed_sign(a, b) { a.wrapping_add_signed(b as i64) ^ a.checked_add_signed(b as i64).unwrap_or(9) ^ a.saturating_add_signed(b as i64) ^ (a as i32).wrapping_add_unsigned(b as u32) as u32 as u64 ^ (a as i32).saturating_sub_unsigned(b as u32) as u32 as u64 ^ (a as i32).checked_sub_unsigned(b as u32).map_or(3, |v| v as u32 as u64) }
    wrapping_t(a, b) { use core::num::Wrapping as W; let mut x = W(a); x += W(b) * W(3); x <<= 7; x ^= W(b) >> 9; x -= W(1); (x / W(b | 1)).0 ^ (!x % W(17)).0 }
    saturating_t(a, b) { use core::num::Saturating as S; let mut x = S(a as i16); x += S(b as i16); x *= S(3); x -= S(7); x.0 as u16 as u64 }
    nonzero(a, b) { let x = NonZeroU32::new(a as u32); let y = NonZero::<u8>::new(b as u8); match (x, y) { (Some(p), Some(q)) => p.get() as u64 / q.get() as u64 ^ (p.leading_zeros() as u64) << 40, (None, Some(q)) => q.get() as u64, (Some(p), None) => p.get() as u64, (None, None) => 1 << 60 } }
    nonzero_div(a, b) { match NonZeroU64::new(b) { Some(d) => a / d ^ (a % d).rotate_left(3), None => 12 } }
    opt_niche(a, b) { #[inline(never)] fn pick(t: &[u64; 4], i: u64) -> Option<&u64> { if i % 5 < 4 { Some(&t[(i % 5) as usize]) } else { None } } let t = [a, b, a ^ b, 4]; let p = pick(&t, a); let q = pick(&t, b); match (p, q) { (Some(x), Some(y)) => x.wrapping_mul(*y), (Some(x), None) | (None, Some(x)) => *x, _ => size_of::<Option<&u64>>() as u64 } }
    opt_bool(a, b) { let x: Option<Option<bool>> = match a % 4 { 0 => None, 1 => Some(None), 2 => Some(Some(false)), _ => Some(Some(true)) }; let y: Option<core::cmp::Ordering> = if b % 2 == 0 { Some(a.cmp(&b)) } else { None }; (match x { None => 1, Some(None) => 2, Some(Some(v)) => 3 + v as u64 }) * 10 + match y { Some(core::cmp::Ordering::Less) => 1, Some(core::cmp::Ordering::Equal) => 2, Some(_) => 3, None => 4 } + size_of_val(&x) as u64 * 100 }
    opt_char(a, b) { let x = [char::from_u32(a as u32), char::from_digit((b % 40) as u32, 36), None]; x.iter().map(|c| c.map_or(7u64, |c| c as u64 * 3)).sum::<u64>() }
    f_minmax(a, b) { let (x, y) = (f(a), f(b)); let (p, q) = (g(a), g(b)); let z = |v: f64| if v == 0.0 { 0 } else { o(v) }; z(x.min(y)) ^ z(x.max(y)).rotate_left(7) ^ o3(p.min(q) + 1.0).rotate_left(13) ^ o3(p.max(q) + 1.0).rotate_left(23) ^ o(x.clamp(-1.0, 2.0)).rotate_left(30) ^ o3(p.clamp(0.5, 0.5)).rotate_left(37) }
    f_total(a, b) { let (x, y) = (f(a), f(b)); let (p, q) = (g(a), g(b)); (x.total_cmp(&y) as i8 as u8 as u64) ^ (p.total_cmp(&q) as i8 as u8 as u64) << 8 ^ (x.partial_cmp(&y).map_or(5, |v| v as i8 as u8) as u64) << 16 ^ ((p < q) as u64) << 24 ^ ((p >= q) as u64) << 25 ^ ((x != y) as u64) << 26 ^ ((x <= y) as u64) << 27 ^ ((x == y) as u64) << 28 ^ (x.is_sign_negative() as u64) << 29 ^ (x.classify() as u64) << 30 ^ (p.is_subnormal() as u64) << 40 ^ (q.is_finite() as u64) << 41 ^ (x.is_normal() as u64) << 42 }
    f_round(a, b) { let (x, y) = (f(a), g(b)); o(x.floor()) ^ o(x.ceil()).rotate_left(3) ^ o(x.trunc()).rotate_left(9) ^ o(x.round()).rotate_left(15) ^ o3(y.round_ties_even()).rotate_left(20) ^ o3(y.floor()).rotate_left(27) ^ o(x.abs()).rotate_left(40) ^ o(x.signum()).rotate_left(50) ^ o3(y.copysign(g(a))).rotate_left(7) ^ o3(y.round()).rotate_left(31) }
    f_rem(a, b) { o(f(a) % f(b)) ^ o3(g(a) % g(b)).rotate_left(32)  }
    f_misc(a, b) { o(f(a).recip()) ^ o3(g(b).to_degrees()).rotate_left(9) ^ o(f(a).to_radians()).rotate_left(15) ^ o(f(a).midpoint(1.0)) ^ o(f(a).next_up()).rotate_left(1) ^ o(f(b).next_down()).rotate_left(2) ^ o(f(a).sqrt()).rotate_left(11) ^ o(f(a).mul_add(f(b), 1.5)).rotate_left(21) }
    f_horner(a, b) { let x = (a % 1000) as f64 / 100.0; let c = [1.0, -0.5, 0.25, -0.125, 3.5]; let mut s = 0.0; for k in c.iter().rev() { s = s * x + k; } o(s) ^ b }
    f_sum(a, b) { let v = [g(a), g(b), 1.0, -2.5]; o3(v.iter().sum()) ^ o3(v.iter().copied().product::<f32>()).rotate_left(32) ^ o3(v.iter().cloned().fold(f32::INFINITY, f32::min) + 0.5) }
    f_newton(a, b) { let n = (a % 100000) as f32 + 1.0; let mut x = n; let mut k = 0; while (x * x - n).abs() > 1e-3 * n && k < 50 { x = 0.5 * (x + n / x); k += 1; } o3(x) ^ k << 40 ^ b }
    f_fract(a, b) { o(f(a).fract()) ^ o3(g(b).fract()).rotate_left(32) }
    f_euclid(a, b) { o(f(a).rem_euclid(f(b))) ^ o(f(a).div_euclid(f(b))).rotate_left(17) }
    f_euclid_single(a, b) { o3(g(a).rem_euclid(g(b))) ^ o3(g(a).div_euclid(g(b))).rotate_left(32) }
    f_euclid_near(a, b) { let (x, y) = ((a % 64) as f32 * 0.25 - 8.0, (b % 16) as f32 * 0.5 - 4.0); o3(x.rem_euclid(y)) ^ o3(x.div_euclid(y)).rotate_left(32) }
}
