// Iterators, slices, options, small algorithms.
use core::ops::*;
use core::cmp::*;
use core::mem::*;
fn arr8(a: u64, b: u64) -> [u64; 8] { let mut s = a ^ b.rotate_left(17) ^ 1; let mut r = [0; 8]; let mut i = 0; while i < 8 { s ^= s << 13; s ^= s >> 7; s ^= s << 17; r[i] = s >> (i * 7); i += 1; } r }
fn bytes16(a: u64, b: u64) -> [u8; 16] { let mut r = [0; 16]; r[..8].copy_from_slice(&a.to_le_bytes()); r[8..].copy_from_slice(&b.to_be_bytes()); r }
fn h(x: &[u64]) -> u64 { x.iter().fold(7u64, |s, v| s.rotate_left(5).wrapping_mul(31) ^ *v) }
fn hb(x: &[u8]) -> u64 { x.iter().fold(7u64, |s, v| s.rotate_left(5).wrapping_mul(31) ^ *v as u64) }

tests! {
    it_rev(a, b) { (0..b % 20).rev().fold(a, |s, v| s.rotate_left(1) ^ v) }
    it_step(a, b) { (a % 10..b % 100).step_by((a % 7 + 1) as usize).fold(0u64, |s, v| s * 3 % 9999991 + v) }
    it_incl_u8(a, b) { let mut n = 0u64; let mut s = 0u64; for i in (a as u8)..=255u8 { n += 1; s = s.rotate_left(1) ^ i as u64; } n << 32 ^ s ^ b }
    it_incl_i8(a, b) { let mut s = 0u64; for i in i8::MIN..=(a as i8) { s = s.wrapping_mul(3) ^ i as u8 as u64; } for i in (b as i8..=i8::MAX).rev() { s = s.wrapping_mul(5) ^ i as u8 as u64; } s }
    it_incl_sum(a, b) { (0..=a % 1000).sum::<u64>() ^ (1..=b % 20).fold(1u64, |p, q| p.wrapping_mul(q)) }
    it_range_props(a, b) { let r = a..b; let q = a..=b; r.contains(&5) as u64 ^ (q.contains(&200) as u64) << 1 ^ (r.is_empty() as u64) << 2 ^ (q.is_empty() as u64) << 3 ^ (q.end() - 0) << 8 ^ ((0..a % 9).len_hint() as u64) }
    it_enum(a, b) { arr8(a, b).iter().enumerate().filter(|(i, v)| **v >> i & 1 == 1).map(|(i, v)| v ^ i as u64).fold(0, |s: u64, v| s.rotate_left(7) ^ v) }
    it_takewhile(a, b) { arr8(a, b).iter().take_while(|v| **v > 1 << 30).count() as u64 ^ (arr8(b, a).iter().skip_while(|v| **v % 2 == 1).fold(0, |s, v| s ^ v)) }
    it_mapwhile(a, b) { bytes16(a, b).iter().map_while(|v| v.checked_sub(1)).fold(0u64, |s, v| s.rotate_left(8) ^ v as u64) }
    it_scan(a, b) { arr8(a, b).iter().scan(a, |st, v| { *st = st.wrapping_add(*v); if *st % 16 == 0 { None } else { Some(*st ^ b) } }).fold(1, |s, v| s.rotate_left(3) ^ v) }
    it_chain_rev(a, b) { (0..a % 5).chain(10..10 + b % 5).rev().fold(7, |s: u64, v| s * 11 % 1000007 + v) }
    it_filter_map(a, b) { arr8(a, b).into_iter().filter_map(|v| if v % 3 == 0 { Some(v / 3) } else { None }).fold(0, u64::wrapping_add) }
    it_flatten(a, b) { [Some(a), None, Some(b)].into_iter().flatten().fold(3, |s: u64, v| s.rotate_left(9) ^ v) }
    it_peek(a, b) { let x = bytes16(a, b); let mut it = x.iter().peekable(); let mut s = 0u64; while let Some(v) = it.next() { if let Some(n) = it.peek() { if **n > *v { s += 1; } else { it.next(); s = s.rotate_left(9) ^ *v as u64; } } } s }
    it_peek_if(a, b) { let x = bytes16(a, b); let mut it = x.iter().copied().peekable(); let mut s = 0u64; while let Some(v) = it.next() { let mut run = 1; while it.next_if(|n| n & 1 == v & 1).is_some() { run += 1; } s = s * 17 % 0xffff_ffff + run; } s }
    it_fminmax(a, b) { let x = [a as f32, b as f32, 3.5, -1.0]; let m = x.iter().copied().fold(f32::NAN, f32::max); let t = x.iter().copied().min_by(|p, q| p.total_cmp(q)).unwrap(); m.to_bits() as u64 ^ (t.to_bits() as u64) << 32 }
    it_posn(a, b) { let x = bytes16(a, b); x.iter().position(|v| *v == 0).map_or(100, |v| v as u64) ^ (x.iter().rposition(|v| *v > 200).map_or(50, |v| v as u64)) << 8 ^ (x.iter().rev().position(|v| *v & 3 == 3).map_or(70, |v| v as u64)) << 16 }
    it_anyall(a, b) { let x = arr8(a, b); (x.iter().any(|v| v % 5 == 0) as u64) | (x.iter().all(|v| *v > 9) as u64) << 1 | x.iter().find(|v| **v > a).copied().unwrap_or(4) << 2 | x.iter().find_map(|v| v.checked_sub(b)).unwrap_or(8) << 3 }
    it_tryfold(a, b) { let x = arr8(a, b); match x.iter().try_fold(0u64, |s, v| s.checked_add(v >> 2)) { Some(s) => s, None => 1 } }
    it_tryfold_res(a, b) { let x = bytes16(a, b); let r: Result<u8, usize> = x.iter().enumerate().try_fold(0u8, |s, (i, v)| s.checked_add(v >> 3).ok_or(i)); match r { Ok(v) => v as u64, Err(i) => 1000 + i as u64 } }
    it_tryforeach(a, b) { let mut n = 0u64; let r = (0..a % 50).try_for_each(|v| { n += v; if n > b % 400 { ControlFlow::Break(v) } else { ControlFlow::Continue(()) } }); match r { ControlFlow::Break(v) => v << 32 | n, ControlFlow::Continue(()) => n } }
    it_repeat(a, b) { core::iter::repeat(a).take((b % 7) as usize).fold(1, |s: u64, v| s.wrapping_mul(v | 1)) ^ core::iter::repeat_n(3u64, (a % 4) as usize).sum::<u64>() }
    it_succ(a, b) { core::iter::successors(Some(a), |v| if *v > 1 { Some(v / 3) } else { None }).fold(b, |s, v| s.rotate_left(1) ^ v) }
    it_fromfn(a, b) { let mut n = a % 40; core::iter::from_fn(|| { if n == 0 { None } else { n -= 1; Some(n * n) } }).fold(b, |s, v| s.rotate_left(2) ^ v) }
    it_inspect(a, b) { let mut n = 0; let s: u64 = arr8(a, b).iter().inspect(|v| n += **v & 1).map(|v| v >> 4).sum(); s ^ n << 60 }
    it_unzip(a, b) { let x = [(a as u8, b), (b as u8, a)]; let mut s = 0u64; for &(p, ref q) in x.iter() { s = s.rotate_left(5) ^ p as u64 ^ *q; } s }
    it_last_nth(a, b) { let x = arr8(a, b); let mut it = x.iter(); let p = it.nth((a % 9) as usize).copied().unwrap_or(1); let q = it.next_back().copied().unwrap_or(2); let r = it.as_slice().len() as u64; let t = it.last().copied().unwrap_or(3); p ^ q.rotate_left(1) ^ t.rotate_left(2) ^ r }
    it_nth_back(a, b) { let mut r = 0..a % 30; let p = r.nth_back((b % 7) as usize).unwrap_or(50); let q = r.nth(2).unwrap_or(60); p ^ q << 8 ^ r.end << 16 ^ r.start << 24 }
    it_reduce(a, b) { arr8(a, b).into_iter().reduce(|p, q| p.rotate_left(3) ^ q).unwrap() }
    it_array_chunks(a, b) { let x = bytes16(a, b); let (c, r) = x.as_chunks::<5>(); c.iter().map(|v| hb(v)).fold(hb(r), |s, v| s.rotate_left(3) ^ v) }
    it_iter_mut(a, b) { let mut x = arr8(a, b); for v in x.iter_mut().rev().step_by(2) { *v ^= a; } for (i, v) in x.iter_mut().enumerate().skip(3) { *v = v.wrapping_add(i as u64); } x.chunks_mut(3).for_each(|c| c.swap(0, c.len() - 1)); h(&x) }
    it_split(a, b) { let x = bytes16(a, b); x.split(|v| v % 4 == 0).map(|s| s.len() as u64).fold(0, |s, v| s * 17 + v & 0xffff_ffff_ffff) }
    it_splitn(a, b) { let x = [1u8, 0, 3, 4, 0, 9, a as u8, 0]; let mut s = 0u64; for p in x.splitn(3, |v| *v == 0) { s = s.rotate_left(20) ^ hb(p); } s }
    it_dedup(a, b) { let mut x = bytes16(a, b); let mut w = 0; for i in 0..x.len() { if w == 0 || x[w - 1] != x[i] { x[w] = x[i]; w += 1; } } hb(&x[..w]) ^ w as u64 }
    arr_map(a, b) { let x = [a, b, 3].map(|v| (v as u8, v >> 8)); x.iter().fold(0, |s: u64, (p, q)| s.rotate_left(9) ^ *p as u64 ^ q) }
    arr_fromfn(a, b) { let x: [u64; 5] = core::array::from_fn(|i| a.rotate_left(i as u32) ^ b); h(&x) }
    arr_each(a, b) { let x = [a, b]; let [p, q] = x.each_ref(); p ^ q.rotate_left(1) }
    arr_eq(a, b) { let x = [a as u8, 1]; let y = [b as u8, 1]; (x == y) as u64 ^ ((x < y) as u64) << 1 ^ ((x.as_slice() == &y[..1]) as u64) << 2 }
    arr_concat(a, b) { let x = [[a as u8, 1], [b as u8, 2]]; hb(x.as_flattened()) }
    arr_try(a, b) { let x = bytes16(a, b); let y: [u8; 4] = x[(a % 9) as usize..][..4].try_into().unwrap(); let z: Result<&[u8; 3], _> = <&[u8; 3]>::try_from(&x[..(b % 5) as usize]); u32::from_le_bytes(y) as u64 ^ (z.is_ok() as u64) << 40 }
    arr_first_chunk(a, b) { let x = bytes16(a, b); match x[(a % 17) as usize..].first_chunk::<4>() { Some(c) => u32::from_be_bytes(*c) as u64, None => 1 << 40 } }
    arr_multi(a, b) { let mut m = [[[0u8; 3]; 4]; 2]; for i in 0..2 { for j in 0..4 { for k in 0..3 { m[i][j][k] = (a >> (i * 8 + j) ^ b >> k) as u8; } } } m[1] = m[0]; m[0][(a % 4) as usize] = m[1][(b % 4) as usize]; hb(m.as_flattened().as_flattened()) }
    opt_comb(a, b) { let p = if a % 3 == 0 { None } else { Some(a) }; let q = (b % 2 == 0).then_some(b); let r = p.and_then(|v| v.checked_sub(10)).or(q).filter(|v| v % 5 != 0).xor(q.map(|v| v >> 1)); let mut s = p; let t = s.get_or_insert(5); *t ^= 1; let u = p.zip(q).map_or(0, |(x, y)| x ^ y); r.unwrap_or_default() ^ s.unwrap().rotate_left(3) ^ u.rotate_left(9) ^ q.is_some_and(|v| v > 9) as u64 ^ (p == q) as u64 ^ (p < q) as u64 }
    opt_mut(a, b) { let mut o = if a % 2 == 0 { Some([a, b]) } else { None }; if let Some(x) = o.as_mut() { x[1] += 1 & b; } let t = o.take(); let w = o.replace([1, 2]); o.insert([b, b])[0] ^= 4; t.map_or(1, |v| h(&v)) ^ w.is_none() as u64 ^ h(&o.unwrap()) }
    res_comb(a, b) { let r: Result<u64, u8> = if a % 3 == 0 { Err(a as u8) } else { Ok(a) }; let s = r.map(|v| v >> 1).map_err(|e| e as u32 * 2); let t = s.and_then(|v| if v > b { Ok(v - b) } else { Err(9) }).or_else(|e| if e == 9 { Ok(3) } else { Err(e) }); (match t { Ok(v) => v, Err(e) => (e as u64) << 40 }) ^ r.ok().unwrap_or(4) ^ r.is_err() as u64 }
    res_unit(a, b) { #[inline(never)] fn chk(a: u64) -> Result<(), core::num::NonZeroU8> { match core::num::NonZeroU8::new((a % 4) as u8) { Some(n) => Err(n), None => Ok(()) } } let f = || -> Result<u64, core::num::NonZeroU8> { chk(a)?; chk(b)?; Ok(77) }; match f() { Ok(v) => v, Err(e) => e.get() as u64 } }
    try_from(a, b) { u8::try_from(a).map_or(1000, |v| v as u64) ^ i32::try_from(b as i64).map_or(1 << 40, |v| v as u32 as u64) ^ u64::try_from(a as i64).unwrap_or(5) ^ (i8::try_from(b as u16).is_ok() as u64) << 50 ^ char::try_from(a as u32).map_or(3, |c| c as u64) ^ usize::try_from(b as i32).map_or(9, |v| v as u64) }
    parse_int(a, b) { let s = b"123456x"; let n = (a % 8) as usize; let mut v = 0u32; for c in &s[..n] { match c { b'0'..=b'9' => v = v * 10 + (c - b'0') as u32, _ => return 1 << 40 } } v as u64 }
    hex(a, b) { let mut out = [0u8; 16]; for i in 0..16 { let d = (a >> (60 - i * 4) & 15) as u8; out[i] = if d < 10 { b'0' + d } else { b'a' + d - 10 }; } hb(&out) ^ out.iter().filter(|c| c.is_ascii_digit()).count() as u64 ^ (out[3].to_ascii_uppercase() as u64) << 50 }
    matches_m(a, b) { matches!((a, b), (0..=9, _) | (_, 100..=200)) as u64 | (matches!(a as u8 as char, 'a'..='z' | 'A'..='Z' | '_') as u64) << 1 | (matches!(a.checked_sub(b), Some(x) if x % 2 == 0) as u64) << 2 }
    guards(a, b) { match (a % 10, b) { (n @ 1..=3, m) | (m, n @ 4..=6) if n < m => n * 100 + m % 50, (0, x) | (x, 0) => x, (p, q) if p == q => 5, (p @ (7 | 9), _) => p, _ => 11 } }
    big_match(a, b) { match a % 40 { 0 => 7, 1 => b, 2 | 3 => 9, 4..=10 => a, 11 => b ^ 1, 12 => b ^ 2, 13 => !b, 20..=30 => b / 3, 39 => 44, _ => 1 } }
    match_u128(a, b) { match (a as u128) << 64 | b as u128 { 0 => 1, 0x1_0000_0000_0000_0001 => 2, 0x8000_0000_0000_0000_8000_0000_0000_0000 => 3, u128::MAX => 4, x if x > 1 << 100 => 5, _ => 6 } }
    match_i(a, b) { (match a as i8 { i8::MIN => 1, -1 => 2, 0 => 3, i8::MAX => 4, -100..=-50 => 5, x if x < 0 => 6, _ => 7 }) + 10 * match b as i64 { i64::MIN => 1, -1 => 2, -5..=5 => 3, _ => 4 } }
    match_f(a, b) { let x = f64::from_bits(a); match x { 0.0 => 1, 1.0 => 2, f64::INFINITY => 3, x if x.is_nan() => 4, -1.0..=0.5 => 5, _ => 6 } }
    match_str(a, b) { let s = ["add", "sub", "mulx", ""][(a % 4) as usize]; match s { "add" => a.wrapping_add(b), "sub" => a.wrapping_sub(b), "mul" => 0, "" => 4, _ => 9 } }
    match_ref(a, b) { let t = (Some(a), &b); match t { (Some(ref x), &y) if *x > y => *x, (Some(x), y) => x ^ *y, (None, _) => 0 } }
    match_bytes(a, b) { let x = [a as u8, b as u8, 1]; match x { [0, _, _] => 1, [b'a'..=b'z', n, ..] => n as u64, [.., 1] if b > 5 => 7, _ => 9 } }
    vm(a, b) { let code = bytes16(a, b); let mut st = [0u32; 8]; let mut sp = 0usize; let mut pc = 0usize; let mut n = 0; while pc < code.len() && n < 100 { n += 1; let op = code[pc]; pc += 1; match op & 7 { 0 if sp < 8 => { st[sp] = op as u32; sp += 1; } 1 if sp >= 2 => { st[sp - 2] = st[sp - 2].wrapping_add(st[sp - 1]); sp -= 1; } 2 if sp >= 2 => { st.swap(sp - 1, sp - 2); } 3 if sp > 0 => { st[sp - 1] = st[sp - 1].rotate_left(op as u32); } 4 => pc = pc.saturating_sub((op >> 5) as usize), 5 if sp > 0 && sp < 8 => { st[sp] = !st[sp - 1]; sp += 1; } _ => {} } } st[..sp].iter().fold(sp as u64, |s, v| s.rotate_left(9) ^ *v as u64) }
    chacha(a, b) { let mut s = [0u32; 16]; for i in 0..16 { s[i] = (a >> (i * 3)) as u32 ^ (b as u32).rotate_left(i as u32); } fn qr(s: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) { s[a] = s[a].wrapping_add(s[b]); s[d] = (s[d] ^ s[a]).rotate_left(16); s[c] = s[c].wrapping_add(s[d]); s[b] = (s[b] ^ s[c]).rotate_left(12); s[a] = s[a].wrapping_add(s[b]); s[d] = (s[d] ^ s[a]).rotate_left(8); s[c] = s[c].wrapping_add(s[d]); s[b] = (s[b] ^ s[c]).rotate_left(7); } for _ in 0..4 { qr(&mut s, 0, 4, 8, 12); qr(&mut s, 1, 5, 9, 13); qr(&mut s, 2, 6, 10, 14); qr(&mut s, 3, 7, 11, 15); qr(&mut s, 0, 5, 10, 15); qr(&mut s, 1, 6, 11, 12); qr(&mut s, 2, 7, 8, 13); qr(&mut s, 3, 4, 9, 14); } s.iter().fold(0, |h: u64, v| h.rotate_left(7) ^ *v as u64) }
    modpow(a, b) { let m = 0xffff_ffff_ffff_ffc5u64; let (mut r, mut x, mut e) = (1u64, a % m, b); while e > 0 { if e & 1 == 1 { r = (r as u128 * x as u128 % m as u128) as u64; } x = (x as u128 * x as u128 % m as u128) as u64; e >>= 1; } r }
    gcd(a, b) { let (mut x, mut y) = (a, b); while y != 0 { (x, y) = (y, x % y); } x }
    heap(a, b) { let mut x = bytes16(a, b); let n = x.len(); fn sift(x: &mut [u8], mut i: usize, n: usize) { loop { let mut m = 2 * i + 1; if m >= n { return; } if m + 1 < n && x[m + 1] > x[m] { m += 1; } if x[i] >= x[m] { return; } x.swap(i, m); i = m; } } for i in (0..n / 2).rev() { sift(&mut x, i, n); } for e in (1..n).rev() { x.swap(0, e); sift(&mut x, 0, e); } hb(&x) }
    edit_dist(a, b) { let x = a.to_le_bytes(); let y = b.to_le_bytes(); let mut prev: [u8; 9] = core::array::from_fn(|i| i as u8); for (i, p) in x.iter().enumerate() { let mut cur = [0u8; 9]; cur[0] = i as u8 + 1; for (j, q) in y.iter().enumerate() { cur[j + 1] = (prev[j] + (p != q) as u8).min(prev[j + 1] + 1).min(cur[j] + 1); } prev = cur; } prev[8] as u64 }
    let_chain_tuple(a, b) { let (mut p, (q, r)) = (a, (b, a ^ b)); (p, _) = (q.wrapping_sub(r), 0); [p, ..] = [p ^ 1, 2, 3]; p }
    const_generics(a, b) { fn pick<const N: usize, const B: bool>(x: [u64; N]) -> u64 { if B { x[N - 1] } else { x[0].wrapping_mul(N as u64) } } pick::<3, true>([a, b, a ^ b]) ^ pick::<2, false>([a, b]) }
    ptrs(a, b) { let mut x = arr8(a, b); let p = x.as_mut_ptr(); unsafe { for i in 0..7 { *p.add(i) ^= *p.add(i + 1); } core::ptr::swap(p, p.add(5)); let q = p.add(7).sub(3); q.write(q.read() ^ q.offset_from(p) as u64); core::ptr::copy(p, p.add(2), 4); core::ptr::copy_nonoverlapping(p, p.add(6), 2); let s = core::slice::from_raw_parts(p.add(1), 6); h(s) ^ h(&x) } }
    ptr_cast(a, b) { let x = [a, b]; let p = x.as_ptr() as *const u8; let mut s = 0u64; for i in 0..16 { s = s.rotate_left(3) ^ unsafe { *p.wrapping_add(i) } as u64; } let q = unsafe { (p.add(3) as *const u32).read_unaligned() }; s ^ q as u64 ^ p.is_null() as u64 ^ (p.align_offset(8) as u64) }
    hash_fnv(a, b) { use core::hash::*; struct F(u64); impl Hasher for F { fn finish(&self) -> u64 { self.0 } fn write(&mut self, x: &[u8]) { for v in x { self.0 = (self.0 ^ *v as u64).wrapping_mul(0x100000001b3); } } } #[derive(Hash)] struct K { a: u32, b: (u8, bool), c: Option<u16> } let mut f = F(0xcbf29ce484222325); K { a: a as u32, b: (b as u8, a > b), c: (a % 2 == 0).then_some(b as u16) }.hash(&mut f); [a, b].hash(&mut f); f.finish() }
}
trait LenHint { fn len_hint(&self) -> usize; } impl<I: Iterator> LenHint for I { fn len_hint(&self) -> usize { self.size_hint().0 } }
