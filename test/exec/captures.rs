// What the MIR text is hard to read for: closures that keep parts of variables and stay calls, slice
// patterns, packed statics, wide switches, constants by name, names like operators.
struct Add(u64, u64);
struct Not(u64);
#[derive(Clone, Copy)] struct Parts { a: u8, b: u64, c: [u16; 4], d: (i32, bool) }
#[derive(Clone, Copy)] enum Op { Add(u64, u64), Neg(u64), Offset { lo: u8, hi: u64 } }
#[repr(C, packed)] struct Tight(u32, u64, &'static u64, u16, &'static [u64], Option<u8>);
static BASE: [u64; 5] = [11, 22, 33, 44, 55];
static TIGHT: [Tight; 2] = [Tight(1, 2, &BASE[2], 3, &BASE, Some(7)), Tight(u32::MAX, 1 << 60, &BASE[4], 9, &[6, 5], None)];
const WEIGHTS: [u64; 6] = [1, 10, 100, 1000, 10000, 100000];
trait Level { const K: u64; const T: [u8; 3]; fn at(&self, i: u64) -> u64 { Self::K.wrapping_mul(i) ^ Self::T[(i % 3) as usize] as u64 } }
struct Low; struct High(u64);
impl Level for Low { const K: u64 = 3; const T: [u8; 3] = [1, 2, 3]; }
impl Level for High { const K: u64 = u64::MAX / 7; const T: [u8; 3] = [200, 100, 50]; fn at(&self, i: u64) -> u64 { self.0 ^ i.wrapping_mul(Self::K) } }

#[inline(never)] fn call<F: Fn(u64) -> u64>(f: F, x: u64) -> u64 { f(x) ^ f(x ^ 1) }
#[inline(never)] fn call_mut<F: FnMut(u64) -> u64>(mut f: F, x: u64) -> u64 { f(x).wrapping_add(f(x)).wrapping_add(f(3)) }
#[inline(never)] fn call_once<F: FnOnce(u64, (u8, u64)) -> R, R>(f: F, x: u64) -> R { f(x, (x as u8, x >> 8)) }
#[inline(never)] fn call_ref(f: &impl Fn(u64) -> u64, x: u64) -> u64 { f(x).wrapping_mul(3) }
#[inline(never)] fn made(k: u64, p: (u8, u64)) -> impl Fn(u64) -> u64 { move |x| x.wrapping_mul(p.1) ^ k ^ p.0 as u64 }
#[inline(never)] fn level<L: Level>(l: &L, n: u64) -> u64 { let mut t = L::K; for i in 0..n { t = t.rotate_left(7) ^ l.at(i); } t }
#[inline(never)] fn edges(v: &[u64]) -> u64 {
    match v { [] => 1, [x] => *x ^ 2, [x, y] => x.wrapping_mul(*y), [x, .., y] if *x == 5 => *y, [x, m @ .., y, z] => m.len() as u64 ^ x.wrapping_add(*y) ^ z.wrapping_mul(m.first().copied().unwrap_or(9)) }
}
#[inline(never)] fn shift_in(v: &mut [u64], x: u64) -> u64 { match v { [first, rest @ .., last] => { *first ^= x; for r in rest.iter_mut() { *r = r.wrapping_add(x); } *last = *first; rest.len() as u64 } [only] => { *only = x; 77 } [] => 78 } }
fn parts(a: u64, b: u64) -> Parts { Parts { a: a as u8, b, c: [a as u16, b as u16, 3, (a ^ b) as u16], d: (b as i32, a & 1 == 1) } }
fn op(a: u64, b: u64) -> Op { match a % 3 { 0 => Op::Add(a, b), 1 => Op::Neg(b), _ => Op::Offset { lo: a as u8, hi: b } } }

tests! {
    cap_two_fields(a, b) { let p = (a as u8, b); call(move |x| x.wrapping_add(p.1) ^ p.0 as u64, a) }
    cap_struct_parts(a, b) { let s = parts(a, b); call(move |x| (x ^ s.b).wrapping_add(s.a as u64).wrapping_mul(s.c[1] as u64) ^ s.d.1 as u64, b) }
    cap_order(a, b) { let s = parts(a, b); let k = a ^ 5; call(move |x| x.wrapping_sub(s.d.0 as u64) ^ k ^ s.b.rotate_left(s.a as u32), a) }
    cap_mixed(a, b) { let s = parts(a, b); let k = &s.b; call(|x| x.wrapping_mul(*k) ^ s.c[2] as u64 ^ s.a as u64, a) }
    cap_mut_parts(a, b) { let mut s = parts(a, b); let r = call_mut(|x| { s.b = s.b.wrapping_add(x); s.a ^= 3; s.c[3] = s.c[3].wrapping_mul(5); s.b ^ s.a as u64 }, b); r ^ s.b ^ (s.a as u64) << 9 ^ s.c[3] as u64 }
    cap_state(a, b) { let mut n = 0u64; let p = (a, b as u8); call_mut(move |x| { n = n.wrapping_add(x ^ p.0); n ^ p.1 as u64 }, b) ^ n }
    cap_once(a, b) { let s = parts(a, b); call_once(move |x, (p, q)| (x ^ s.b).wrapping_add(p as u64) ^ q.wrapping_mul(s.d.0 as u64), a) }
    cap_once_none(a, b) { call_once(|x, (p, q)| x ^ q.rotate_left(p as u32), a ^ b) }
    cap_by_ref(a, b) { let p = (a as u16, b); let f = move |x: u64| x ^ p.1 ^ p.0 as u64; call_ref(&f, a).wrapping_add(call_ref(&f, b)) ^ call(f, 1) }
    cap_made(a, b) { let f = made(a, (b as u8, b)); f(a) ^ call(&f, b) }
    cap_nested(a, b) { let p = (a, b as u32); call(move |x| { let q = (x, p.0); call(move |y| y ^ q.0.wrapping_mul(3) ^ q.1 ^ p.1 as u64, x) }, b) }
    pat_edges(a, b) { let v = [a, b, a ^ b, 5, b.wrapping_mul(3), 1]; let n = (a % 7) as usize; edges(&v[..n]) ^ edges(&v[n.min(5)..]) }
    pat_five(a, b) { a ^ edges(&[5, b, 3]) ^ edges(&[5]) ^ edges(&[]) ^ edges(&[b, 2]) }
    pat_mut(a, b) { let mut v = [a, b, 3, 4, 5]; let n = (b % 6) as usize; let r = shift_in(&mut v[..n], a); v.iter().fold(r, |t, x| t.rotate_left(3) ^ x) }
    pat_array(a, b) { let [x, y, .., z] = [a, b, 1, 2, a ^ b]; let [_, m @ .., _] = [x, y, z, 9u64]; x.wrapping_mul(7) ^ y ^ m[0] ^ m[1] }
    name_add(a, b) { let s = Add(a, b); let n = Not(b); let t = (Add(b, 1), 5u8); s.0 ^ s.1.wrapping_mul(3) ^ n.0 ^ t.0.0.wrapping_add(t.0.1) ^ t.1 as u64 }
    name_op(a, b) { match op(a, b) { Op::Add(x, y) => x.wrapping_add(y), Op::Neg(x) => x.wrapping_neg(), Op::Offset { lo, hi } => hi ^ lo as u64 } }
    tight_static(a, b) { let t = &TIGHT[(a & 1) as usize]; let (p, s, o) = (t.2, t.4, t.5); *p ^ t.1 ^ s[(b % 2) as usize] ^ o.map_or(99, |x| x as u64) ^ t.0 as u64 ^ (t.3 as u64) << 7 }
    named_consts(a, b) { WEIGHTS[(a % 6) as usize].wrapping_mul(b) ^ level(&Low, b % 9) ^ level(&High(a), a % 5) ^ <High as Level>::T[(b % 3) as usize] as u64 }
    wide_switch(a, b) { let x = (a as u128) << 64 | b as u128; match x { 0 => 1, 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff => 2, 0x1_0000_0000_0000_0000 => 3, 1..=9 => 4, _ => 5 } }
    signed_switch(a, b) { b ^ match a as i64 { i64::MIN => 1, -1 => 2, -128 => 3, 0..=7 => 4, i64::MAX => 5, _ => 6 } }
    char_switch(a, b) { b ^ match char::from_u32(a as u32) { Some('\0') => 1, Some('a'..='z') => 2, Some('\u{1f600}') => 3, Some('\'' | '"' | '\\') => 4, Some(_) => 5, None => 6 } }
    index_panics(a, b) { let v = [1u64, 2, 3]; v[(a % 5) as usize] ^ BASE[(b % 6) as usize] }
    slice_panics(a, b) { let n = (a % 8) as usize; let m = (b % 8) as usize; BASE[n..m].iter().fold(0, |t, x| t ^ x) }
}
