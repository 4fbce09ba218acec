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

tests! {
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
