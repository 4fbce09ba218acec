// Corners that planted faults of the lowering showed to be untested (mutants.py).
type Big = [u64; 6];

#[derive(Clone, Copy)]
struct Pair { x: Big, y: Big }

// The callee changes its own copy of an aggregate.
#[inline(never)]
fn down(mut s: Big, n: u64) -> u64 {
    if n == 0 { return s[0] ^ s[5]; }
    s[0] = s[0].wrapping_add(n);
    let before = s;
    let r = down(s, n - 1);
    s[5] ^= before[0];
    r.wrapping_mul(31) ^ s[0] ^ s[5]
}

#[inline(never)]
fn spoil(mut p: Pair, n: u64) -> u64 {
    if n > 1 { return spoil(p, n - 1) ^ p.x[0]; }
    p.x = [9; 6];
    p.y[n as usize] = 7;
    p.x[1] ^ p.y[2]
}

#[derive(Clone, Copy, PartialEq)]
enum Many { A(bool), B, C, D, E, F }

fn many(n: u64) -> Option<Many> {
    match n % 8 { 0 => Some(Many::A(false)), 1 => Some(Many::A(true)), 2 => Some(Many::B), 3 => Some(Many::C), 4 => Some(Many::D),
                  5 => Some(Many::E), 6 => Some(Many::F), _ => None }
}

// Impl headers that name constants: what rustc prints of them is not a value.
const SIDE: usize = 3;
struct Ring;
impl Ring { const LEN: usize = 5; }
struct Fixed<const N: usize>([u32; N]);
trait Total { fn total(&self) -> u64; }
impl Total for [f32; SIDE] { fn total(&self) -> u64 { self.iter().map(|x| x.to_bits() as u64).sum() } }
impl Fixed<{ Ring::LEN }> { fn last(&self) -> u32 { self.0[Ring::LEN - 1] } }
#[derive(Default, Clone, Copy)]
struct Blank { v: [f32; 3], n: u32, o: Option<[u8; 4]> }
fn made<T: Default>() -> T { T::default() }

tests! {
    default_arrays(a, b) {
        let x: [f32; 3] = Default::default();
        let mut y: Blank = made();
        y.v[(a % 3) as usize] = b as f32;
        let z = (if a > b { Some([7u32; 2]) } else { None }).unwrap_or_default();
        let mut w = [a, b, 1, 2];
        let t = core::mem::take(&mut w);
        x[(b % 3) as usize].to_bits() as u64 ^ y.v[1].to_bits() as u64 ^ (y.n as u64 + y.o.is_none() as u64) << 3 ^ z[1] as u64 ^ t[(a % 4) as usize] ^ w[(b % 4) as usize]
    }
    named_lengths(a, b) { [a as f32, b as f32, 1.5].total() ^ Fixed([1, 2, 3, a as u32, b as u32]).last() as u64 }
    i128_least(a, b) {
        let k = (a % 127) as u32;
        let x = 1i128 << k;
        let y = -(1i128 << (127 - k.max(1)));
        let edge = match x.checked_mul(y) { Some(v) => v as u64 ^ (v >> 64) as u64 ^ 1, None => 2 };
        let over = match x.checked_mul(y - (b & 1) as i128) { Some(v) => (v >> 65) as u64, None => 3 };
        let (w, o) = y.overflowing_mul(x);
        edge ^ over.rotate_left(7) ^ (w >> 96) as u64 ^ (o as u64) << 40
    }
    fill_bytes(a, b) {
        let mut x = [0xffu8; 40];
        let mut y = [0x80u8; 33];
        let mut z = [0x8080u16; 21];
        let mut w = [-1i32; 19];
        let (i, k) = ((a % 19) as usize, (b % 19) as usize);
        x[k] = 1;
        y[k] = 2;
        z[k] = 3;
        w[k] = 4;
        x[i] as u64 ^ (y[i] as u64) << 8 ^ (z[i] as u64) << 16 ^ (w[i] as u32 as u64 ^ b) << 24
    }
    rotate_pair(a, b) {
        let mut p = Pair { x: [a, 1, 2, 3, 4, b], y: [b, 5, 6, 7, 8, a] };
        let mut i = 0;
        while i < (a % 5) + 1 {
            p = Pair { x: p.y, y: p.x };
            p.x[(i % 6) as usize] ^= i + 1;
            i += 1;
        }
        let q = (p.y, p.x);
        q.0[0] ^ q.1[5].rotate_left(9) ^ q.0[3] << 3 ^ q.1[2]
    }
    own_copy(a, b) { down([a, 1, 2, 3, 4, b], b % 9) }
    own_pair(a, b) {
        let p = Pair { x: [a; 6], y: [b; 6] };
        spoil(p, a % 6) ^ p.x[1] ^ p.y[3]
    }
    const_bytes(a, b) {
        let x: [u8; 8] = 0x0102_0304_0506_0708u64.to_le_bytes();
        let y: [u8; 4] = 0xa1b2_c3d4u32.to_be_bytes();
        let z: [u16; 4] = unsafe { core::mem::transmute(0x1111_2222_3333_4444u64) };
        x[(a % 8) as usize] as u64 | (y[(b % 4) as usize] as u64) << 8 | (z[(a % 4) as usize] as u64) << 16
    }
    const_array(a, b) {
        let pick = |k: u64| -> [u8; 3] { if k % 2 == 0 { [1, 2, 3] } else { [4, 5, 6] } };
        let (p, q) = (pick(a), pick(b));
        p[(b % 3) as usize] as u64 | (q[(a % 3) as usize] as u64) << 8
    }
    many_niches(a, b) {
        let (x, y) = (many(a), many(b));
        let f = |v: Option<Many>| match v { Some(Many::A(q)) => q as u64, Some(Many::B) => 2, Some(Many::C) => 3, Some(Many::D) => 4,
                                            Some(Many::E) => 5, Some(Many::F) => 6, None => 7 };
        let s = matches!(x, Some(Many::C | Many::D | Many::E)) as u64;
        let last = matches!(y, Some(Many::D | Many::F) | None) as u64;
        f(x) | f(y) << 4 | s << 8 | last << 9 | ((x == y) as u64) << 10
    }
    bool_match(a, b) {
        let x = a > b;
        match (x, a & 1 == 0) { (false, true) => 1, (true, false) => 2, (true, true) => 3, (false, false) => 4 }
    }
}
