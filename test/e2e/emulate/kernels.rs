//! Kernels for the command line of the emulator, and some that would never end well.
#![no_std]
use mirdc::prelude::*;

#[derive(Clone, Copy, mirdc::KernelArg)]
#[repr(C)]
pub struct Camera {
    id: u8,
    pos: [f32; 3],
    scale: f64,
}

static TABLE: Constant<[u32; 4]> = Constant::new([1, 2, 3, 4]);
static CALLS: Global<u32> = Global::new(5);

#[mirdc::kernel(block = 4)]
pub fn mixed(cam: Camera, flag: bool, letter: char, big: u128, p: *const u16, mut out: PerThread2d<f64>) {
    let i = thread::global_x();
    CALLS.atomic().fetch_add(1, Ordering::Relaxed, Scope::Device);
    if i == 0 {
        printf!("id %u flag %u letter %u big %lx\n", cam.id as u32, flag as u32, letter as u32, (big >> 64) as u64);
    }
    let v = if p.is_null() { 0.0 } else { unsafe { p.add(i).read() as f64 } };
    if let Some(o) = out.mine() {
        *o = cam.pos[i % 3] as f64 * cam.scale + TABLE.at(i) as f64 + v;
    }
}

#[mirdc::kernel(dynamic_shared = 64)]
pub fn fixed_shared(mut out: PerThread<u32>) {
    if let Some(o) = out.mine() {
        *o = mirdc::dynamic_shared_bytes() as u32;
    }
}

#[mirdc::kernel]
pub fn float_atomics(x: Buffer<f32>, y: Buffer<f64>, seen: Buffer<f32>) {
    use Ordering::*;
    x.atomic(0).fetch_add(1.5, Relaxed, Scope::Device);
    y.atomic(0).fetch_sub(0.25, AcqRel, Scope::System);
    seen.atomic(thread::global_x()).swap(x.atomic(1).swap(-0.0, Relaxed, Scope::Block), SeqCst, Scope::Device);
}

#[mirdc::kernel]
pub fn never_ends(x: Buffer<u32>) {
    while x.atomic(0).load(Ordering::Relaxed, Scope::Device) == 0 {}
}

#[mirdc::kernel]
pub fn never_ends_alone(x: Buffer<u32>) {
    let mut n = x.get(0);
    while n != 1 {
        n = (n & 6) | 2;
    }
    x.set(0, n);
}

#[mirdc::kernel]
pub fn wild(x: Buffer<u32>) {
    let p = x.get(0) as usize + 0x1234_5678_9000;
    x.set(0, unsafe { *(p as *const u32) });
}

#[mirdc::kernel]
pub fn null(p: *mut u32) {
    unsafe { p.add(1).write(1) };
}

#[inline(never)]
fn deep(n: u32, x: Buffer<u32>) -> u32 {
    let mut room = [n; 64];
    room[(n % 64) as usize] = x.get(0);
    if n == u32::MAX {
        return 0;
    }
    deep(n + 1, x) + room[((n + 1) % 64) as usize]
}

#[mirdc::kernel]
pub fn stack_overflow(x: Buffer<u32>) {
    x.set(0, deep(x.get(0), x));
}

#[mirdc::kernel(block = 32)]
pub fn deadlock(x: Buffer<u32>) {
    let t = thread::x() as usize;
    if t == 0 {
        warp::sync(3);
    } else {
        barrier();
    }
    x.set(t, 1);
}

#[mirdc::kernel(block = 32)]
pub fn foreign_local(x: Buffer<u64>) {
    let mut own = [thread::x(); 2];
    let t = thread::x() as usize;
    if t == 0 {
        x.set(0, own.as_mut_ptr() as u64);
    }
    barrier();
    if t == 1 {
        unsafe { *(x.get(0) as *mut u32) = 7 };
    }
    barrier();
    x.set(t + 1, own[0] as u64);
}

static NAMES: [u32; 3] = [7, 8, 9];

#[mirdc::kernel]
pub fn read_only(x: Buffer<u32>) {
    let p = (&raw const NAMES).cast::<u32>().cast_mut();
    unsafe { p.add(x.get(0) as usize).write(1) };
}

#[mirdc::kernel(block = 32)]
pub fn wrong_mask(x: Buffer<u32>) {
    let t = thread::x() as usize;
    warp::sync(if t < 2 { 2 } else { !3 });
    x.set(t, 1);
}

/// Nothing looks at the length, or at the elements.
#[mirdc::kernel]
pub fn address_only(y: Buffer<f32>) {
    unsafe { y.set_unchecked(thread::global_x(), 1.0) };
}

#[derive(Clone, Copy, mirdc::Plain, mirdc::KernelArg)]
#[repr(C)]
pub struct Pair {
    a: u32,
    b: u64,
}

#[mirdc::kernel]
pub fn length_only(y: Buffer<Pair>, _unused: PerThread<u16>, mut n: PerThread<u32>) {
    let l = y.len() as u32;
    if let Some(o) = n.mine() {
        *o = l;
    }
}
