// Functions of ffi/side.cu called from Rust, and the other way round.
data! { struct S3 { a: u8, b: u64, c: f32 } }
data! { struct P2 { x: f32, y: f32 } }
data! { struct Big { v: [u32; 9] } }
data! { struct Sm { a: u8, b: u8, c: u8 } }
unsafe extern "C" {
    fn c_bool(x: bool) -> bool;
    fn c_i8(x: i8) -> i8;
    fn c_widen(x: i8, y: u8, z: i16, w: u16) -> i64;
    fn c_u16(x: u16) -> u16;
    fn c_s3(s: S3) -> S3;
    fn c_p2(s: P2, k: f32) -> P2;
    fn c_big(s: Big, k: i32) -> Big;
    fn c_sm(s: Sm) -> Sm;
    fn c_i128(x: i128, k: i32) -> i128;
    fn c_ptr(p: *const u32, q: *mut u32, n: usize);
    fn c_back(v: i64) -> u64;
}
export! { fn r_widen(x: i8, y: u8, z: i16, b: bool) -> i64 { x as i64 * 3 + y as i64 * 5 + z as i64 * 7 + if b { 1 } else { 0 } } }
export! { fn r_s3(s: S3) -> S3 { S3 { a: s.a ^ 1, b: s.b.wrapping_add(1), c: s.c + 1.0 } } }
export! { fn r_p2(s: P2, k: f32) -> P2 { P2 { x: s.y + k, y: s.x * k } } }
export! { fn r_big(s: Big, k: i32) -> Big { let mut r = s; r.v[(k & 7) as usize] ^= 0x55; r } }
export! { fn r_bool(b: bool) -> bool { !b } }

trait Side { fn go(&self, x: u16) -> u16; }
impl Side for u8 { fn go(&self, x: u16) -> u16 { unsafe extern "C" { fn c_u16(x: u16) -> u16; } unsafe { c_u16(x ^ *self as u16) } } }

tests! {
    bools(a, b) { unsafe { c_bool(a & 1 == 1) as u64 | (c_bool(b & 1 == 1) as u64) << 1 } }
    bytes(a, b) { unsafe { c_i8(a as i8) as i64 as u64 ^ (c_u16(b as u16) as u64) << 20 } }
    widened(a, b) { unsafe { c_widen(a as i8, b as u8, (a >> 8) as i16, (b >> 8) as u16) as u64 } }
    padded(a, b) { let s = unsafe { c_s3(S3 { a: a as u8, b, c: (a & 0xffff) as f32 }) }; s.a as u64 ^ s.b ^ (s.c.to_bits() as u64) << 32 }
    pair(a, b) { let p = unsafe { c_p2(P2 { x: (a & 255) as f32, y: (b & 255) as f32 }, 2.0) }; p.x.to_bits() as u64 ^ (p.y.to_bits() as u64) << 32 }
    big(a, b) { let mut v = [0u32; 9]; for j in 0..9usize { v[j] = (a as u32).wrapping_add(j as u32); } let r = unsafe { c_big(Big { v }, (b & 7) as i32) }; let mut t = 0u64; for x in r.v.iter() { t = t.wrapping_mul(31).wrapping_add(*x as u64); } t }
    three_bytes(a, b) { let s = unsafe { c_sm(Sm { a: a as u8, b: b as u8, c: 9 }) }; s.a as u64 | (s.b as u64) << 8 | (s.c as u64) << 16 }
    wide_ints(a, b) { let x = unsafe { c_i128(((a as i128) << 60).wrapping_add(b as i128), -3) }; x as u64 ^ (x >> 64) as u64 }
    pointers(a, b) { let v = [a as u32, b as u32, 7]; let mut w = [0u32; 3]; unsafe { c_ptr(v.as_ptr(), w.as_mut_ptr(), 3) }; w[0] as u64 ^ (w[1] as u64) << 32 ^ w[2] as u64 }
    back_and_forth(a, b) { unsafe { c_back(a as i64) ^ b } }
    declared_in_a_method(a, b) { 3u8.go(a as u16) as u64 ^ b }
}
