//! What kernels may use of another crate.
#![no_std]
use core::cell::Cell;
pub mod shapes;
/// Not generic, not inline, recursive.
pub fn fib(n: u64) -> u64 { if n < 2 { n } else { fib(n - 1).wrapping_add(fib(n - 2)) } }
#[inline(never)] pub fn mix(a: u64, b: u64) -> u64 { helper(a ^ b, 3).wrapping_mul(31) }
fn helper(a: u64, n: u32) -> u64 { if n == 0 { a } else { helper(a.rotate_left(7) ^ 5, n - 1) } }
#[inline(never)] pub fn even(n: u64) -> bool { n == 0 || odd(n - 1) }
fn odd(n: u64) -> bool { n != 0 && even(n - 1) }
pub trait Step { const BY: u64; const TABLE: [u32; 4]; fn step(&self, n: u64) -> u64; fn twice(&self, n: u64) -> u64 { self.step(self.step(n)) } }
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)] pub struct Up(pub u32);
#[derive(Clone, Copy, PartialEq)] pub struct Down { pub(crate) n: u64, k: u8 }
impl Down { pub const ZERO: Down = Down { n: 0, k: 1 }; pub const fn new(n: u64) -> Self { Down { n, k: 3 } } pub fn n(&self) -> u64 { self.n ^ self.k as u64 } }
impl Step for Up { const BY: u64 = 3; const TABLE: [u32; 4] = [2, 7, 1, 8]; fn step(&self, n: u64) -> u64 { n.wrapping_add(self.0 as u64 * Self::BY) } }
impl Step for Down { const BY: u64 = 11; const TABLE: [u32; 4] = [3, 1, 4, 1]; fn step(&self, n: u64) -> u64 { n.wrapping_sub(self.n).wrapping_mul(Self::BY) } fn twice(&self, n: u64) -> u64 { n ^ self.k as u64 } }
/// Generic and recursive.
pub fn walk<S: Step>(s: &S, n: u64, depth: u32) -> u64 { if depth == 0 { n ^ S::TABLE[(n % 4) as usize] as u64 } else { walk(s, s.step(n), depth - 1) ^ S::BY } }
#[inline(never)] pub fn fold<T: Copy, A>(items: &[T], first: A, f: impl Fn(A, T) -> A) -> A { let mut a = first; for i in items { a = f(a, *i); } a }
pub static WORDS: [u32; 6] = [5, 3, 9, 1, 7, 2];
pub const NAMES: [&str; 3] = ["one", "three", "seventeen"];
pub fn promoted(n: usize) -> &'static [u16] { &[1, 2, 3, 500][n % 3..] }
pub fn word(n: usize) -> u32 { WORDS[n % WORDS.len()] }
pub struct Count<'a> { c: &'a Cell<u64>, by: Private }
struct Private { by: u64 }
impl Drop for Private { fn drop(&mut self) { self.by = 0 } }
impl<'a> Count<'a> { pub fn new(c: &'a Cell<u64>, by: u64) -> Self { Count { c, by: Private { by } } } pub fn by(&self) -> u64 { self.by.by } }
impl Drop for Count<'_> { fn drop(&mut self) { self.c.set(self.c.get().wrapping_mul(7).wrapping_add(self.by.by)) } }
pub enum Tree<'a> { Leaf(u64), Node(&'a Tree<'a>, &'a Tree<'a>) }
impl Tree<'_> { pub fn sum(&self) -> u64 { match self { Tree::Leaf(n) => *n, Tree::Node(a, b) => a.sum().wrapping_mul(3) ^ b.sum() } } }
#[macro_export] macro_rules! both { ($a:expr, $b:expr) => { $crate::mix($a, $b) ^ $crate::fib(($a) % 7) } }
pub struct Ring<T, const N: usize> { items: [Option<T>; N], at: usize }
impl<T, const N: usize> Ring<T, N> { const EMPTY: Option<T> = None; pub const fn new() -> Self { Ring { items: [Self::EMPTY; N], at: 0 } } pub fn push(&mut self, t: T) -> Option<T> { let old = self.items[self.at].replace(t); self.at = (self.at + 1) % N; old } pub fn iter(&self) -> impl Iterator<Item = &T> + '_ { self.items.iter().flatten() } }
#[cfg(feature = "wide")] pub const WIDE: u64 = 64; #[cfg(not(feature = "wide"))] pub const WIDE: u64 = 32;
#[track_caller] pub fn must(b: bool, n: u64) -> u64 { assert!(b, "must"); n }
mod inner { const IP: [i32; 5] = [3, 1, 4, 1, 5]; pub fn pick(n: usize) -> i32 { IP[n % 5] } pub struct M; impl M { pub fn pick(&self, n: usize) -> &'static str { ["ab", "cde", "f"][n % 3] } pub fn tab(n: usize) -> &'static [Pt; 2] { &[Pt { x: 3, y: -1 }, Pt { x: 9, y: 7 }] } } pub struct Pt { pub x: u8, pub y: i64 } }
pub use inner::*;
#[cfg(target_arch = "x86_64")] pub fn for_the_host(x: f32) -> f32 { use core::arch::x86_64::*; unsafe { _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x))) } }
