// Layouts of enums: niches in every place, several variants in one niche, wide and negative discriminants.
use core::cmp::Ordering;
use core::num::{NonZeroU8, NonZeroI64};
#[derive(Clone, Copy, PartialEq)] enum N { A(bool), B, C, D(bool) }
#[derive(Clone, Copy, PartialEq)] enum M { X(char), Y, Z, W }
#[derive(Clone, Copy, PartialEq)] enum Neg { A = -1, B = 300, C = i64::MIN as isize }
#[derive(Clone, Copy, PartialEq)] #[repr(i8)] enum Small { A = -128, B = -1, C = 127 }
#[derive(Clone, Copy, PartialEq)] #[repr(u64)] enum Wide { A = 1, B = u64::MAX, C = 1 << 40 }
#[derive(Clone, Copy, PartialEq)] enum In { P(u8, Ordering), Q { k: u32, o: Option<Ordering> }, R }
#[derive(Clone, Copy, PartialEq)] enum Deep { One(Result<u16, N>), Two(Option<M>), Three }
#[derive(Clone, Copy, PartialEq)] #[repr(C)] enum Cc { A(u8), B(u64), C }
#[derive(Clone, Copy, PartialEq)] #[repr(u16)] enum Tagged { A { x: u8, y: u32 } = 7, B(u64) = 500, C = 65535 }
#[derive(Clone, Copy)] enum Big { S([u64; 5]), T(u8, [u16; 3]), E }
enum Never {}
fn n(a: u64) -> N { match a % 5 { 0 => N::A(true), 1 => N::A(false), 2 => N::B, 3 => N::C, _ => N::D(a & 8 != 0) } }
fn m(a: u64) -> M { match a % 5 { 0 => M::X('a'), 1 => M::X('\u{10ffff}'), 2 => M::Y, 3 => M::Z, _ => M::W } }
fn o(a: u64) -> Ordering { match a % 3 { 0 => Ordering::Less, 1 => Ordering::Equal, _ => Ordering::Greater } }
fn inner(a: u64, b: u64) -> In { match a % 4 { 0 => In::P(b as u8, o(b)), 1 => In::Q { k: b as u32, o: Some(o(a / 4)) }, 2 => In::Q { k: a as u32, o: None }, _ => In::R } }
fn deep(a: u64, b: u64) -> Deep { match a % 6 { 0 => Deep::One(Ok(b as u16)), 1 => Deep::One(Err(n(b))), 2 => Deep::Two(Some(m(b))), 3 => Deep::Two(None), _ => Deep::Three } }
fn num(x: N) -> u64 { match x { N::A(b) => 10 + b as u64, N::B => 20, N::C => 30, N::D(b) => 40 + b as u64 } }
fn mum(x: M) -> u64 { match x { M::X(c) => c as u64, M::Y => 3, M::Z => 5, M::W => 7 } }
fn dum(x: Deep) -> u64 { match x { Deep::One(Ok(k)) => k as u64, Deep::One(Err(e)) => num(e) << 8, Deep::Two(Some(y)) => mum(y) << 16, Deep::Two(None) => 1, Deep::Three => 2 } }
fn ium(x: In) -> u64 { match x { In::P(k, v) => k as u64 ^ (v as i8 as u64) << 8, In::Q { k, o: Some(v) } => k as u64 + (v as i8 as u64 & 7), In::Q { k, o: None } => k as u64 * 3, In::R => 9 } }
#[inline(never)] fn pass<T>(x: T) -> T { x }
#[inline(never)] fn never(r: Result<u64, Never>) -> u64 { match r { Ok(x) => x, Err(e) => match e {} } }
#[inline(never)] fn set(x: &mut N, a: u64) { *x = n(a); if let N::A(b) = x { *b = !*b; } }

#[derive(Clone, Copy, PartialEq, PartialOrd)] enum Only { A = 5 }
#[derive(Clone, Copy)] #[repr(i16)] enum OnlySmall { A = -7 }
#[derive(Clone, Copy)] enum Void {}
enum Half { A(u64), B(Void, u8), C(u16, Void) }
#[inline(never)] fn only(e: &Only) -> u64 { *e as u64 }
#[inline(never)] fn void_rec(a: u64, n: u64) -> Result<u64, Void> { if n == 0 { Ok(a) } else { Ok(void_rec(a ^ n, n - 1)?.rotate_left(7)) } }

tests! {
    niche_group(a, b) { num(pass(n(a))) ^ num(pass(n(b))) << 20 ^ (n(a) == n(b)) as u64 }
    niche_char(a, b) { mum(pass(m(a))) ^ mum(m(b)).rotate_left(30) ^ (m(a) == m(b)) as u64 }
    nested(a, b) { dum(pass(deep(a, b))) ^ dum(deep(b, a)).rotate_left(33) ^ (deep(a, b) == deep(b, a)) as u64 }
    inner_ordering(a, b) { ium(pass(inner(a, b))) ^ ium(inner(b, a)).rotate_left(21) ^ (inner(a, b) == inner(a, a)) as u64 }
    negative(a, b) { let v = [Neg::A, Neg::B, Neg::C]; let x = v[(a % 3) as usize]; let y = v[(b % 3) as usize]; (pass(x) as i64 as u64) ^ (y as i32 as u64) << 3 ^ (x == y) as u64 }
    small(a, b) { let v = [Small::A, Small::B, Small::C]; let x = pass(v[(a % 3) as usize]); x as i8 as i64 as u64 ^ (v[(b % 3) as usize] as u8 as u64) << 20 }
    wide(a, b) { let v = [Wide::A, Wide::B, Wide::C]; let x = pass(v[(a % 3) as usize]); let w = pass(if b & 1 == 0 { Some(x) } else { None }); match w { Some(k) => k as u64, None => 5 } }
    tagged(a, b) { let t = match a % 3 { 0 => Tagged::A { x: b as u8, y: b as u32 }, 1 => Tagged::B(b), _ => Tagged::C }; let r = match pass(t) { Tagged::A { x, y } => x as u64 ^ (y as u64) << 9, Tagged::B(k) => k, Tagged::C => 1 }; r ^ (t == Tagged::C) as u64 }
    c_like(a, b) { let t = match a % 3 { 0 => Cc::A(b as u8), 1 => Cc::B(b), _ => Cc::C }; match pass(t) { Cc::A(k) => k as u64, Cc::B(k) => !k, Cc::C => 4 } }
    big(a, b) { let t = match a % 3 { 0 => Big::S([a, b, 1, 2, 3]), 1 => Big::T(a as u8, [b as u16, 2, 3]), _ => Big::E }; let u = pass(t); match u { Big::S(v) => v[(b % 5) as usize], Big::T(k, v) => k as u64 ^ (v[(a % 3) as usize] as u64) << 8, Big::E => 3 } }
    options_of_options(a, b) { let x: Option<Option<Option<bool>>> = match a % 5 { 0 => None, 1 => Some(None), 2 => Some(Some(None)), 3 => Some(Some(Some(true))), _ => Some(Some(Some(false))) }; match pass(x) { None => 1, Some(None) => 2, Some(Some(None)) => 3, Some(Some(Some(k))) => 4 + k as u64 + b % 2 } }
    option_ordering(a, b) { let x = if a & 4 == 0 { None } else { Some(o(b)) }; let r = match pass(x) { None => 8, Some(Ordering::Less) => 1, Some(Ordering::Equal) => 2, Some(Ordering::Greater) => 3 }; r ^ (x == Some(Ordering::Equal)) as u64 * 16 }
    option_reverse(a, b) { let x = o(a).then(o(b)).reverse(); (x as i8 as u64) ^ (x.is_lt() as u64) << 9 ^ (o(a).is_ge() as u64) << 10 }
    nonzero(a, b) { let x = NonZeroU8::new(a as u8); let y = NonZeroI64::new(b as i64); x.map_or(300, |k| k.get() as u64) ^ pass(y).map_or(9, |k| k.get() as u64) ^ (core::mem::size_of::<Option<NonZeroI64>>() as u64) << 4 }
    option_slice(a, b) { let v = [a, b, 3]; let s: Option<&[u64]> = if a & 1 == 0 { Some(&v[..(b % 4) as usize]) } else { None }; match pass(s) { None => 1, Some([]) => 2, Some(x) => x.len() as u64 ^ x[0] } }
    option_fn(a, b) { fn inc(x: u64) -> u64 { x.wrapping_add(1) } fn dec(x: u64) -> u64 { x.wrapping_sub(1) } let f: Option<fn(u64) -> u64> = match a % 3 { 0 => None, 1 => Some(inc), _ => Some(dec) }; match pass(f) { None => 7, Some(f) => f(b) } }
    uninhabited(a, b) { never(pass(Ok(a ^ b))) }
    unit_results(a, b) { let x: Result<(), bool> = match a % 3 { 0 => Ok(()), 1 => Err(true), _ => Err(false) }; let y: Result<u8, ()> = if b & 1 == 0 { Ok(b as u8) } else { Err(()) }; match (pass(x), pass(y)) { (Ok(()), Ok(k)) => k as u64, (Err(e), Ok(k)) => k as u64 ^ 256 ^ e as u64, (Ok(()), Err(())) => 5, (Err(e), Err(())) => 6 + e as u64 } }
    in_place(a, b) { let mut v = [n(a), n(b), N::B]; set(&mut v[(a % 3) as usize], b); let mut t = 0u64; for x in v { t = t.wrapping_mul(101).wrapping_add(num(x)); } t }
    replace(a, b) { let mut x = deep(a, b); let old = core::mem::replace(&mut x, deep(b, a)); dum(old) ^ dum(x).rotate_left(9) }
    discriminants(a, b) { (core::mem::discriminant(&inner(a, b)) == core::mem::discriminant(&inner(b, b))) as u64 | ((core::mem::discriminant(&n(a)) == core::mem::discriminant(&n(b))) as u64) << 1 }
    sizes(a, b) { let s = [core::mem::size_of::<N>(), core::mem::size_of::<M>(), core::mem::size_of::<Deep>(), core::mem::size_of::<In>(), core::mem::align_of::<Big>()]; s[(a % 5) as usize] as u64 ^ b }
    matches_many(a, b) { let x = (n(a), m(b)); matches!(x, (N::A(true), M::X('a')) | (N::B, M::Y | M::Z)) as u64 | (matches!(x.1, M::X('a'..='z')) as u64) << 1 }
    only_variant(a, b) { let x = [Only::A; 3]; only(&x[a as usize % 3]) + x[b as usize % 3] as u64 + match x[1] { Only::A => 9 } + (x[0] < x[1]) as u64 }
    only_variant_in_option(a, b) { let x = [Some(OnlySmall::A), None]; x[a as usize & 1].map_or(b, |e| e as i64 as u64) }
    without_values(a, b) { match void_rec(a, b & 15) { Ok(x) => x, Err(e) => match e {} } }
    without_values_inside(a, b) { enum Here {} struct S { r: Result<u64, Here>, k: u32 } let x = [S { r: Ok(a), k: 3 }, S { r: Ok(b), k: 4 }]; let s = &x[a as usize & 1]; match &s.r { Ok(v) => v ^ s.k as u64, Err(_) => 1 } }
    variants_without_values(a, b) { let x = [Half::A(a), Half::A(b)]; match &x[b as usize & 1] { Half::A(v) => *v, Half::B(e, _) => match *e {}, Half::C(_, e) => match *e {} } }
}
