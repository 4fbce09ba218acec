// Items that rustc prints under one name: impls and functions made by macros, inner functions of
// one name, closures inside them.
struct A(u64); struct B(u64); struct C(u64);
trait Area { const K: u64; fn area(&self, x: u64) -> u64; fn plain(x: u64) -> u64; fn closed(&self, x: u64) -> u64; }
macro_rules! area { ($($t:ident $k:expr),*) => { $(
    impl Area for $t {
        const K: u64 = $k;
        #[inline(never)] fn area(&self, x: u64) -> u64 { if x > 1 { self.area(x / 3).wrapping_mul($k) ^ self.0 } else { $k } }
        #[inline(never)] fn plain(x: u64) -> u64 { if x > 1 { Self::plain(x / 2).wrapping_add($k) } else { $k } }
        #[inline(never)] fn closed(&self, x: u64) -> u64 { keep(|y| y.wrapping_mul($k) ^ self.0, x) }
    }
    impl $t {
        #[inline(never)] fn own(&self, x: u64) -> u64 { if x > 1 { self.own(x / 3) ^ $k } else { self.0 } }
        #[inline(never)] fn make(x: u64) -> u64 { keep(|y| y ^ $k, x) }
    } )* } }
area!(A 3, B 5, C 7);
#[inline(never)] fn keep<F: Fn(u64) -> u64>(f: F, x: u64) -> u64 { if x > 5 { f(x).wrapping_add(keep(f, x / 4)) } else { f(x) } }
macro_rules! inner { ($k:expr, $x:expr) => {{ #[inline(never)] fn step(x: u64) -> u64 { if x > 2 { step(x / 2).wrapping_mul($k) ^ x } else { $k } } step($x) }} }
macro_rules! table { ($k:expr, $i:expr) => {{ static T: [u64; 3] = [$k, $k * 2, $k ^ 77]; T[($i % 3) as usize] }} }
macro_rules! module { ($($m:ident $k:expr),*) => { $(mod $m { #[inline(never)] pub fn go(x: u64) -> u64 { if x > 9 { go(x / 3) ^ $k } else { x.wrapping_add($k) } } })* } }
module!(one 11, two 22);

struct W<T>(T, u64);
#[derive(Clone, Copy)] struct Tag(u32);
trait Mix { fn mix(&self) -> u64; fn by_default(&self, x: u64) -> u64 { keep(|y| y.wrapping_mul(3) ^ self.mix(), x) } }
impl Mix for u8 { fn mix(&self) -> u64 { *self as u64 + 1 } }
impl Mix for Tag { fn mix(&self) -> u64 { self.0 as u64 * 5 } }
impl<T: Mix> Mix for W<T> {
    #[inline(never)] fn mix(&self) -> u64 { keep(|y| y ^ self.0.mix(), self.1) }
    fn by_default(&self, x: u64) -> u64 { let (p, r) = (x, self.1); keep(move |y| { let q = y ^ 9; keep(|z| z ^ p ^ q.wrapping_mul(5), r & 63) }, x & 31) }
}
impl<T: Mix, const N: usize> Mix for [T; N] { fn mix(&self) -> u64 { let mut t = N as u64; for x in self { t = keep(|y| y.rotate_left(3) ^ x.mix(), t); } t } }
impl<T: Mix> W<T> { #[inline(never)] fn fold<U: Mix>(&self, u: U, n: u64) -> u64 { keep(|y| y.wrapping_add(u.mix()) ^ self.0.mix(), n) } }
trait Words { fn words(&self) -> &'static [u64]; }
trait Lists { fn list() -> &'static [(u8, &'static [u8])]; }
impl Lists for A { #[inline(never)] fn list() -> &'static [(u8, &'static [u8])] { &[(33, b"ab"), (1, &[34, 7, 9])] } }
impl Lists for B { #[inline(never)] fn list() -> &'static [(u8, &'static [u8])] { &[(44, b"cd"), (2, &[45, 8, 9])] } }
macro_rules! words { ($($t:ident $k:expr),*) => { $( impl Words for $t {
    #[inline(never)] fn words(&self) -> &'static [u64] { if self.0 > 9 { &[1, 2, $k] } else { &[$k, 5] } } } )* } }
words!(A 33, B 44, C 55);

tests! {
    generic_methods(a, b) { W(a as u8, b).mix() ^ W(Tag(b as u32), a).mix().rotate_left(5) ^ W(W(Tag(1), b), a).mix().rotate_left(9) }
    defaults(a, b) { (a as u8).by_default(b) ^ Tag(b as u32).by_default(a).rotate_left(4) ^ W(Tag(a as u32), b).by_default(a).rotate_left(7) ^ W(b as u8, a).by_default(b) }
    arrays(a, b) { [a as u8, b as u8].mix() ^ [Tag(a as u32), Tag(3), Tag(b as u32)].mix().rotate_left(8) }
    two_lists(a, b) { W(a as u8, b).fold(Tag(b as u32), a) ^ W(Tag(1), a).fold(b as u8, b).rotate_left(3) ^ W(W(2u8, a), b).fold([Tag(a as u32)], a & 99) }
    promoted(a, b) { let w = (A(a).words(), B(b).words(), C(a).words()); w.0[(a % 2) as usize] ^ w.1[(b % 2) as usize] << 8 ^ w.2[(b % 2) as usize] << 16 ^ (w.0.len() as u64) << 32 }
    promoted_nested(a, b) { let l = (A::list(), B::list()); let (x, y) = l.0[(a % 2) as usize]; let (z, w) = l.1[(b % 2) as usize]; x as u64 ^ (y[(b % 2) as usize] as u64) << 8 ^ (z as u64) << 16 ^ (w[1] as u64) << 24 ^ (w.len() as u64) << 32 }
    methods(a, b) { A(a).area(b) ^ B(a).area(b).rotate_left(9) ^ C(b).area(a).rotate_left(21) }
    statics_of_traits(a, b) { A::plain(a) ^ B::plain(b).rotate_left(11) ^ C::plain(a ^ b).rotate_left(30) }
    consts_of_traits(a, b) { A::K.wrapping_mul(a) ^ B::K.wrapping_mul(b) ^ C::K }
    closures_in_methods(a, b) { A(a).closed(b) ^ B(b).closed(a).rotate_left(5) ^ C(a).closed(b).rotate_left(40) }
    inherent(a, b) { A(a).own(b) ^ B(a).own(b).rotate_left(7) ^ C(a).own(b).rotate_left(14) }
    inherent_closures(a, b) { A::make(a) ^ B::make(b).rotate_left(3) ^ C::make(a).rotate_left(33) }
    inner_functions(a, b) { inner!(3, a) ^ inner!(5, b).rotate_left(8) ^ inner!(7, a ^ b).rotate_left(16) }
    inner_tables(a, b) { table!(3, a) ^ table!(500, b) << 8 ^ table!(70000, a ^ b) << 20 }
    modules(a, b) { one::go(a) ^ two::go(b).rotate_left(4) }
}
