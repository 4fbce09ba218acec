//! One kernel for each row of docs/abi.md: it copies what it was given into `out`, by bytes.

use mirdc::prelude::*;

#[repr(C)]
#[derive(Clone, Copy, mirdc::KernelArg)]
pub struct Camera {
    pub id: u8,
    pub pos: [f32; 3],
    pub scale: f64,
}

#[repr(C, align(32))]
#[derive(Clone, Copy, mirdc::KernelArg)]
pub struct Wide {
    pub a: u64,
    pub b: u8,
}

#[repr(C)]
#[derive(Clone, Copy, mirdc::KernelArg)]
pub struct Nested {
    pub flag: bool,
    pub inner: Camera,
    pub tail: [u16; 3],
}

#[derive(Clone, Copy, mirdc::KernelArg)]
pub struct Nothing;

#[derive(Clone, Copy)]
pub struct Writer {
    at: usize,
    out: *mut u8,
}

impl Writer {
    /// Appends the bytes of a value.
    fn put<T: Copy>(&mut self, v: T) {
        let p = &raw const v as *const u8;
        for i in 0..core::mem::size_of::<T>() {
            unsafe { *self.out.add(self.at + i) = *p.add(i) };
        }
        self.at += core::mem::size_of::<T>();
    }
}

fn writer(out: *mut u8) -> Writer {
    Writer { at: 0, out }
}

#[mirdc::kernel]
pub fn integers(out: *mut u8, a: u8, b: i16, c: u32, d: i64, e: usize, f: i8, g: u16, h: i32, i: u64, j: isize) {
    let mut w = writer(out);
    w.put(a);
    w.put(b);
    w.put(c);
    w.put(d);
    w.put(e);
    w.put(f);
    w.put(g);
    w.put(h);
    w.put(i);
    w.put(j);
}

#[mirdc::kernel]
pub fn wide_integers(out: *mut u8, a: u8, b: u128, c: u8, d: i128) {
    let mut w = writer(out);
    w.put(a);
    w.put(b);
    w.put(c);
    w.put(d.wrapping_mul(3));
}

#[mirdc::kernel]
pub fn others(out: *mut u8, a: bool, b: char, c: f32, d: f64, e: F16, f: bool) {
    let mut w = writer(out);
    w.put(a);
    w.put(b as u32);
    w.put(c);
    w.put(d);
    w.put(e.to_bits());
    w.put(f);
}

#[mirdc::kernel]
pub fn pointers(out: *mut u8, a: *const u32, b: *mut u64) {
    let mut w = writer(out);
    unsafe {
        w.put(*a);
        w.put(*b.add(1));
        *b = 77;
    }
}

#[mirdc::kernel]
pub fn slices(out: *mut u8, first: u8, a: &[u16], b: Buffer<u32>, mut c: PerThread<u64>, last: u8) {
    let mut w = writer(out);
    w.put(first);
    w.put(a.len());
    w.put(a[a.len() - 1]);
    w.put(b.len());
    b.set(1, 0xabcd);
    w.put(c.len());
    if let Some(v) = c.mine() {
        *v += 5;
    }
    w.put(last);
}

#[mirdc::kernel]
pub fn aggregates(out: *mut u8, first: u8, cam: Camera, wide: Wide, nested: Nested, t: (u32, u8), arr: [u16; 5], last: u8) {
    let mut w = writer(out);
    w.put(first);
    w.put(cam.id);
    w.put(cam.pos);
    w.put(cam.scale);
    w.put(wide.a);
    w.put(wide.b);
    w.put(nested.flag);
    w.put(nested.inner.id);
    w.put(nested.inner.scale);
    w.put(nested.tail);
    w.put(t.0);
    w.put(t.1);
    w.put(arr);
    w.put(last);
}

#[mirdc::kernel]
pub fn zero_sized(out: *mut u8, a: u8, n: Nothing, b: u32, m: [u64; 0], c: u8) {
    let _ = (n, m);
    let mut w = writer(out);
    w.put(a);
    w.put(b);
    w.put(c);
}

/// The largest parameter block that works: 32,764 bytes with the pointer.
#[mirdc::kernel]
pub fn large(out: *mut u8, big: [u32; 8189]) {
    let mut w = writer(out);
    w.put(big[0]);
    w.put(big[4000]);
    w.put(big[8188]);
}

/// Matrices know their width.
#[mirdc::kernel]
pub fn matrix(mut m: PerThread2d<u32>) {
    let v = (thread::global_y() * 1000 + thread::global_x()) as u32;
    if let Some(o) = m.mine() {
        *o = v;
    }
}
