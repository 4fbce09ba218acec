//! Kernels over every operation of the device crate. Each thread writes `K` words, so that a run on
//! the GPU can be compared with one in the simulator.
#![no_std]
use mirdc::prelude::*;
use mirdc::Ordering::*;
use mirdc::Scope::*;

/// Writes a thread's results one after the other.
struct Sink<'a> {
    out: Buffer<'a, u64>,
    at: usize,
}
impl<'a> Sink<'a> {
    #[inline(always)]
    fn new(out: Buffer<'a, u64>, words: usize) -> Sink<'a> {
        Sink { out, at: thread::global() * words }
    }
    #[inline(always)]
    fn put(&mut self, v: impl Into<u64>) {
        self.out.set(self.at, v.into());
        self.at += 1;
    }
    #[inline(always)]
    fn f32(&mut self, v: f32) {
        self.put(v.to_bits());
    }
    #[inline(always)]
    fn f64(&mut self, v: f64) {
        self.put(v.to_bits());
    }
    /// A half; all NaNs are one.
    #[inline(always)]
    fn half(&mut self, v: F16) {
        self.put(if v.is_nan() { 0x7e00 } else { v.to_bits() } as u64);
    }
}

#[mirdc::kernel]
pub fn indices(_x: &[u64], out: Buffer<u64>) {
    let mut s = Sink::new(out, 24);
    for v in [thread::x(), thread::y(), thread::z(), thread::linear()] {
        s.put(v);
    }
    for v in [block::x(), block::y(), block::z(), block::size_x(), block::size_y()] {
        s.put(v);
    }
    for v in [block::size_z(), block::threads(), grid::size_x(), grid::size_y(), grid::size_z()] {
        s.put(v);
    }
    let wide = [
        thread::global(),
        thread::global_x(),
        thread::global_y(),
        thread::global_z(),
        block::linear(),
        grid::blocks(),
        grid::threads(),
        grid::threads_x() + grid::threads_y() * 1000 + grid::threads_z() * 1_000_000,
        thread::index().get(),
    ];
    for v in wide {
        s.put(v as u64);
    }
    s.put(warp::lane());
}

#[mirdc::kernel]
pub fn shuffles(x: &[u64], out: Buffer<u64>) {
    let mut s = Sink::new(out, 20);
    let v = x[thread::global() % x.len()];
    let w = v as u32;
    let l = warp::lane();
    s.put(warp::shuffle(w, 5));
    s.put(warp::shuffle(w, 37));
    s.put(warp::shuffle(w, l ^ 9));
    s.put(warp::shuffle_up(w, 3));
    s.put(warp::shuffle_down(w, 7));
    s.put(warp::shuffle_xor(w, 17));
    s.put(warp::shuffle(v, 30));
    s.put(warp::shuffle_down(v, 1));
    s.put(warp::shuffle(w as i32, 2) as u32);
    s.f32(warp::shuffle_up(l as f32 * 1.5, 1));
    s.f64(warp::shuffle_xor(l as f64 * 0.1, 31));
    s.put(warp::shuffle_with(warp::FULL, w, 3, 8));
    s.put(warp::shuffle_up_with(warp::FULL, w, 2, 16));
    s.put(warp::shuffle_down_with(warp::FULL, w, 2, 4));
    s.put(warp::shuffle_xor_with(warp::FULL, w, 3, 8));
    s.put(warp::shuffle_xor_with(warp::FULL, w, 12, 8));
    s.put(warp::shuffle_down_with(warp::FULL, v, 1, 2));
    s.put(warp::shuffle_up(w, 40));
    s.put(warp::shuffle_down(w, 31));
    s.put(warp::shuffle_with(warp::FULL, w, 1, 1));
}

#[mirdc::kernel]
pub fn votes(x: &[u64], out: Buffer<u64>) {
    let mut s = Sink::new(out, 24);
    let v = x[thread::global() % x.len()];
    let l = warp::lane();
    s.put(warp::ballot(v & 1 == 1));
    s.put(warp::all(v & 1 == 1));
    s.put(warp::all(l < 32));
    s.put(warp::any(v == 0));
    s.put(warp::any(l == 31));
    s.put(warp::uniform(l < 32));
    s.put(warp::uniform(l < 16));
    s.put(warp::match_any(v as u32 % 3));
    s.put(warp::match_any(v % 5));
    s.put(warp::match_any((v % 4) as f32));
    s.put(warp::match_all(l));
    s.put(warp::match_all(7u32));
    s.put(warp::match_all(1u64 << 40));
    s.put(warp::reduce_add(warp::FULL, v as u32));
    s.put(warp::reduce_min(warp::FULL, v as u32));
    s.put(warp::reduce_max(warp::FULL, v as u32));
    s.put(warp::reduce_and(warp::FULL, v as u32 | 5));
    s.put(warp::reduce_or(warp::FULL, v as u32 & 0xff));
    s.put(warp::reduce_xor(warp::FULL, v as u32));
    s.put(warp::reduce_min_i32(warp::FULL, v as i32) as u32);
    s.put(warp::reduce_max_i32(warp::FULL, v as i32) as u32);
    s.put(warp::active());
    warp::sync(warp::FULL);
    // Half of the warp takes another way.
    let part = if l < 16 {
        warp::ballot_with(0xffff, v & 2 == 2) ^ warp::reduce_add(0xffff, 1)
    } else {
        warp::match_any_with(0xffff_0000, v as u32 & 1)
    };
    s.put(part);
    s.put(warp::all_with(warp::FULL, part != 3));
}

#[mirdc::kernel]
pub fn blocks(x: &[u64], out: Buffer<u64>) {
    let mut s = Sink::new(out, 8);
    let v = x[thread::global() % x.len()];
    let t = thread::linear() as usize;
    let n = block::threads() as usize;
    let a = shared![u64; 64];
    let b = shared![u32; 64];
    a.set(t, v);
    b.set(t, t as u32);
    barrier();
    s.put(a.get(n - 1 - t));
    s.put(b.get((t * 7 + 3) % n));
    s.put(thread::barrier_count(v % 3 == 0));
    s.put(thread::barrier_all(t < 64));
    s.put(thread::barrier_all(t < 63));
    s.put(thread::barrier_any(t == 63));
    let d = mirdc::dynamic_shared::<u64>(16);
    if t < d.len() {
        d.set(t, v ^ 1);
    }
    barrier();
    s.put(d.get(t % d.len()));
    s.put(mirdc::dynamic_shared_bytes() as u64 + d.len() as u64);
}

/// The scan of each block, by doubling steps: a read and a write of one array between barriers.
#[mirdc::kernel]
pub fn scan(x: &[u64], out: Buffer<u64>) {
    let t = thread::x() as usize;
    let a = shared![u64; 64];
    a.set(t, x[thread::global() % x.len()] % 1000);
    let mut step = 1;
    while step < 64 {
        barrier();
        let v = if t >= step { a.get(t - step) } else { 0 };
        barrier();
        a.set(t, a.get(t) + v);
        step *= 2;
    }
    out.set(thread::global(), a.get(t));
}

static CELL: mirdc::Global<u32> = mirdc::Global::new(3);
static POWERS: Constant<[u64; 8]> =
    Constant::new([1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 7]);

/// `out` starts as zeros. The end results do not depend on the order of the threads.
#[mirdc::kernel]
pub fn atomics(x: &[u64], out: Buffer<u64>) {
    let v = x[thread::global() % x.len()];
    out.atomic(0).fetch_add(v, Relaxed, Device);
    out.atomic(1).fetch_sub(v, AcqRel, Device);
    out.atomic(2).fetch_or(1 << (v % 64), Release, Block);
    out.atomic(3).fetch_and(!(1 << (v % 64)), Acquire, System);
    out.atomic(4).fetch_xor(v, SeqCst, Device);
    out.atomic(5).fetch_max(v, Relaxed, System);
    out.atomic(6).fetch_min(v, Relaxed, Device);
    let at = |i: usize| out.as_mut_ptr().wrapping_add(i);
    unsafe {
        Atomic::from_ptr(at(7).cast::<u32>()).fetch_add(v as u32, Relaxed, Block);
        Atomic::from_ptr(at(8).cast::<i32>()).fetch_min(v as i32, Relaxed, Device);
        Atomic::from_ptr(at(9).cast::<i32>()).fetch_max(v as i32, AcqRel, Device);
        Atomic::from_ptr(at(10).cast::<i64>()).fetch_min(v as i64, Relaxed, Device);
        Atomic::from_ptr(at(11).cast::<i64>()).fetch_max(v as i64, SeqCst, System);
        Atomic::from_ptr(at(12).cast::<f32>()).fetch_add((v % 8) as f32 * 0.25, Relaxed, Device);
        Atomic::from_ptr(at(13).cast::<f64>()).fetch_add((v % 16) as f64 * 0.125, Relaxed, Device);
        // Additions by compare-exchange, in 32, 64 and 16 bits.
        let c = Atomic::from_ptr(at(14).cast::<u32>());
        let mut old = c.load(Relaxed, Device);
        while let Err(now) = c.compare_exchange(old, old + 1, AcqRel, Acquire, Device) {
            old = now;
        }
        let c = Atomic::from_ptr(at(15));
        let mut old = c.load(Acquire, System);
        while let Err(now) = c.compare_exchange(old, old + v % 7, SeqCst, Relaxed, System) {
            old = now;
        }
        let c = Atomic::from_ptr(at(16).cast::<u16>().add(1));
        let mut old = c.load(Relaxed, Block);
        while let Err(now) = c.compare_exchange(old, old + 1, Relaxed, Relaxed, Device) {
            old = now;
        }
        // Bytes side by side, each written by one thread.
        let i = thread::global();
        Atomic::from_ptr(at(17).cast::<u8>().add(i)).store(v as u8, Release, Device);
        Atomic::from_ptr(at(33).cast::<u16>().add(i)).store(v as u16, SeqCst, System);
        let back = Atomic::from_ptr(at(17).cast::<u8>().add(i)).load(Acquire, Device);
        Atomic::from_ptr(at(65).cast::<i8>().add(i)).store(back as i8, Relaxed, Block);
    }
    fence(AcqRel, Block);
    fence(SeqCst, System);
    fence(Release, Device);
}

#[mirdc::kernel]
pub fn memory(x: &[u64], out: Buffer<u64>) {
    let mut s = Sink::new(out, 4);
    let i = thread::global();
    s.put(POWERS.at(i % 8));
    s.put(POWERS.get()[i % 8] + CELL.get() as u64);
    s.put(unsafe { mirdc::intrinsics::load_read_only(x.as_ptr().add(i % x.len())) });
    s.put(unsafe { mirdc::intrinsics::load_read_only(x.as_ptr().cast::<u8>().add(i)) });
}

#[mirdc::kernel]
pub fn halves(x: &[u64], out: Buffer<u64>) {
    let mut s = Sink::new(out, 12);
    let v = x[thread::global() % x.len()];
    let [a, b, c] = [v, v >> 16, v >> 32].map(|w| F16::from_bits(w as u16));
    s.half(a + b);
    s.half(a - b);
    s.half(a * b);
    s.half(a / b);
    s.half(a.mul_add(b, c));
    s.half(-a);
    s.put(
        ((a < b) as u64) | ((a <= b) as u64) << 1 | ((a == b) as u64) << 2 | ((a > c) as u64) << 3,
    );
    s.put(if a.is_nan() { 0 } else { a.to_f32().to_bits() });
    s.put(if b.is_nan() { 0 } else { b.to_f64().to_bits() });
    s.half(F16::from_f32(f32::from_bits((v >> 20) as u32)));
    s.half(F16::from_f64((v as i64 as f64) * 1e-16));
    s.half(F16::from_f32(a.to_f32() * 0.999_9 + 1e-5));
}

/// Every f32 function of one argument in (0, 1), and the others. The arguments are exact, so that
/// fusing a multiplication with an addition does not change them.
#[mirdc::kernel]
pub fn floats(x: &[u64], out: Buffer<u64>) {
    let mut s = Sink::new(out, 48);
    let v = (x[thread::global() % x.len()] % 1000 + 1) as f32 / 1024.0;
    let w = v * 3.0 + 1.0;
    for r in [v.sin(), v.cos(), v.tan(), v.asin(), v.acos(), v.atan(), v.sinh(), v.cosh()] {
        s.f64(r as f64);
    }
    for r in [v.tanh(), v.asinh(), w.acosh(), v.atanh(), v.exp(), v.exp2(), v.exp10(), v.exp_m1()] {
        s.f64(r as f64);
    }
    for r in [v.ln(), v.log2(), v.log10(), v.ln_1p(), v.sqrt(), v.rsqrt(), v.cbrt(), v.powf(w)] {
        s.f64(r as f64);
    }
    for r in [
        v.hypot(w),
        math::erff(v),
        math::erfcf(v),
        w.tgamma(),
        (w + 1.5).lgamma(),
        (v * 9.5).floor(),
    ] {
        s.f64(r as f64);
    }
    let n = w * 10.0 - 20.0;
    for r in [n.ceil(), n.trunc(), n.round(), n.round_ties_even(), v.fdim(w), w.fdim(v)] {
        s.f64(r as f64);
    }
    for r in [v.mul_add(w, -1.0), n.atan2(v), n.powi(3), w.powi(-2), math::fminf(v, f32::NAN)] {
        s.f64(r as f64);
    }
    for r in [math::fmaxf(n, v), math::fmodf(w, v), math::copysignf(v, n), math::fabsf(n), n.log(w)]
    {
        s.f64(if r.is_nan() { 0.0 } else { r as f64 });
    }
    s.f64((1.5f32 + (x[0] & 0) as f32).round_ties_even() as f64);
    s.f64((-2.5f32 + (x[0] & 0) as f32).round() as f64);
}

#[mirdc::kernel]
pub fn doubles(x: &[u64], out: Buffer<u64>) {
    let mut s = Sink::new(out, 40);
    let v = (x[thread::global() % x.len()] % 1000 + 1) as f64 / 1024.0;
    let w = v * 3.0 + 1.0;
    for r in [v.sin(), v.cos(), v.tan(), v.asin(), v.acos(), v.atan(), v.sinh(), v.cosh()] {
        s.f64(r);
    }
    for r in [v.tanh(), v.asinh(), w.acosh(), v.atanh(), v.exp(), v.exp2(), v.exp10(), v.exp_m1()] {
        s.f64(r);
    }
    for r in [v.ln(), v.log2(), v.log10(), v.ln_1p(), v.sqrt(), v.rsqrt(), v.cbrt(), v.powf(w)] {
        s.f64(r);
    }
    for r in
        [v.hypot(w), math::erf(v), math::erfc(v), w.tgamma(), (w + 1.5).lgamma(), (v * 9.5).floor()]
    {
        s.f64(r);
    }
    let n = w * 10.0 - 20.0;
    for r in [n.ceil(), n.trunc(), n.round(), n.round_ties_even(), v.fdim(w), v.mul_add(w, -1.0)] {
        s.f64(r);
    }
    for r in [n.atan2(v), n.powi(3), math::fmod(w, v), math::copysign(v, n)] {
        s.f64(r);
    }
}

/// Approximations of the hardware: compared loosely.
#[mirdc::kernel]
pub fn fast(x: &[u64], out: Buffer<u64>) {
    use math::fast;
    let mut s = Sink::new(out, 12);
    let v = (x[thread::global() % x.len()] % 1000 + 1) as f32 / 1003.0;
    for r in [fast::sin(v), fast::cos(v), fast::tan(v), fast::exp(v), fast::exp2(v), fast::exp10(v)]
    {
        s.f64(r as f64);
    }
    for r in [fast::ln(v + 1.0), fast::log2(v + 1.0), fast::log10(v + 1.0), fast::pow(v, 2.5)] {
        s.f64(r as f64);
    }
    s.f64(fast::div(v, 3.0) as f64);
    s.f64(fast::recip(v) as f64);
}

#[mirdc::kernel]
pub fn inline_ptx(x: &[u64], out: Buffer<u64>) {
    let mut s = Sink::new(out, 6);
    let v = x[thread::global() % x.len()];
    let (a, b) = (v as u32, (v >> 32) as u32);
    let r: u32;
    ptx!("{{ .reg .u32 t;", " add.u32 t, {1}, {2};", " not.b32 {0}, t; }}",
         out(u32) r, in(u32) a, in(u32) b, options(pure), host { r = !a.wrapping_add(b); });
    s.put(r);
    let mut d = v as u32 as f64;
    ptx!("mul.f64 {0}, {0}, 0d4000000000000000;", inout(f64) d, host { d *= 2.0; });
    s.f64(d);
    let f: f32;
    ptx!("cvt.rn.f32.u16 {0}, {1};", out(f32) f, in(u16) v as u16, host { f = v as u16 as f32; });
    s.f32(f);
    let w: u64;
    ptx!("mad.wide.u32 {0}, {1}, {2}, {3};", out(u64) w, in(u32) a, in(u32) b, in(u64) v,
         host { w = (a as u64 * b as u64).wrapping_add(v); });
    s.put(w);
    let h: i16;
    ptx!("neg.s16 {0}, {1};", out(i16) h, in(i16) v as i16, host { h = (v as i16).wrapping_neg(); });
    s.put(h as u16);
    let address = out.as_mut_ptr().wrapping_add(thread::global() * 6 + 5) as u64;
    ptx!("st.global.u64 [{0}], {1};", in(u64) address, in(u64) v,
         host { out.set(thread::global() * 6 + 5, v); });
}

/// Threads that end early, and clocks that only go forward.
#[mirdc::kernel]
pub fn ends(_x: &[u64], out: Buffer<u64>) {
    let i = thread::global();
    let (c, t) = (thread::clock(), thread::timer());
    if i % 3 == 1 {
        thread::exit();
    }
    thread::sleep(100);
    out.set(i, 1 + (thread::clock() >= c) as u64 + (thread::timer() >= t) as u64);
}

#[mirdc::kernel]
pub fn views(mut a: PerThread<u32>, mut m: PerThread2d<u32>, mut s: PerThread<u16>) {
    if let Some(v) = a.mine() {
        *v += 100;
    }
    if let Some(v) = m.mine() {
        *v += (thread::global_y() * 1000 + thread::global_x()) as u32;
    }
    s.for_each_strided(|i, v| *v = *v * 2 + i as u16);
}

#[mirdc::kernel]
pub fn messages(_x: &[u64], _out: Buffer<u64>) {
    let i = thread::global() as u32;
    if i % 40 == 3 {
        let h = F16::from_f32(0.5);
        printf!(
            "thread %d of %lu: %f %g %s %c %x%%\n",
            i as i8,
            grid::threads(),
            i as f32 / 2.0,
            h,
            c"text",
            'x',
            0xbeefu16
        );
    }
    if i == 0 {
        printf!("no arguments\n");
    }
}

#[mirdc::kernel]
pub fn assertion(x: &[u64], out: Buffer<u64>) {
    let i = thread::global();
    device_assert!(i < 40 || x[0] == 0, "the assertion's text");
    out.set(i, 1);
}

/// A panic with a place, for the loader.
#[mirdc::kernel]
pub fn out_of_bounds(x: &[u64], out: Buffer<u64>) {
    let i = thread::global();
    out.set(i, x[i + 70]);
}
