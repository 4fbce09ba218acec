// Tables in constants: read where they lie, unless something writes to the copy.
const TABLE: [u32; 64] = {
    let mut t = [0u32; 64];
    let mut i = 0;
    while i < 64 { t[i] = (i as u32).wrapping_mul(0x9e3779b9) ^ (i as u32) << 7; i += 1; }
    t
};
#[derive(Clone, Copy)] struct Row { a: u64, b: [u16; 12], c: u8 }
const ROWS: [Row; 5] = [
    Row { a: 1, b: [1; 12], c: 2 }, Row { a: u64::MAX, b: [7; 12], c: 3 }, Row { a: 3, b: [0; 12], c: 255 },
    Row { a: 4, b: [0xffff; 12], c: 0 }, Row { a: 5, b: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], c: 9 },
];
#[inline(never)] fn by_value(mut t: [u32; 64], i: usize, v: u32) -> u32 { t[i % 64] = v; t[(i + 1) % 64] ^ t[i % 64] }
#[inline(never)] fn give(i: u64) -> [u32; 64] { let mut t = TABLE; if i % 3 == 0 { t[(i % 64) as usize] = 1; } t }
#[inline(never)] fn give_plain() -> [u32; 64] { TABLE }
fn pick(t: [u32; 64], i: usize) -> u32 { t[i % 64] }
tests! {
    element(a, b) { TABLE[(a % 64) as usize] as u64 ^ (TABLE[(b % 64) as usize] as u64) << 32 }
    bounds(a, b) { TABLE[(a % 70) as usize] as u64 ^ b }
    in_a_loop(a, b) { let mut s = a as u32; for i in 0..64 { s = s.rotate_left(5) ^ TABLE[i].wrapping_add(b as u32); } s as u64 }
    changed_copy(a, b) { let mut t = TABLE; t[(a % 64) as usize] = b as u32; t[(b % 64) as usize] as u64 ^ (TABLE[(a % 64) as usize] as u64) << 32 }
    changed_in_a_loop(a, b) { let mut s = 0u32; for i in 0..4usize { let mut t = TABLE; t[i] ^= a as u32; t[63 - i] = s; s = s.wrapping_add(t[(b % 64) as usize]).wrapping_add(t[i]); } s as u64 }
    by_reference(a, b) { let t = TABLE; let r = &t; r.iter().fold(a as u32, |x, y| x.rotate_left(3) ^ y) as u64 ^ r[(b % 64) as usize] as u64 }
    passed(a, b) { by_value(TABLE, a as usize, b as u32) as u64 ^ (pick(TABLE, b as usize) as u64) << 32 }
    passed_twice(a, b) { let t = TABLE; by_value(t, a as usize, b as u32) as u64 ^ (by_value(t, b as usize, a as u32) as u64) << 32 ^ t[(a % 64) as usize] as u64 }
    returned(a, b) { give(a)[(b % 64) as usize] as u64 ^ (give_plain()[(a % 64) as usize] as u64) << 32 }
    rows(a, b) { let r = ROWS[(a % 5) as usize]; r.a ^ (r.b[(b % 12) as usize] as u64) << 16 ^ (r.c as u64) << 40 }
    row_changed(a, b) { let mut r = ROWS; r[(a % 5) as usize].b[(b % 12) as usize] = 77; r[(b % 5) as usize].b[(b % 12) as usize] as u64 ^ r[4].a }
    one_of_two(a, b) { let t = if a & 1 == 0 { TABLE } else { let mut u = TABLE; u[0] = b as u32; u }; t[0] as u64 ^ (t[(b % 64) as usize] as u64) << 32 }
    swapped(a, b) { let (mut s, mut t) = (TABLE, TABLE); s[1] = a as u32; core::mem::swap(&mut s, &mut t); s[(b % 64) as usize] as u64 ^ (t[1] as u64) << 32 }
    overwritten(a, b) { let mut t = TABLE; let x = t[(a % 64) as usize]; t = [b as u32; 64]; x as u64 ^ (t[(b % 64) as usize] as u64) << 32 }
}
