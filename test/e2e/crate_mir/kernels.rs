//! Every operation of the device crate, to see what rustc makes of it.
#![no_std]
use mirdc::Ordering::*;
use mirdc::Scope::*;
use mirdc::prelude::*;

#[derive(Clone, Copy, mirdc::KernelArg, mirdc::Plain)]
pub struct Point {
    pub x: f32,
    pub y: f64,
}

#[mirdc::kernel(block = (32, 4), min_blocks = 2, dynamic_shared = 1024)]
pub fn facts(p: Point, n: u8, out: *mut f64) {
    unsafe { *out = p.x as f64 + p.y + n as f64 }
}

#[mirdc::kernel]
pub fn indices(mut out: PerThread<u64>) {
    let i = thread::index();
    let sum = thread::linear() as usize
        + thread::global_y()
        + thread::global_z()
        + block::linear()
        + block::threads() as usize
        + grid::blocks()
        + grid::threads()
        + grid::threads_x()
        + warp::lane() as usize
        + warp::id() as usize
        + thread::multiprocessor() as usize;
    if let Some(o) = out.at(i) {
        *o = sum as u64 + thread::clock() + thread::timer();
    }
    thread::sleep(10);
    thread::breakpoint();
}

#[mirdc::kernel]
pub fn strided(k: f32, mut out: PerThread<f32>) {
    out.for_each_strided(|i, v| *v = *v * k + i as f32);
}

#[mirdc::kernel]
pub fn matrix(mut out: PerThread2d<f32>) {
    if let Some(o) = out.mine() {
        *o += 1.0;
    }
}

#[mirdc::kernel]
pub fn tile(x: &[f32], out: Buffer<f32>) {
    let t = thread::x() as usize;
    let tile = shared![f32; 256];
    tile.set(t, x[thread::global_x()]);
    barrier();
    let v = tile.get(255 - t);
    let n = thread::barrier_count(v > 0.0);
    if thread::barrier_all(v > 1.0) || thread::barrier_any(v < 0.0) {
        out.set(t, v + n as f32);
    }
}

#[mirdc::kernel]
pub fn twice_shared(out: Buffer<f32>) {
    let s = shared![f32; 64];
    let a = s.get(1);
    barrier();
    let b = s.get(1);
    out.set(0, a + b);
}

#[mirdc::kernel]
pub fn two_arrays(out: Buffer<f32>) {
    let a = shared![f32; 64];
    let b = shared![f32; { 32 + 32 }];
    a.set(0, 1.0);
    b.set(0, 2.0);
    out.set(0, a.get(0) + b.get(0));
}

#[mirdc::kernel]
pub fn twice_buffer(x: Buffer<f32>, out: Buffer<f32>) {
    let a = x.get(1);
    barrier();
    let b = x.get(1);
    out.set(0, a + b);
}

#[mirdc::kernel]
pub fn twice_pointer(x: *const f32, out: Buffer<f32>) {
    let a = unsafe { *x };
    barrier();
    let b = unsafe { *x };
    out.set(0, a + b);
}

#[mirdc::kernel]
pub fn once_slice(x: &[f32], out: Buffer<f32>) {
    let a = x[1];
    barrier();
    let b = x[1];
    out.set(0, a + b);
}

#[mirdc::kernel]
pub fn dynamic(out: Buffer<u32>) {
    let s = mirdc::dynamic_shared::<u32>(0);
    let t = thread::x() as usize;
    s.set(t, t as u32);
    s.atomic(0).fetch_add(1, Relaxed, Block);
    barrier();
    out.set(t, s.get(t) + s.len() as u32);
}

#[mirdc::kernel]
pub fn shuffles(out: Buffer<f64>) {
    let l = warp::lane();
    let a = warp::shuffle(l, 3) + warp::shuffle_up(l, 1);
    let b = warp::shuffle_down(l as i32, 2) + warp::shuffle_xor(l as i32, 4);
    let c = warp::shuffle_with(0xff, l as f32, 1, 8);
    let d = warp::shuffle_xor(l as f64, 16) + warp::shuffle(l as u64, 5) as f64;
    out.set(l as usize, (a as i32 + b) as f64 + c as f64 + d);
}

#[mirdc::kernel]
pub fn votes(out: Buffer<u32>) {
    let l = warp::lane();
    let mut v = warp::ballot(l > 3) ^ warp::active();
    if warp::all(l > 0) || warp::any(l > 30) || warp::uniform(l > 40) {
        v ^= warp::match_any(l / 2) ^ warp::match_any(l as u64);
    }
    if warp::match_all(l) || warp::match_all(l as f64) {
        v += 1;
    }
    warp::sync(warp::FULL);
    v ^= warp::reduce_add(warp::FULL, l) ^ warp::reduce_xor(warp::FULL, l);
    v ^= warp::reduce_min_i32(warp::FULL, -(l as i32)) as u32;
    out.set(l as usize, v);
}

#[mirdc::kernel]
pub fn atomics(a: &[Atomic<u32>], b: &[Atomic<i64>], f: &[Atomic<f32>], h: Buffer<u16>) {
    let mut v = a[0].load(Acquire, Device);
    a[1].store(v, Release, System);
    v = a[0].fetch_add(1, Relaxed, Device) ^ a[0].fetch_max(9, AcqRel, Block);
    match b[0].compare_exchange(1, v as i64, AcqRel, Acquire, Device) {
        Ok(o) => b[1].fetch_min(o, SeqCst, System),
        Err(o) => b[1].swap(o, Relaxed, Device),
    };
    let before = f[0].fetch_add(2.5, Relaxed, Device);
    f[1].fetch_sub(before, Relaxed, Device);
    f[1].swap(f[0].load(Relaxed, Device), AcqRel, Block);
    h.atomic(3).store(7, Relaxed, Device);
    fence(AcqRel, Device);
}

#[mirdc::kernel]
pub fn floats(mut out: PerThread<f32>, mut wide: PerThread<f64>) {
    if let Some(o) = out.mine() {
        let x = *o;
        *o = x.sin() + x.exp().sqrt() + x.powf(2.0).floor() + x.mul_add(2.0, 1.0) + x.powi(5)
            + x.atan2(3.0) + x.rsqrt() + math::erff(x) + math::fminf(x, 1.0) + x.round_ties_even()
            + math::fast::div(math::fast::sin(x), math::fast::exp2(x));
    }
    if let Some(o) = wide.mine() {
        let (s, c) = o.sin_cos();
        *o = s * c + o.ln().cbrt().tanh();
    }
}

#[mirdc::kernel]
pub fn halves(mut v: PerThread<F16>) {
    if let Some(x) = v.mine() {
        let y = F16::from_f32(x.to_f32() + 1.0);
        *x = if *x < y { *x * y + y } else { (*x - y).mul_add(y, F16::ONE) / y };
    }
}

static TABLE: Constant<[f32; 4]> = Constant::new([1.0, 2.0, 4.0, 8.0]);
static COUNT: mirdc::Global<u32> = mirdc::Global::new(5);

#[mirdc::kernel]
pub fn spaces(mut out: PerThread<f32>) {
    COUNT.atomic().fetch_add(1, Relaxed, Device);
    if let Some(o) = out.mine() {
        *o = TABLE.at(thread::x() as usize) + COUNT.get() as f32;
    }
}

#[mirdc::kernel]
pub fn messages(x: &[f32]) {
    let i = thread::x();
    printf!("thread %d has %f, %lu\n", i, x[0], x.len());
    printf!("done\n");
    device_assert!(i < 32, "too many threads");
}

#[mirdc::kernel]
pub fn text(out: Buffer<u32>) {
    let (a, b) = (thread::x(), 5u32);
    let r: u32;
    ptx!("{{ .reg .u32 t;", " add.u32 t, {1}, {2};", " mov.u32 {0}, t; }}",
         out(u32) r, in(u32) a, in(u32) b, options(pure));
    let mut d = 1.5f64;
    ptx!("add.f64 {0}, {0}, 0d3FF0000000000000;", inout(f64) d);
    ptx!("membar.gl;");
    out.set(0, r + d as u32);
}

#[mirdc::kernel]
pub fn read_only(x: &[f32], out: Buffer<f32>) {
    out.set(0, unsafe { mirdc::intrinsics::load_read_only(x.as_ptr()) });
}

#[mirdc::kernel(instances(<f32>, <u64>))]
pub fn fill<T: Copy + mirdc::Plain + mirdc::KernelArg + mirdc::Element>(v: T, out: Buffer<T>) {
    let i = thread::global_x();
    if i < out.len() {
        out.set(i, v);
    }
}

unsafe extern "C" {
    fn from_elsewhere(x: f32) -> f32;
}

#[mirdc::device_export]
pub extern "C" fn for_elsewhere(x: f32) -> f32 {
    unsafe { from_elsewhere(x) * 2.0 }
}

#[mirdc::kernel]
pub fn foreign(out: Buffer<f32>) {
    out.set(0, unsafe { from_elsewhere(1.0) });
}
