// Structs, enums, slices, constants, control flow, closures, generics, calls.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape { Unit, One(u32), Pair { x: u8, y: u64 }, Nested(Option<u16>), Flag(bool) }
#[derive(Clone, Copy, PartialEq)]
enum Plain { A = 3, B = -7, C = 1000 }
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)] enum Byte { P = 1, Q = 200, R = 255 }
#[derive(Clone, Copy)]
#[repr(C, packed)] struct Packed { a: u8, b: u32, c: u16, d: u64 }
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key { a: u16, b: i32, c: bool, d: u64 }
union Bits { u: u64, f: f64, b: [u8; 8], h: [u16; 4] }
#[derive(Clone, Copy)] #[repr(align(32))] struct Wide { v: [u32; 5], t: u8 }
#[derive(Clone, Copy, PartialEq)] enum Err { Zero, Big(u64), Odd }
static TABLE: [u32; 16] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];
static NAMES: [&[u8]; 4] = [b"zero", b"one", b"twenty", b""];
static POINTS: [(u8, i64, &u32); 3] = [(1, -5, &TABLE[2]), (2, 1 << 40, &TABLE[5]), (200, i64::MIN, &TABLE[15])];
static FNS: [fn(u64) -> u64; 3] = [twice, thrice, square];
const LIMITS: [Option<u8>; 5] = [Some(1), None, Some(255), None, Some(0)];
const SHAPES: [Shape; 5] = [Shape::Unit, Shape::One(7), Shape::Pair { x: 9, y: 1 << 50 }, Shape::Nested(Some(4)), Shape::Flag(true)];

fn twice(x: u64) -> u64 { x.wrapping_mul(2) }
fn thrice(x: u64) -> u64 { x.wrapping_mul(3) }
fn square(x: u64) -> u64 { x.wrapping_mul(x) }
fn shape(a: u64, b: u64) -> Shape {
    match a % 7 { 0 => Shape::Unit, 1 => Shape::One(b as u32), 2 => Shape::Pair { x: b as u8, y: b.wrapping_mul(3) },
        3 => Shape::Nested(if b & 1 == 0 { None } else { Some(b as u16) }), 4 => Shape::Flag(b & 4 != 0), 5 => Shape::Nested(None), _ => Shape::Flag(false) }
}
fn area(s: &Shape) -> u64 {
    match *s { Shape::Unit => 1, Shape::One(n) => n as u64 + 2, Shape::Pair { x, y } => x as u64 ^ y, Shape::Nested(Some(k)) => k as u64 * 5, Shape::Nested(None) => 6, Shape::Flag(f) => 10 + f as u64 }
}
#[inline(never)] fn big_arg(w: Wide, k: u32) -> Wide { let mut r = w; r.v[1] = r.v[1].wrapping_add(k); r.t ^= 1; r }
#[inline(never)] fn fib(n: u64) -> u64 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }
#[inline(never)] fn is_even(n: u64) -> bool { if n == 0 { true } else { is_odd(n - 1) } }
#[inline(never)] fn is_odd(n: u64) -> bool { if n == 0 { false } else { is_even(n - 1) } }
#[inline(never)] fn try_it(a: u64) -> Result<u32, Err> { if a == 0 { Err(Err::Zero) } else if a > u32::MAX as u64 { Err(Err::Big(a)) } else if a & 1 == 1 { Err(Err::Odd) } else { Ok(a as u32) } }
fn chain(a: u64, b: u64) -> Result<u64, Err> { let x = try_it(a)?; let y = try_it(b)?; Ok(x as u64 * y as u64) }
#[inline(never)] fn sum_slice(v: &[u64]) -> u64 { let mut t = 0u64; for x in v { t = t.wrapping_mul(31).wrapping_add(*x); } t }
#[inline(never)] fn fill(v: &mut [u64], a: u64) { for (i, x) in v.iter_mut().enumerate() { *x = a.rotate_left(i as u32 * 5); } }
#[inline(never)] fn option_ref(v: &[u64], i: usize) -> Option<&u64> { v.get(i) }
#[inline(never)] fn pair_of(a: u64) -> (u64, bool) { (a ^ 5, a & 1 == 1) }
#[inline(never)] fn four(a: u64) -> (u8, u16, u32, u64) { (a as u8, a as u16, a as u32, a) }
trait Area { fn area(&self) -> u64; fn double(&self) -> u64 { self.area().wrapping_mul(2) } }
struct Sq(u64); struct Re { w: u64, h: u32 }
impl Area for Sq { fn area(&self) -> u64 { self.0.wrapping_mul(self.0) } }
impl Area for Re { fn area(&self) -> u64 { self.w.wrapping_mul(self.h as u64) } fn double(&self) -> u64 { self.w } }
#[inline(never)] fn total<T: Area>(x: &T, n: usize) -> u64 { let mut t = 0u64; let mut i = 0; while i < n { t = t.wrapping_add(x.double()); i += 1; } t }
fn apply<F: Fn(u64) -> u64>(f: F, x: u64) -> u64 { f(f(x)) }
fn apply_mut<F: FnMut(u64)>(mut f: F, n: u64) { let mut i = 0; while i < n { f(i); i += 1; } }
struct Guard<'a>(&'a mut u64, u64);
impl Drop for Guard<'_> { fn drop(&mut self) { *self.0 = self.0.wrapping_mul(7).wrapping_add(self.1); } }

tests! {
    enum_match(a, b) { area(&shape(a, b)) }
    enum_eq(a, b) { (shape(a, b) == shape(b, a)) as u64 | ((shape(a, a) == shape(a, a)) as u64) << 1 }
    enum_array(a, b) { let v = [shape(a, b), shape(b, a), Shape::Unit]; let mut t = 0u64; for s in v.iter() { t = t.wrapping_mul(13).wrapping_add(area(s)); } t }
    enum_const(a, b) { area(&SHAPES[(a % 5) as usize]) ^ b }
    enum_set(a, b) { let mut s = shape(a, b); if b & 8 != 0 { s = Shape::One(1); } if let Shape::Pair { ref mut y, .. } = s { *y = y.wrapping_add(1); } area(&s) }
    plain_cast(a, b) { let p = match a % 3 { 0 => Plain::A, 1 => Plain::B, _ => Plain::C }; p as i32 as u64 ^ (p == Plain::B) as u64 ^ b }
    byte_cast(a, b) { let p = match a % 3 { 0 => Byte::P, 1 => Byte::Q, _ => Byte::R }; p as u8 as u64 ^ (p as i64 as u64) << 8 ^ b }
    plain_option(a, b) { let p = match a % 4 { 0 => Some(Plain::A), 1 => Some(Plain::B), 2 => None, _ => Some(Plain::C) }; match p { None => b, Some(x) => x as i16 as u64 } }
    option_bool(a, b) { let o = match a % 3 { 0 => None, 1 => Some(true), _ => Some(false) }; match o { None => 1, Some(true) => 2 + b % 2, Some(false) => 4 } }
    option_option(a, b) { let o: Option<Option<bool>> = match a % 4 { 0 => None, 1 => Some(None), 2 => Some(Some(true)), _ => Some(Some(false)) }; match o { None => 1, Some(None) => 2, Some(Some(x)) => 3 + x as u64 + b % 3 } }
    option_char(a, b) { let c = char::from_u32(a as u32); match c { None => 1, Some(c) => c as u64 + b % 2 } }
    char_range(a, b) { let c = (a as u8) as char; (c.is_ascii_alphabetic() as u64) | (c.is_ascii_digit() as u64) << 1 | (c.to_ascii_uppercase() as u64) << 8 ^ b }
    option_const(a, b) { let r = match LIMITS[(a % 5) as usize] { None => 3, Some(x) => x as u64 * 4 }; r + b % 2 }
    option_map(a, b) { let o = if a > b { Some(a - b) } else { None }; o.map(|x| x * 2 % 1001).unwrap_or(b % 77) }
    option_and_then(a, b) { Some(a).filter(|x| x % 2 == 0).and_then(|x| x.checked_sub(b)).map_or(9, |x| x ^ 1) }
    option_take(a, b) { let mut o = if a & 1 == 0 { Some(a) } else { None }; let t = o.take(); (t.is_some() as u64) | (o.is_none() as u64) << 1 | t.unwrap_or(b) << 2 }
    option_ref_some(a, b) { let v = [a, b, 3]; match option_ref(&v, (b % 5) as usize) { Some(x) => *x, None => 42 } }
    result_chain(a, b) { match chain(a, b) { Ok(x) => x, Err(Err::Zero) => 1, Err(Err::Big(x)) => x ^ 2, Err(Err::Odd) => 3 } }
    result_unwrap_or(a, b) { try_it(a).unwrap_or(7) as u64 + b % 3 }
    packed(a, b) { let mut p = Packed { a: a as u8, b: b as u32, c: (a >> 8) as u16, d: a ^ b }; p.b = p.b.wrapping_add(1); let (x, y, z) = (p.b, p.c, p.d); x as u64 ^ (y as u64) << 32 ^ z ^ p.a as u64 }
    key_order(a, b) { let x = Key { a: a as u16, b: b as i32, c: a & 1 == 1, d: a }; let y = Key { a: b as u16, b: a as i32, c: b & 1 == 1, d: b }; (x < y) as u64 | ((x == y) as u64) << 1 | (x.cmp(&y) as i8 as u8 as u64) << 8 | ((x.max(y) == x) as u64) << 2 }
    union_bits(a, b) { let mut u = Bits { u: a }; unsafe { u.b[3] = b as u8; (u.f == u.f) as u64 ^ u.u ^ u.h[2] as u64 } }
    wide_arg(a, b) { let w = Wide { v: [a as u32, b as u32, 3, 4, 5], t: a as u8 }; let r = big_arg(w, 9); r.v[1] as u64 ^ (r.t as u64) << 32 ^ (w.v[1] as u64) << 40 ^ (core::mem::align_of_val(&r) as u64) }
    table(a, b) { TABLE[(a & 15) as usize] as u64 + TABLE[(b % 16) as usize] as u64 * 100 }
    table_bounds(a, b) { TABLE[(a % 20) as usize] as u64 ^ b }
    names(a, b) { let n = NAMES[(a & 3) as usize]; n.len() as u64 * 1000 + if n.len() > 0 { n[(b % n.len() as u64) as usize] as u64 } else { 1 } }
    points(a, b) { let p = &POINTS[(a % 3) as usize]; p.0 as u64 ^ p.1 as u64 ^ (*p.2 as u64) << 8 ^ b }
    fn_table(a, b) { FNS[(a % 3) as usize](b) }
    fn_pointer(a, b) { let f: fn(u64) -> u64 = if a & 1 == 0 { twice } else { square }; f(b) ^ f(a) }
    slice_sum(a, b) { let mut v = [0u64; 11]; fill(&mut v[2..9], a); sum_slice(&v[..(b % 12) as usize]) }
    slice_range(a, b) { let v = [1u64, 2, 3, 4, 5, 6, 7]; let (i, j) = ((a % 9) as usize, (b % 9) as usize); sum_slice(&v[i..j]) }
    slice_from(a, b) { let v = [5u64, 6, 7]; sum_slice(&v[(a % 5) as usize..]) ^ sum_slice(&v[..=(b % 4) as usize]) }
    split(a, b) { let v = [a, b, 3, 4, 5, 6]; let (x, y) = v.split_at((a % 8) as usize); sum_slice(x) ^ sum_slice(y).rotate_left(1) }
    first_last(a, b) { let v = [a, b, 9]; let s = &v[..(a % 4) as usize]; s.first().copied().unwrap_or(1) ^ s.last().copied().unwrap_or(2).rotate_left(3) }
    pattern(a, b) { let v = [a, b, 1, 2, 3]; match &v[..(a % 6) as usize] { [] => 0, [x] => *x, [x, y] => x ^ y, [x, .., z] => x.wrapping_add(*z) } }
    pattern_mid(a, b) { let v = [a, b, 1, 2, 3]; match v { [x, mid @ .., y] => sum_slice(&mid) ^ x ^ y } }
    chunks(a, b) { let v = [a, b, 7, 8, 9, 10, 11]; let mut t = 0u64; for c in v.chunks((a % 4 + 1) as usize) { t = t.wrapping_mul(3).wrapping_add(sum_slice(c)); } t }
    swap_in(a, b) { let mut v = [a, b, 7, 8]; v.swap((a % 4) as usize, (b % 4) as usize); sum_slice(&v) }
    copy_within(a, b) { let mut v = [1u64, 2, 3, 4, 5, 6, 7, 8]; let i = (a % 5) as usize; let j = (b % 5) as usize; v.copy_within(i..i + 4, j); sum_slice(&v) }
    copy_from(a, b) { let x = [a, b, a ^ b]; let mut y = [0u64; 3]; y.copy_from_slice(&x); y[1] = y[1].wrapping_add(1); sum_slice(&y) ^ sum_slice(&x) }
    bytes_of(a, b) { let x = a.to_le_bytes(); let mut y = b.to_be_bytes(); y[2] = x[5]; u64::from_le_bytes(y) ^ u64::from_ne_bytes(x) }
    array_2d(a, b) { let mut m = [[0u32; 4]; 3]; let mut i = 0; while i < 12 { m[i / 4][i % 4] = (a as u32).rotate_left(i as u32); i += 1; } m[(a % 3) as usize][(b % 4) as usize] as u64 }
    repeat_big(a, b) { let mut m = [a ^ 0x0102; 40]; m[(b % 40) as usize] = 1; let mut t = 0u64; for x in m { t = t.rotate_left(3) ^ x; } t }
    repeat_struct(a, b) { let m = [(a as u8, b); 9]; let mut t = 0u64; for x in &m { t = t.wrapping_mul(5).wrapping_add(x.0 as u64 ^ x.1); } t }
    iter_chain(a, b) { let v = [a as u32, b as u32, 3, 4]; v.iter().map(|x| *x as u64).filter(|x| x % 3 != 0).sum::<u64>() }
    iter_zip(a, b) { let v = [a as u32, b as u32, 3]; let w = [1u32, 2, 3]; let mut t = 0u64; for (x, y) in v.iter().zip(w.iter()) { t = t.wrapping_add(*x as u64 * *y as u64); } t }
    iter_rev(a, b) { let v = [a, b, 5]; let mut t = 0u64; for x in v.iter().rev() { t = t.wrapping_mul(10).wrapping_add(*x); } t }
    iter_step(a, b) { let mut t = 0u64; for i in (0..(a % 50)).step_by((b % 7 + 1) as usize) { t = t.wrapping_mul(3).wrapping_add(i); } t }
    iter_incl(a, b) { let mut t = 0u64; for i in (a % 9)..=(b % 20) { t = t.wrapping_mul(3).wrapping_add(i); } t }
    iter_fold(a, b) { (0..a % 20).fold(b, |x, y| x.wrapping_mul(31).wrapping_add(y)) }
    iter_min_max(a, b) { let v = [a, b, 100, 7]; *v.iter().min().unwrap() ^ v.iter().max().unwrap().rotate_left(5) }
    iter_position(a, b) { let v = [1u64, 2, a, b, 9]; let r = match v.iter().position(|x| *x == b % 10) { Some(i) => i as u64, None => 50 }; r }
    iter_take_while(a, b) { let v = [1u64, 2, a % 5, b % 5, 9]; v.iter().take_while(|x| **x < 4).skip(1).map(|x| x * 2).sum() }
    loop_break(a, b) { let mut i = 0u64; let r = loop { i += 1; if i.wrapping_mul(a | 1) & 15 == b & 15 { break i; } if i > 100 { break 7777; } }; r }
    labeled(a, b) { let mut t = 0u64; 'out: for i in 0..10u64 { for j in 0..10u64 { if i * j == a % 30 { break 'out; } if j > b % 11 { continue 'out; } t += i + j; } } t }
    collatz(a, b) { let mut n = a % 1000 + 1; let mut c = 0; while n != 1 && c < 200 { n = if n & 1 == 0 { n / 2 } else { 3 * n + 1 }; c += 1; } c + b % 2 }
    recursion(a, b) { fib(a % 15) + is_even(b % 50) as u64 }
    closures(a, b) { let k = a ^ 3; apply(|x| x.wrapping_mul(k).wrapping_add(b), a) }
    closure_mut(a, b) { let mut t = b; let mut n = 0u32; apply_mut(|i| { t = t.rotate_left(3) ^ i; n += 1; }, a % 9); t ^ n as u64 }
    generic_calls(a, b) { total(&Sq(a), (b % 4) as usize) ^ total(&Re { w: a, h: b as u32 }, (a % 3) as usize) }
    drops(a, b) { let mut x = a; { let _g = Guard(&mut x, b); } { let g = Guard(&mut x, 3); if a & 1 == 0 { drop(g); } } x }
    drop_array(a, b) { let mut x = 1u64; let mut y = 2u64; { let _v = [Guard(&mut x, a), Guard(&mut y, b)]; } x ^ y.rotate_left(1) }
    mem_swap(a, b) { let (mut x, mut y) = ((a, b as u8), (b, a as u8)); core::mem::swap(&mut x, &mut y); let z = core::mem::replace(&mut x, (7, 7)); x.0 ^ y.0.rotate_left(1) ^ z.0.rotate_left(2) ^ (z.1 as u64) << 50 }
    swap_wide(a, b) { let mut x = [a, 1, 2, 3, 4]; let mut y = [b, 5, 6, 7, 8]; if a & 1 == 0 { core::mem::swap(&mut x, &mut y); } sum_slice(&x) ^ sum_slice(&y).rotate_left(1) }
    returns_pair(a, b) { let (x, f) = pair_of(a); let (p, q, r, t) = four(b); x ^ f as u64 ^ (p as u64) << 3 ^ (q as u64) << 9 ^ (r as u64) << 20 ^ t }
    pointers(a, b) { let mut v = [a, b, 5]; let p = v.as_mut_ptr(); unsafe { *p.add(1) = (*p).wrapping_add(1); *p.add(2).cast::<u8>() = 9; let q = p.add(2); (q.offset_from(p) as u64) ^ *q ^ *p.add(1) } }
    ptr_cmp(a, b) { let v = [a, b]; let (p, q) = (&v[0] as *const u64, &v[1] as *const u64); (p < q) as u64 | ((p == q) as u64) << 1 | (p.is_null() as u64) << 2 }
    unaligned(a, b) { let mut x = [0u8; 16]; unsafe { x.as_mut_ptr().add((b % 7) as usize).cast::<u64>().write_unaligned(a); x.as_ptr().add(3).cast::<u32>().read_unaligned() as u64 } }
    volatile(a, b) { let mut x = a; unsafe { let v = core::ptr::read_volatile(&x); core::ptr::write_volatile(&mut x, v ^ b); } x }
    write_bytes(a, b) { let mut x = [1u32; 9]; unsafe { core::ptr::write_bytes(x.as_mut_ptr().add(1), a as u8, (b % 8) as usize); } let mut t = 0u64; for y in x { t = t.rotate_left(5) ^ y as u64; } t }
    transmute(a, b) { let x: [u16; 4] = unsafe { core::mem::transmute(a) }; let y: f64 = unsafe { core::mem::transmute(b) }; let z: (u32, u32) = unsafe { core::mem::transmute([a as u32, b as u32]) }; x[2] as u64 ^ y.to_bits() ^ (z.0 as u64) << 7 ^ z.1 as u64 }
    strings(a, b) { let s = if a & 1 == 0 { "abc" } else { "" }; s.len() as u64 | (s.as_bytes().first().copied().unwrap_or(0) as u64) << 8 | (s.is_empty() as u64) << 20 ^ b }
    matches_ranges(a, b) { match (a as u8, b as i8) { (0..=9, _) => 1, (_, i8::MIN..=-1) => 2, (b'a'..=b'z', 0) => 3, (x, y) if x as i8 == y => 4, _ => 5 } }
    assert_it(a, b) { assert!(a != b); assert!(a % 3 != 1, "three"); a ^ b }
    unwrap_it(a, b) { let o = if a > b { Some(a) } else { None }; o.unwrap() }
    expect_it(a, b) { let r: Result<u64, u8> = if a & 2 == 0 { Ok(b) } else { Err(3) }; match r { Ok(x) => x, Err(_) => panic!("no") } }
    unreachable_it(a, b) { match a % 3 { 0 => b, 1 => 7, 2 => 8, _ => unreachable!() } }
    bool_ops(a, b) { let (x, y) = (a & 1 == 1, b & 2 == 2); (x & y) as u64 | ((x | y) as u64) << 1 | ((x ^ y) as u64) << 2 | ((!x) as u64) << 3 | ((x < y) as u64) << 4 | ((x == y) as u64) << 5 | ((x && !y) as u64) << 6 }
    wrapping_type(a, b) { use core::num::Wrapping; (Wrapping(a) * Wrapping(b) + Wrapping(1) - Wrapping(a)).0 }
    nonzero(a, b) { use core::num::NonZeroU32; match NonZeroU32::new(a as u32) { Some(n) => n.get() as u64 ^ n.leading_zeros() as u64, None => b } }
    cell(a, b) { let c = core::cell::Cell::new(a); c.set(c.get().wrapping_add(b)); let r = &c; r.set(r.get() ^ 1); c.get() }
    parse_digits(a, b) { let d = [b'1', b'0' + (a % 10) as u8, b'7', b'x']; let mut n = 0u64; for c in d { match c { b'0'..=b'9' => n = n * 10 + (c - b'0') as u64, _ => break } } n ^ b % 2 }
    sort_small(a, b) { let mut v = [a, b, a ^ b, 5, b.wrapping_sub(a)]; let mut i = 1; while i < 5 { let mut j = i; while j > 0 && v[j - 1] > v[j] { v.swap(j - 1, j); j -= 1; } i += 1; } sum_slice(&v) }
    crc(a, b) { let mut c = !0u32; for x in a.to_le_bytes().iter().chain(b.to_le_bytes().iter()) { c ^= *x as u32; for _ in 0..8 { c = if c & 1 != 0 { c >> 1 ^ 0xEDB8_8320 } else { c >> 1 }; } } !c as u64 }
    carrying(a, b) { let (s, c) = a.overflowing_add(b); let p = a as u128 * b as u128 + c as u128; s ^ p as u64 ^ (p >> 64) as u64 }
    u128_parts(a, b) { let x = (a as u128) << 64 | b as u128; let q = x / (b as u128 | 1); let r = x % (a as u128 | 3); (q as u64) ^ (q >> 64) as u64 ^ r as u64 }
    i128_parts(a, b) { let x = ((a as u128) << 64 | b as u128) as i128; let q = x / (b as i64 as i128 | 1); (q as u64) ^ (q >> 64) as u64 ^ (x >> 77) as u64 }
}
