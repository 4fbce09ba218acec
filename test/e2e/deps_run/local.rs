// Functions of path dependencies: recursive, generic, of traits; their constants, statics and promoted values.
use core::cell::Cell;
use dep::{shapes::*, Down, Step, Up};
tests! {
    plain(a, b) { dep::fib(a % 12) ^ dep::mix(a, b) << 3 ^ dep::even(b % 30) as u64 }
    generic(a, b) { dep::walk(&Up(a as u32 % 999), b, (a % 5) as u32) ^ dep::walk(&Down::new(b % 77), a, 3) ^ Down::ZERO.n() }
    folded(a, b) { dep::fold(&[a, b, 3], 1u64, |s, v| s.wrapping_mul(31) ^ v) ^ dep::fold(&[a as u8, b as u8], (0u64, 1u32), |s, v| (s.0 + v as u64, s.1 ^ v as u32)).0 }
    constants(a, b) { dep::WORDS[(a % 6) as usize] as u64 ^ (dep::word(b as usize) as u64) << 8 ^ (dep::NAMES[(a % 3) as usize].len() as u64) << 16 ^ (dep::promoted(a as usize % 3)[0] as u64) << 20 ^ <Up as Step>::TABLE[(b % 4) as usize] as u64 ^ Down::BY ^ dep::WIDE }
    hidden(a, b) { dep::pick(a as usize) as u64 ^ (dep::M.pick(b as usize).len() as u64) << 8 ^ (dep::M::tab(3)[(a % 2) as usize].y as u64) << 16 }
    drops(a, b) { let c = Cell::new(a); { let x = dep::Count::new(&c, b % 9); let y = Some(dep::Count::new(&c, 3)); if a % 2 == 0 { drop(y); } c.set(c.get() ^ x.by()); } c.get() }
    tree(a, b) { use dep::Tree::*; let (p, q) = (Leaf(a), Leaf(b)); let n = Node(&p, &q); Node(&n, &p).sum() }
    macros(a, b) { dep::both!(a, b) }
    ring(a, b) { let mut r = dep::Ring::<u64, 3>::new(); r.push(a); r.push(b); let x = r.push(a ^ b); let y = r.push(7); x.is_none() as u64 ^ y.unwrap_or(1) ^ r.iter().fold(0u64, |s, v| s.wrapping_mul(3) ^ v) }
    shape(a, b) { let s = [Shape::Circle { r: (a % 10) as f32 }, Shape::Rect { w: 2.0, h: (b % 7) as f32 }, Shape::Dot]; s.all() as u64 ^ s[(a % 3) as usize].area() as u64 }
    middle(a, b) { mid::through(mid::Mine(a), b) ^ mid::through(Up(3), a) }
    derived(a, b) { let (x, y) = (Up(a as u32), Up(b as u32)); (x < y) as u64 ^ ((x == y) as u64) << 1 ^ (x.max(y).0 as u64) << 2 ^ (Up::default().0 as u64) << 40 ^ (x.cmp(&y) as i8 as u64) << 50 }
    dep(a, b) { use dep::Step as _; Up(a as u32).twice(b) }
    traps(a, b) { dep::must(a % 5 != 0, b) }
}
