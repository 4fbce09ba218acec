// Source of the dumps beside this file: each construct once, printed by three versions of rustc
// with the flags of the pass. `test/unit/mir/dump.sh` writes them anew.
#![no_std]
#![crate_type = "lib"]
use core::fmt::Debug;

pub struct Add(pub i32, pub i32);
#[repr(C)]
pub struct Pair<T> {
    pub a: T,
    pub b: u64,
}
pub enum Shape {
    Dot,
    Line(f32),
    Rect { w: f32, h: f32 },
}
pub trait Op {
    const K: u32;
    fn run(&self, x: u32) -> u32;
}
pub struct Twice;
impl Op for Twice {
    const K: u32 = 2;
    fn run(&self, x: u32) -> u32 {
        x * Self::K
    }
}

pub static TABLE: [u32; 5] = [1, 2, 3, 5, 8];
pub static NAMES: [(&str, Option<fn(u32) -> u32>); 2] = [("id", Some(id)), ("none", None)];
pub static mut COUNTER: u64 = 7;
pub const CFG: Pair<u8> = Pair { a: 3, b: 4 };
#[repr(C, packed)]
pub struct Tight(u32, u64, &'static u32, u16);
pub static TIGHT: Tight = Tight(1, 2, &TABLE[2], 3);

unsafe extern "C" {
    fn ext_tid() -> u32;
    static EXT_SCALE: f32;
}

pub fn id(x: u32) -> u32 {
    x
}
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32], i: usize) {
    if i < x.len() {
        y[i] = a * x[i] + y[i];
    }
}
pub fn make(a: i32) -> (Add, Option<Pair<u16>>) {
    (Add(a, a), Some(Pair { a: 1, b: 2 }))
}
pub fn area(s: &Shape) -> f32 {
    match s {
        Shape::Dot => 0.0,
        Shape::Line(l) => *l,
        Shape::Rect { w, h } => w * h,
    }
}
pub fn look(i: usize) -> u32 {
    let n = &NAMES[i & 1];
    TABLE[i] + n.0.len() as u32 + n.1.map_or(0, |f| f(3)) + CFG.b as u32
}
pub unsafe fn count() -> u64 {
    unsafe {
        COUNTER += 1;
        COUNTER + TIGHT.1
    }
}
#[inline(never)]
pub fn apply<F: Fn(u32) -> u32>(f: F, n: u32) -> u32 {
    f(n) + 1
}
pub fn one_capture(k: u32, p: (u8, u64)) -> u32 {
    apply(|x| x + k, 4) + apply(move |x| x + p.0 as u32 + p.1 as u32, 5)
}
pub fn method<T: Op>(t: &T, v: [u16; 4]) -> u32 {
    let mut s = T::K;
    for (i, x) in v.iter().enumerate() {
        s = s.wrapping_add(t.run(*x as u32 + i as u32));
    }
    s
}
pub fn casts(x: i16, p: *const u8, c: char) -> (u64, f32, usize, u32, i128) {
    (x as u64, x as f32, p as usize, c as u32, -(x as i128))
}
pub fn parts(x: &mut [u8]) -> &mut [u8] {
    match x {
        [_, m @ .., _, _] => m,
        _ => x,
    }
}
pub fn shift(a: u32, b: u32) -> u32 {
    (a << b) / (b - 1)
}
pub fn device() -> f32 {
    unsafe { ext_tid() as f32 * EXT_SCALE }
}
pub fn asm(a: u64) -> u64 {
    let r: u64;
    unsafe {
        core::arch::asm!("// {{ \"quoted\"", "    }}", "mov {0}, {1}", out(reg) r, in(reg) a,
            options(pure, nomem, nostack))
    };
    r
}
pub fn dynamic(x: bool) -> &'static dyn Debug {
    if x { &3u8 } else { &(1u16, 2u64) }
}
pub fn fall(x: Option<u32>) -> u32 {
    x.unwrap()
}
pub fn tight() -> &'static Tight {
    &TIGHT
}
