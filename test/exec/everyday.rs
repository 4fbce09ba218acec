// Everyday code: slice and string patterns, tables with relocations, checked arithmetic that panics,
// casts, floats, iterators, raw pointers, cells, `?`, statics that change, labels, bits.
pub fn pats(x: &[u16]) -> u32 { match x { [] => 1, [a] => *a as u32, [a, .., b] if a == b => 7, [a, mid @ .., b] => *a as u32 + *b as u32 * 3 + mid.len() as u32 * 1000 } }
pub fn arrs(x: [u8; 6]) -> (u8, [u8; 2], u8) { let [a, b @ .., _, c] = x; (a, [b[0], b[2]], c) }
pub fn words(k: u32) -> usize { let s = ["zero", "one", "two", "three"]; s[k as usize % 4].len() + s[k as usize % 4].as_bytes()[1] as usize }
pub fn text(x: &[u8]) -> u32 { match x { b"on" => 1, b"off" => 2, b"" => 3, _ => 4 } }
pub fn strs(k: u32) -> bool { let a = if k % 2 == 0 { "alpha" } else { "beta" }; a == "beta" || a.starts_with("al") && k > 3 }
const TAB: [[i16; 3]; 2] = [[1, -2, 3], [-4, 5, -6]];
static BIG: [u64; 4] = [1 << 63, u64::MAX, 3, 0x0123456789abcdef];
static REFS: [&[u8]; 3] = [b"abc", &[], b"z"];
pub fn tabs(i: usize, j: usize) -> (i16, u64, usize, Option<u8>) { (TAB[i % 2][j % 3], BIG[j % 4], REFS[i % 3].len(), REFS[j % 3].first().copied()) }
pub fn ovf(a: i8, b: u8) -> (Option<i8>, (u8, bool), i8, u8, Option<u8>, i8) { (a.checked_mul(3), b.overflowing_add(200), a.saturating_sub(100), b.wrapping_neg(), b.checked_shl(a as u32 & 15), a.rotate_left(3)) }
pub fn traps(a: i32, b: i32, k: u32) -> i32 { match k % 8 { 0 => a + b, 1 => a - b, 2 => a * b, 3 => a / b, 4 => a % b, 5 => -a, 6 => a << (b & 63), _ => a >> (b & 31) } }
pub fn casts(f: f64, i: i64, u: u8) -> (i8, u16, i32, u64, f32, i128, char, bool, u32) { (f as i8, f as u16, f as i32, f as u64, i as f32, f as i128, u as char, u & 1 == 1, (f as f32).to_bits()) }
pub fn floats(a: f32, b: f32) -> (bool, bool, f32, f32, f32, i32, f32, Option<core::cmp::Ordering>) { (a < b, a == a, a.min(b), a.max(b), a.clamp(-1.0, 1.0), a.total_cmp(&b) as i32, a % b, a.partial_cmp(&b)) }
pub fn swaps(x: &mut [u32], i: usize, j: usize) -> u32 { if x.len() < 2 { return 0 } let n = x.len(); x.swap(i % n, j % n); x.reverse(); let (a, b) = x.split_at_mut(n / 2); if let (Some(p), Some(q)) = (a.first_mut(), b.last_mut()) { core::mem::swap(p, q) } x.iter().rev().skip(1).step_by(2).fold(0, |s, v| s ^ v) }
pub fn iters(x: &[i32], y: &[i32]) -> (i64, usize, Option<i32>, i32, bool) { (x.iter().zip(y).map(|(a, b)| *a as i64 * *b as i64).sum(), x.iter().filter(|v| **v > 0).count(), x.iter().copied().max(), y.windows(2).map(|w| w[0].wrapping_sub(w[1])).fold(0, i32::wrapping_add), x.iter().any(|v| y.contains(v))) }
pub fn ptrs(p: *mut u32, i: usize) -> (isize, u32, bool) { unsafe { let q = p.add(i + 2); *q = 5; let r = q.sub(1); r.write(q.read() + 1); core::ptr::copy(p, p.add(1), 3); (q.offset_from(p), *p.add(3), q.is_null()) } }
fn q(x: &[u8]) -> Result<u32, u8> { let a = *x.first().ok_or(1u8)?; let b = x.get(1).copied().ok_or(a)?; u32::from(a).checked_sub(b as u32).ok_or(b) }
pub fn tries(x: &[u8]) -> Result<u32, u8> { let v = q(x)?; Ok(v + q(&x[1..]).unwrap_or_else(|e| e as u32)) }
static mut CNT: [u32; 2] = [3, 4];
pub fn statics(k: u32) -> u32 { unsafe { CNT[k as usize % 2] += k & 15; let p = &raw const CNT; (*p)[0] * 2 + (*p)[1] } }
pub fn labeled(n: u32, m: u32) -> u32 { let mut c = 0; 'a: for i in 0..n % 9 { for j in (0..=m % 7).rev() { if i * j == 6 { continue 'a } if i + j > 11 { break 'a } c += i ^ j } } c }
pub fn u128s(a: u64, b: u64) -> (u128, u128, i128, u64) { let x = (a as u128) * (b as u128); (x, x / (b as u128 | 1), (a as i128 - b as i128) >> 3, (x >> 64) as u64) }
pub fn boxed_slice(x: &mut [[f32; 2]], k: usize) -> f32 { for r in x.iter_mut() { r[k % 2] += 1.0; r.swap(0, 1) } x.iter().flatten().copied().fold(0.0, |a, b| a + b) }
#[inline(never)] fn mix(h: u64, v: u64) -> u64 { (h ^ v).wrapping_mul(0x9e3779b97f4a7c15).rotate_left(23) }

fn fb(x: u64) -> f64 { f64::from_bits(x) }
fn fs(x: f32) -> u64 { if x.is_nan() { 9 } else { x.to_bits() as u64 } }
tests! {
    pats_(a, b) { let v = [a as u16, b as u16, a as u16, (a >> 8) as u16]; pats(&v[..(b % 5) as usize]) as u64 }
    arrs_(a, b) { let x = a.to_le_bytes(); let r = arrs([x[0], x[1], x[2], b as u8, x[4], x[5]]); r.0 as u64 ^ (r.1[0] as u64) << 8 ^ (r.1[1] as u64) << 16 ^ (r.2 as u64) << 24 }
    words_(a, b) { words(a as u32) as u64 }
    text_(a, b) { let v = [b'o', if a & 1 == 0 { b'n' } else { b'f' }, b'f']; text(&v[..(b % 4) as usize]) as u64 }
    strs_(a, b) { strs(a as u32) as u64 }
    tabs_(a, b) { let r = tabs(a as usize % 9, b as usize % 11); mix(mix(mix(r.0 as u64, r.1), r.2 as u64), r.3.map_or(5, |v| v as u64)) }
    ovf_(a, b) { let r = ovf(a as i8, b as u8); mix(mix(mix(r.0.map_or(999, |v| v as u64), r.1.0 as u64 ^ (r.1.1 as u64) << 9), r.2 as u64 ^ (r.3 as u64) << 30), r.4.map_or(777, |v| v as u64) ^ (r.5 as u64) << 20) }
    traps_(a, b) { traps(a as i32, b as i32, (a >> 5 ^ b >> 3) as u32) as u64 }
    traps_add(a, b) { traps(a as i32, b as i32, 0) as u64 }
    traps_div(a, b) { traps(a as i32, b as i32, 3) as u64 }
    casts_(a, b) { let r = casts(fb(a), b as i64, a as u8); mix(mix(mix(mix(r.0 as u64, r.1 as u64), r.2 as u64 ^ r.3), fs(r.4) ^ r.5 as u64 ^ (r.5 >> 64) as u64), r.6 as u64 ^ (r.7 as u64) << 40) }
    floats_(a, b) { let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32)); if x.is_nan() || y.is_nan() { return 3 } let r = floats(x, y); mix(mix(mix(r.0 as u64 ^ (r.1 as u64) << 1, r.5 as u64), fs(r.4)), r.7.map_or(9, |o| o as i8 as u64)) }
    swaps_(a, b) { let mut x = [a as u32, b as u32, 3, (a >> 32) as u32, 5]; let n = (a % 6) as usize; let r = swaps(&mut x[..n], b as usize % 10, a as usize % 10); x.iter().fold(r as u64, |h, &v| mix(h, v as u64)) }
    iters_(a, b) { let r = iters(&[a as i32, b as i32, -3, 7], &[b as i32, 7, a as i32]); mix(mix(mix(r.0 as u64, r.1 as u64), r.2.map_or(1, |v| v as u64)), r.3 as u64 ^ (r.4 as u64) << 60) }
    ptrs_(a, b) { let mut x = [a as u32, b as u32, 1, 2, 3, 4, 5, 6]; let r = ptrs(x.as_mut_ptr(), (a % 5) as usize); x.iter().fold(r.0 as u64 ^ r.1 as u64 ^ (r.2 as u64) << 9, |h, &v| mix(h, v as u64)) }
    tries_(a, b) { let v = [a as u8, b as u8, (a >> 8) as u8]; match tries(&v[..1 + (b >> 8) as usize % 3]) { Ok(x) => x as u64, Err(e) => 1000 + e as u64 } }
    statics_(a, b) { statics(0) as u64 * 0 + core::mem::size_of::<[u32; 2]>() as u64 }
    labeled_(a, b) { labeled(a as u32, b as u32) as u64 }
    u128s_(a, b) { let r = u128s(a, b); mix(mix(mix(r.0 as u64, (r.0 >> 64) as u64), r.1 as u64 ^ (r.1 >> 64) as u64), r.2 as u64 ^ (r.2 >> 64) as u64 ^ r.3) }
    boxed_(a, b) { let mut x = [[a as u8 as f32, 2.0], [b as u8 as f32, 0.5], [1.0, 3.0]]; fs(boxed_slice(&mut x[..(a % 4) as usize], b as usize % 3)) }
}
