// Everyday expressions of core's slices, arrays, strings and iterators. What is refused says so above.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)] struct P { x: f32, y: u8 }
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)] struct K { k: u8, v: u32 }
struct Upto { n: u64, to: u64 }
impl Iterator for Upto { type Item = u64; fn next(&mut self) -> Option<u64> { if self.n < self.to { self.n += 1; Some(self.n * self.n) } else { None } } }
fn arr(a: u64, b: u64) -> [u32; 8] { [a as u32, b as u32, (a >> 32) as u32, (b >> 32) as u32, a as u32 ^ 7, 3, a as u8 as u32, b as u8 as u32] }
fn bytes(a: u64, b: u64) -> [u8; 16] { let mut r = [0; 16]; r[..8].copy_from_slice(&a.to_le_bytes()); r[8..].copy_from_slice(&b.to_le_bytes()); r }
fn text(b: &[u8; 16]) -> [u8; 16] { let mut r = *b; for c in r.iter_mut() { *c = b" aB1\n,xyz-_.QR 0"[*c as usize & 15]; } r }
fn keys(a: u64, b: u64) -> [K; 6] { [K { k: a as u8 & 7, v: 1 }, K { k: b as u8 & 7, v: 2 }, K { k: (a >> 8) as u8 & 7, v: 3 }, K { k: (b >> 8) as u8 & 7, v: 4 }, K { k: 3, v: 5 }, K { k: 3, v: 6 }] }
fn floats(a: u64, b: u64) -> [f32; 6] { [(a & 255) as f32, (b & 255) as f32 * 0.5, -1.5, (a >> 8 & 255) as f32, 0.0, (b >> 8 & 255) as f32] }
fn h<T: IntoIterator<Item = u64>>(x: T) -> u64 { let mut s = 7u64; for v in x { s = s.rotate_left(5).wrapping_mul(31) ^ v } s }
fn hs(x: &[u32]) -> u64 { let mut s = 7u64; for v in x { s = s.rotate_left(5).wrapping_mul(31) ^ *v as u64 } s }
fn hk(x: &[K]) -> u64 { let mut s = 7u64; for v in x { s = s.rotate_left(5).wrapping_mul(31) ^ (v.k as u64) << 32 ^ v.v as u64 } s }
fn hb(x: &[u8]) -> u64 { let mut s = 7u64; for v in x { s = s.rotate_left(5).wrapping_mul(31) ^ *v as u64 } s }

tests! {
    eq_float_arrays(a, b) { let (x, y) = (floats(a, b), floats(b, a)); (x == y) as u64 | ((x == floats(a, b)) as u64) << 1 | ((x[1..] != y[1..]) as u64) << 2 }
    eq_int_slices(a, b) { let (x, y) = (arr(a, b), arr(b, a)); (x[..] == y[..]) as u64 | ((x[..3] == y[2..5]) as u64) << 1 }
    eq_byte_slices(a, b) { let (x, y) = (bytes(a, b), bytes(b, a)); (x[..8] == y[8..]) as u64 | ((x == y) as u64) << 1 }
    eq_struct_arrays(a, b) { let x = [P { x: a as f32, y: b as u8 }; 3]; let mut y = x; y[2].y = a as u8; (x == y) as u64 | ((x[..2] == y[..2]) as u64) << 1 }
    eq_options(a, b) { let x = [Some(a as u8), None, Some(b as u8)]; let y = [Some(b as u8), None, Some(a as u8)]; (x == y) as u64 | ((x[0] == y[2]) as u64) << 1 }
    eq_nested(a, b) { let x = [[a as u8, b as u8], [1, 2]]; (x == [[b as u8, a as u8], [1, 2]]) as u64 }
    cmp_slices(a, b) { (arr(a, b)[..].cmp(&arr(b, a)[..]) as i8 as u64) ^ (bytes(a, b)[..3].cmp(&bytes(b, a)[..5]) as i8 as u64) << 8 }
    cmp_tuples(a, b) { ((a as u8, b).cmp(&(b as u8, a)) as i8 as u64) ^ (((a as f32, 1u8) < (b as f32, 2u8)) as u64) << 8 }
    partial_cmp_slices(a, b) { floats(a, b)[..].partial_cmp(&floats(b, a)[..]).map_or(9, |o| o as i8 as u64) }
    contains_byte(a, b) { bytes(a, b).contains(&7) as u64 | (bytes(a, b)[..].contains(&(b as u8)) as u64) << 1 }
    contains_word(a, b) { arr(a, b).contains(&3) as u64 | (arr(a, b)[..3].contains(&(b as u32)) as u64) << 1 }
    contains_float(a, b) { floats(a, b).contains(&0.5) as u64 }
    starts_ends_with(a, b) { let x = bytes(a, b); x.starts_with(&[a as u8, 0]) as u64 | (x.ends_with(&[0, 0]) as u64) << 1 }
    zip_for_each(a, b) { let mut x = arr(a, b); let y = arr(b, a); x.iter_mut().zip(y.iter()).for_each(|(p, q)| *p = p.wrapping_add(*q)); hs(&x) }
    zip_map_sum(a, b) { arr(a, b).iter().zip(arr(b, a).iter()).map(|(p, q)| (*p as u64).wrapping_mul(*q as u64)).fold(0u64, u64::wrapping_add) }
    zip_three(a, b) { let (x, y, z) = (arr(a, b), arr(b, a), bytes(a, b)); x.iter().zip(&y).zip(&z).map(|((p, q), r)| *p as u64 ^ *q as u64 ^ *r as u64).sum() }
    enumerate_for_each(a, b) { let mut x = arr(a, b); x.iter_mut().enumerate().for_each(|(i, p)| *p ^= i as u32); hs(&x) }
    flat_map_sum(a, b) { (0..a % 9).flat_map(|i| (0..i + b % 3).map(move |j| i * j)).sum::<u64>() }
    flat_map_count(a, b) { arr(a, b).iter().flat_map(|v| v.to_le_bytes()).filter(|v| *v > 100).count() as u64 }
    flatten_options(a, b) { [Some(a & 255), None, Some(b & 255)].iter().flatten().sum::<u64>() }
    flatten_arrays(a, b) { let x = [[a as u8, 1], [2, b as u8]]; x.iter().flatten().map(|v| *v as u64).sum() }
    flatten_into_iter(a, b) { h([[a, 1], [2, b]].into_iter().flatten()) }
    chain_twice(a, b) { let (x, y) = (arr(a, b), arr(b, a)); x.iter().chain(y.iter()).chain([1u32, 2].iter()).fold(0u64, |s, v| s.wrapping_mul(31) ^ *v as u64) }
    chain_once(a, b) { h(core::iter::once(a).chain(Some(b)).chain([1, 2])) }
    max_of_map(a, b) { arr(a, b).iter().map(|v| v.rotate_left(3)).max().unwrap() as u64 }
    min_of_filter(a, b) { arr(a, b).iter().filter(|v| **v & 1 == 0).min().copied().unwrap_or(9) as u64 }
    max_by_key(a, b) { keys(a, b).iter().max_by_key(|k| k.k).unwrap().v as u64 }
    min_by_key_of_map(a, b) { keys(a, b).iter().map(|k| (k.k ^ 5, k.v)).min_by_key(|p| p.0).unwrap().1 as u64 }
    max_by_partial_cmp(a, b) { floats(a, b).iter().copied().max_by(|x, y| x.partial_cmp(y).unwrap()).unwrap().to_bits() as u64 }
    max_by_total_cmp(a, b) { floats(a, b).iter().copied().max_by(f32::total_cmp).unwrap().to_bits() as u64 ^ floats(a, b).iter().copied().fold(f32::MIN, f32::max).to_bits() as u64 }
    reduce_min(a, b) { arr(a, b).into_iter().reduce(|x, y| x.min(y)).unwrap() as u64 }
    sum_of_user_iterator(a, b) { Upto { n: a & 3, to: b & 31 }.take_while(|v| *v < 400).sum::<u64>() }
    user_iterator_chain(a, b) { Upto { n: a & 3, to: b & 31 }.filter(|v| v & 1 == 1).map(|v| v * 3).max().unwrap_or(1) }
    user_iterator_collect_array(a, b) { let mut x = [0u64; 4]; for (p, v) in x.iter_mut().zip(Upto { n: a & 3, to: b & 31 }) { *p = v; } h(x) }
    array_from_fn(a, b) { let x: [u64; 8] = core::array::from_fn(|i| a.rotate_left(i as u32) ^ b); h(x) }
    array_from_fn_nested(a, b) { let x: [[u32; 3]; 3] = core::array::from_fn(|i| core::array::from_fn(|j| a as u32 ^ (b as u32).rotate_left((i * 3 + j) as u32))); h(x.iter().flatten().map(|v| *v as u64)) }
    array_map(a, b) { h(arr(a, b).map(|v| v as u64 ^ a)) }
    array_map_nested(a, b) { let x = [[a, b], [b, a]].map(|r| r.map(|v| v ^ 5)); h(x.concat_two()) }
    sort_unstable(a, b) { let mut x = arr(a, b); x.sort_unstable(); hs(&x) }
    sort_unstable_long(a, b) { let mut x = [0u32; 70]; let mut s = a ^ b.rotate_left(7); for p in x.iter_mut() { s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); *p = (s >> 33) as u32 & 255; } x.sort_unstable(); hs(&x) }
    sort_unstable_by(a, b) { let mut x = floats(a, b); x.sort_unstable_by(|p, q| q.total_cmp(p)); h(x.map(|v| v.to_bits() as u64)) }
    sort_unstable_by_key(a, b) { let mut x = keys(a, b); x.sort_unstable_by_key(|k| (k.k, k.v)); hk(&x) }
    sort_slice_of_it(a, b) { let mut x = bytes(a, b); x[2..11].sort_unstable(); hb(&x) }
    is_sorted(a, b) { arr(a, b).is_sorted() as u64 | (bytes(a, b)[..3].is_sorted_by_key(|v| *v & 15) as u64) << 1 }
    // refused: MD0181
    select_nth(a, b) { let mut x = arr(a, b); *x.select_nth_unstable(3).1 as u64 }
    binary_search(a, b) { let x = [1u32, 4, 9, 16, 25]; x.binary_search(&(a as u32 & 31)).map_or_else(|e| e as u64, |i| i as u64 + 100) ^ x.partition_point(|v| *v < (b as u32 & 31)) as u64 }
    binary_search_by(a, b) { let x = keys(1, 2); x.binary_search_by(|k| k.v.cmp(&(a as u32 & 7))).unwrap_or(9) as u64 ^ x.binary_search_by_key(&(b as u32 & 7), |k| k.v).unwrap_or(9) as u64 }
    rotate_left_right(a, b) { let mut x = arr(a, b); x.rotate_left(a as usize & 7); x[1..6].rotate_right(b as usize % 5); hs(&x) }
    rotate_bytes(a, b) { let mut x = bytes(a, b); x.rotate_left(a as usize & 15); hb(&x) }
    reverse(a, b) { let mut x = arr(a, b); x.reverse(); x[..5].reverse(); hs(&x) }
    reverse_bytes(a, b) { let mut x = bytes(a, b); x[..(a as usize & 15)].reverse(); hb(&x) }
    fill(a, b) { let mut x = arr(a, b); x[2..5].fill(b as u32); x[6..].fill_with(|| 4); hs(&x) }
    swaps(a, b) { let mut x = arr(a, b); let mut y = arr(b, a); x.swap(a as usize & 7, b as usize & 7); x[..4].swap_with_slice(&mut y[2..6]); hs(&x) ^ hs(&y) }
    copy_within(a, b) { let mut x = arr(a, b); x.copy_within(1..4, a as usize & 3); hs(&x) }
    copy_from_slice(a, b) { let mut x = arr(a, b); let y = arr(b, a); let n = a as usize & 7; x[..n].copy_from_slice(&y[..n]); x[n..].clone_from_slice(&y[n..]); hs(&x) }
    split_at_mut(a, b) { let mut x = arr(a, b); let (p, q) = x.split_at_mut(3); p[0] ^= q[1]; q[0] = p[2]; hs(&x) }
    split_first_last(a, b) { let x = arr(a, b); let (f, r) = x.split_first().unwrap(); let (l, m) = r.split_last().unwrap(); *f as u64 ^ *l as u64 ^ hs(m) }
    first_chunk(a, b) { let x = bytes(a, b); let w = x.first_chunk::<4>().unwrap(); u32::from_le_bytes(*w) as u64 ^ u16::from_be_bytes(x[3..5].try_into().unwrap()) as u64 }
    windows(a, b) { h(arr(a, b).windows(3).map(|w| w[0] as u64 ^ w[2] as u64)) }
    windows_any(a, b) { bytes(a, b).windows(2).any(|w| w[0] == w[1]) as u64 | (bytes(a, b).windows(2).filter(|w| w[0] < w[1]).count() as u64) << 1 }
    chunks(a, b) { h(arr(a, b).chunks(3).map(|c| c.iter().map(|v| *v as u64).sum())) ^ h(arr(a, b).chunks_exact(2).map(|c| c[1] as u64)) ^ h(arr(a, b).rchunks(3).map(|c| c[0] as u64)) }
    chunks_mut(a, b) { let mut x = arr(a, b); for (i, c) in x.chunks_mut(3).enumerate() { c[0] = i as u32; } x.chunks_exact_mut(2).for_each(|c| c.swap(0, 1)); hs(&x) }
    array_chunks(a, b) { let x = arr(a, b); let (c, r) = x.as_chunks::<3>(); h(c.iter().map(|c| c[0] as u64 ^ c[2] as u64)) ^ r.len() as u64 }
    chunk_by(a, b) { h(keys(a, b).chunk_by(|p, q| p.k == q.k).map(|c| c.len() as u64)) }
    split_by(a, b) { h(bytes(a, b).split(|v| *v == 0).map(|s| s.len() as u64)) }
    concat_iterators(a, b) { h(arr(a, b).iter().copied().map(u64::from).rev().step_by(2).skip(1).take(3)) }
    rev_enumerate(a, b) { h(arr(a, b).iter().enumerate().rev().map(|(i, v)| *v as u64 ^ i as u64)) }
    skip_while_take_while(a, b) { h(arr(a, b).iter().skip_while(|v| **v > 100).take_while(|v| **v != 3).map(|v| *v as u64)) }
    map_while(a, b) { h(arr(a, b).iter().map_while(|v| v.checked_sub(2)).map(|v| v as u64)) }
    scan(a, b) { h(arr(a, b).iter().scan(0u32, |s, v| { *s = s.wrapping_add(*v); Some(*s as u64) })) }
    zip_scan(a, b) { let mut o = [0u32; 8]; for (p, v) in o.iter_mut().zip(arr(a, b).iter().scan(1u32, |s, v| { *s = s.wrapping_mul(*v | 1); Some(*s) })) { *p = v; } hs(&o) }
    inspect_cycle(a, b) { let mut n = 0; let s = h([a, b, 3].iter().cycle().take(7).inspect(|_| n += 1).copied()); s ^ n }
    peekable(a, b) { let x = arr(a, b); let mut it = x.iter().peekable(); let mut s = 0u64; while let Some(v) = it.next() { if it.peek().map_or(false, |n| **n > *v) { s = s * 2 + 1 } else { s *= 2 } if it.next_if(|n| **n == 3).is_some() { s += 5 } } s }
    fold_rev(a, b) { arr(a, b).iter().rev().fold(0u64, |s, v| s.wrapping_mul(3).wrapping_add(*v as u64)) }
    rfold_rposition(a, b) { arr(a, b).iter().rposition(|v| *v == 3).unwrap() as u64 ^ arr(a, b).iter().rfind(|v| **v > 3).map_or(1, |v| *v as u64) }
    try_fold(a, b) { arr(a, b).iter().try_fold(0u32, |s, v| s.checked_add(*v)).map_or(1, |v| v as u64) }
    try_for_each(a, b) { let mut n = 0; let r = arr(a, b).iter().try_for_each(|v| { n += 1; if *v == 3 { Err(n) } else { Ok(()) } }); r.err().unwrap_or(99) }
    all_any_position(a, b) { arr(a, b).iter().all(|v| *v > 2) as u64 | (arr(a, b).iter().any(|v| *v == b as u32) as u64) << 1 | (arr(a, b).iter().position(|v| *v == 3).unwrap() as u64) << 2 }
    find_map(a, b) { arr(a, b).iter().find_map(|v| v.checked_sub(1000)).unwrap_or(5) as u64 }
    filter_map_last(a, b) { arr(a, b).iter().filter_map(|v| if v & 1 == 0 { Some(*v as u64) } else { None }).last().unwrap_or(3) }
    unzip_like(a, b) { let (mut s, mut t) = (0u64, 0u64); arr(a, b).iter().partition_sum(&mut s, &mut t); s ^ t << 1 }
    lt_eq_iterators(a, b) { arr(a, b).iter().eq(arr(b, a).iter()) as u64 | (arr(a, b).iter().lt(arr(b, a).iter()) as u64) << 1 | (arr(a, b).iter().map(|v| v & 3).cmp(arr(b, a).iter().map(|v| v & 3)) as i8 as u64) << 8 }
    product_sum(a, b) { arr(a, b).iter().map(|v| (*v & 7) as u64 + 1).product::<u64>() ^ bytes(a, b).iter().map(|v| *v as u32).sum::<u32>() as u64 }
    sum_options(a, b) { [Some(a & 255), Some(b & 255), if a & 1 == 0 { None } else { Some(1) }].into_iter().sum::<Option<u64>>().unwrap_or(7) }
    min_max_clamp(a, b) { (a.min(b).max(3).clamp(5, 1 << 40)) ^ core::cmp::max_by_key(a, b, |v| v & 15) }
    range_inclusive(a, b) { (a as u8..=b as u8).map(|v| v as u64).sum::<u64>() ^ (a as u8..=b as u8).rev().step_by(3).fold(0, |s, v| s * 3 % 1000003 + v as u64) }
    range_chars(a, b) { ('a'..='e').contains(&(a as u8 as char)) as u64 | (('a'..'z').contains(&(b as u8 as char)) as u64) << 1 }
    char_range_iter(a, b) { h(('a'..='g').skip(a as usize & 3).map(|c| c as u64)) ^ ('\u{d7f0}'..='\u{e010}').count() as u64 ^ b }
    step_range(a, b) { h((0..a & 63).step_by(b as usize % 7 + 1)) ^ (0..40u32).rev().step_by(3).map(|v| v as u64).sum::<u64>() }
    // refused: MD0174
    nested_loops_min(a, b) { (0..4u64).flat_map(|i| (0..4u64).map(move |j| (i, j))).filter(|(i, j)| i != j).map(|(i, j)| (a >> (i * 8) & 255) ^ (b >> (j * 8) & 255)).min().unwrap() }
    successors(a, b) { core::iter::successors(Some(a & 0xffff), |v| if *v > 1 { Some(v / 2 ^ (b & 1)) } else { None }).take(20).fold(0, |s, v| s ^ v << 1) }
    repeat_from_fn(a, b) { let mut n = a & 7; h(core::iter::repeat(b).take(3)) ^ h(core::iter::from_fn(|| { n += 1; if n < 12 { Some(n) } else { None } })) ^ h(core::iter::repeat_with(|| a).take(2)) }
    utf8_check(a, b) { let t = text(&bytes(a, b)); core::str::from_utf8(&t).map_or(99, |s| s.len() as u64) ^ core::str::from_utf8(&bytes(a, b)).map_or_else(|e| e.valid_up_to() as u64, |s| s.chars().count() as u64) << 8 }
    trim(a, b) { let t = text(&bytes(a, b)); let s = unsafe { core::str::from_utf8_unchecked(&t) }; s.trim().len() as u64 | (s.trim_start().len() as u64) << 8 | (s.trim_end().len() as u64) << 16 }
    trim_ascii(a, b) { let t = text(&bytes(a, b)); t.trim_ascii().len() as u64 | (t.is_ascii() as u64) << 8 }
    split_text(a, b) { let t = text(&bytes(a, b)); let s = unsafe { core::str::from_utf8_unchecked(&t) }; h(s.split(',').map(|p| p.len() as u64)) ^ h(s.split_whitespace().map(|p| p.len() as u64)) }
    lines(a, b) { let t = text(&bytes(a, b)); let s = unsafe { core::str::from_utf8_unchecked(&t) }; h(s.lines().map(|p| p.len() as u64)) }
    find_in_text(a, b) { let t = text(&bytes(a, b)); let s = unsafe { core::str::from_utf8_unchecked(&t) }; s.find('x').unwrap_or(77) as u64 ^ (s.rfind('x').unwrap_or(77) as u64) << 8 ^ (s.find(|c: char| c.is_ascii_digit()).unwrap_or(77) as u64) << 24 }
    find_substring(a, b) { let t = text(&bytes(a, b)); let s = unsafe { core::str::from_utf8_unchecked(&t) }; s.find("xy").unwrap_or(77) as u64 ^ s.rfind("y").unwrap_or(77) as u64 }
    // refused: MD0187
    contains_text(a, b) { let t = text(&bytes(a, b)); let s = unsafe { core::str::from_utf8_unchecked(&t) }; s.contains("yz") as u64 | (s.contains('x') as u64) << 1 }
    split_once(a, b) { let t = text(&bytes(a, b)); let s = unsafe { core::str::from_utf8_unchecked(&t) }; s.split_once(',').map_or(3, |(p, q)| p.len() as u64 ^ (q.len() as u64) << 8) }
    parse_numbers(a, b) { let t = [b'0' + (a % 10) as u8, b'0' + (b % 10) as u8, b'0' + (a >> 8) as u8 % 11]; let s = unsafe { core::str::from_utf8_unchecked(&t) }; s.parse::<u32>().unwrap_or(5) as u64 ^ u8::from_str_radix(&s[..2], 16).unwrap_or(9) as u64 ^ s.parse::<i64>().unwrap_or(-2) as u64 }
    count_chars(a, b) { let t = text(&bytes(a, b)); unsafe { core::str::from_utf8_unchecked(&t) }.chars().count() as u64 }
    chars_rev(a, b) { let t = text(&bytes(a, b)); h(unsafe { core::str::from_utf8_unchecked(&t) }.chars().rev().filter(|c| c.is_ascii_alphabetic()).map(|c| c.to_ascii_lowercase() as u64)) }
    // refused: MD0174
    char_kinds(a, b) { let c = char::from_u32(a as u32 & 0x1fffff).unwrap_or('x'); c.is_alphabetic() as u64 | (c.is_numeric() as u64) << 1 | (c.is_whitespace() as u64) << 2 | (c.is_uppercase() as u64) << 3 | (c.is_ascii_punctuation() as u64) << 4 ^ b << 8 }
    // refused: MD0174
    char_case(a, b) { let c = char::from_u32(a as u32 & 0x1ffff).unwrap_or('x'); h(c.to_uppercase().map(|c| c as u64)) ^ h(c.to_lowercase().map(|c| c as u64)) ^ b }
    encode_utf8(a, b) { let c = char::from_u32(a as u32 & 0x1fffff).unwrap_or('x'); let mut t = [0; 4]; hb(c.encode_utf8(&mut t).as_bytes()) ^ c.len_utf8() as u64 ^ c.to_digit(16).unwrap_or(77) as u64 ^ b }
    option_chain(a, b) { Some(a).filter(|v| v & 1 == 0).or(Some(b)).and_then(|v| v.checked_mul(3)).map_or_else(|| 1, |v| v ^ 5) ^ Some(a).zip(Some(b)).xor(None).map_or(0, |(x, y)| x & y) }
    result_chain(a, b) { let r: Result<u8, _> = u8::try_from(a); r.or_else(|_| u8::try_from(b)).map(|v| v as u64).unwrap_or_default() ^ i32::try_from(b).map_or(4, |v| v as u64) }
    cell_and_mem(a, b) { let c = core::cell::Cell::new(a); let r = core::cell::RefCell::new(b); *r.borrow_mut() ^= c.replace(5); let mut x = a; core::mem::swap(&mut x, &mut r.borrow_mut()); let y = *r.borrow(); x ^ c.get() ^ y ^ core::mem::take(&mut x) }
    ints(a, b) { a.isqrt() ^ a.ilog2_or(b) ^ (a as u32).pow_mod(b as u32) ^ a.abs_diff(b) ^ a.div_ceil(b | 1) ^ (a as i64).rem_euclid((b | 1) as i64) as u64 ^ a.leading_zeros() as u64 ^ a.checked_next_power_of_two().unwrap_or(1) }
}
trait Two<T> { fn concat_two(self) -> [T; 4]; }
impl<T: Copy> Two<T> for [[T; 2]; 2] { fn concat_two(self) -> [T; 4] { let [[a, b], [c, d]] = self; [a, b, c, d] } }
trait PartSum { fn partition_sum(self, s: &mut u64, t: &mut u64); }
impl<'a, I: Iterator<Item = &'a u32>> PartSum for I { fn partition_sum(self, s: &mut u64, t: &mut u64) { self.for_each(|v| if v & 1 == 0 { *s += *v as u64 } else { *t += *v as u64 }) } }
trait More { fn ilog2_or(self, d: u64) -> u64; }
impl More for u64 { fn ilog2_or(self, d: u64) -> u64 { self.checked_ilog2().map_or(d, |v| v as u64) } }
trait PowMod { fn pow_mod(self, n: u32) -> u64; }
impl PowMod for u32 { fn pow_mod(self, n: u32) -> u64 { self.wrapping_pow(n & 31) as u64 ^ self.saturating_pow(n & 3) as u64 ^ self.checked_pow(n & 7).unwrap_or(3) as u64 } }
