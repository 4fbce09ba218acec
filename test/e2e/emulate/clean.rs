//! Kernels that are right although they look risky: nothing may be found. `//: …` are the launch's arguments,
//! `//> …` what must be printed by --out.
#![no_std]
use mirdc::prelude::*;

//: --grid 3 --arg out=u8[192]
//> out = [64, 63,
/// Neighbouring bytes of a word belong to different threads.
#[mirdc::kernel(block = 64)]
pub fn bytes_of_a_word(out: Buffer<u8>) {
    let tile = shared![u8; 64];
    let t = thread::x() as usize;
    tile.set(t, t as u8 + 1);
    barrier();
    out.set(thread::global_x(), tile.get(63 - t));
}

#[derive(Clone, Copy, mirdc::Plain, mirdc::KernelArg)]
#[repr(C)]
pub struct Padded {
    a: u8,
    b: [u32; 6],
}

//: --arg out=u32[32]
//> out = [31, 30, 29
/// Padding travels with the struct, through shared memory twice.
#[mirdc::kernel(block = 32)]
pub fn padding(out: Buffer<u32>) {
    let (one, two) = (shared![Padded; 32], shared![Padded; 32]);
    let t = thread::x() as usize;
    one.set(t, Padded { a: 1, b: [t as u32; 6] });
    barrier();
    two.set(t, one.get(31 - t));
    barrier();
    out.set(t, two.get(t).b[5]);
}

#[derive(Clone, Copy, mirdc::Plain)]
#[repr(C)]
pub struct Half {
    flag: u8,
    wide: [u64; 3],
}

//: --grid 2 --arg out=u64[64]
//> out = [0, 3, 6
/// One field after the other, in two steps.
#[mirdc::kernel(block = 32)]
pub fn fields_one_by_one(out: Buffer<u64>) {
    let tile = shared![Half; 32];
    let t = thread::x() as usize;
    let p = tile.as_mut_ptr();
    unsafe { (*p.add(t)).flag = 1 };
    unsafe { (*p.add(t)).wide = [t as u64; 3] };
    barrier();
    let h = tile.get(t);
    out.set(thread::global_x(), h.wide[0] + h.wide[1] + h.wide[2]);
}

//: --grid 8 --arg x=u32[512]:iota --arg part=u32[8] --arg done=u32[1] --arg sum=u32[1]
//> sum = [130816]
/// The last block adds up what all others wrote, after a fence and an atomic.
#[mirdc::kernel(block = 64)]
pub fn last_block(x: &[u32], part: Buffer<u32>, done: Buffer<u32>, sum: Buffer<u32>) {
    let tile = shared![u32; 64];
    let last = shared![u32; 1];
    let t = thread::x() as usize;
    tile.set(t, x[thread::global_x()]);
    barrier();
    let mut step = 32;
    while step > 0 {
        if t < step {
            tile.set(t, tile.get(t) + tile.get(t + step));
        }
        barrier();
        step /= 2;
    }
    if t == 0 {
        part.set(block::x() as usize, tile.get(0));
        fence(Ordering::AcqRel, Scope::Device);
        let n = done.atomic(0).fetch_add(1, Ordering::Relaxed, Scope::Device);
        last.set(0, (n + 1 == grid::size_x()) as u32);
    }
    barrier();
    if last.get(0) != 0 && t == 0 {
        let (mut all, mut b) = (0, 0);
        while b < 8 {
            all += part.get(b);
            b += 1;
        }
        sum.set(0, all);
    }
}

//: --grid 16 --arg x=u32[1024]:1 --arg flag=u32[16] --arg total=u32[16] --arg out=u32[1024]
//> out = [1, 2, 3
/// Each block waits for the sum of the one before, and hands on its own: release and acquire.
#[mirdc::kernel(block = 64)]
pub fn chained_scan(x: &[u32], flag: Buffer<u32>, total: Buffer<u32>, out: Buffer<u32>) {
    let before = shared![u32; 1];
    let tile = shared![u32; 64];
    let (t, b) = (thread::x() as usize, block::x() as usize);
    tile.set(t, x[thread::global_x()]);
    barrier();
    let mut d = 1;
    while d < 64 {
        let v = if t >= d { tile.get(t - d) } else { 0 };
        barrier();
        tile.set(t, tile.get(t) + v);
        barrier();
        d *= 2;
    }
    if t == 0 {
        let mut sum = 0;
        if b > 0 {
            while flag.atomic(b - 1).load(Ordering::Acquire, Scope::Device) == 0 {}
            sum = total.get(b - 1);
        }
        total.set(b, sum + tile.get(63));
        flag.atomic(b).store(1, Ordering::Release, Scope::Device);
        before.set(0, sum);
    }
    barrier();
    out.set(thread::global_x(), before.get(0) + tile.get(t));
}

//: --grid 2 --arg state=u32[2]
//> state = [0, 128]
/// A lock of which each thread in turn is the holder.
#[mirdc::kernel(block = 64)]
pub fn lock(state: Buffer<u32>) {
    let mut done = false;
    while !done {
        if state.atomic(0).compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed, Scope::Device).is_ok() {
            state.set(1, state.get(1) + 1);
            state.atomic(0).store(0, Ordering::Release, Scope::Device);
            done = true;
        }
    }
}

//: --arg x=u32[64]:iota --arg out=u32[64]
//> out = [1, 0, 3, 2
/// Lanes of a warp exchange through shared memory, ordered by `warp::sync` alone.
#[mirdc::kernel(block = 64)]
pub fn warp_exchange(x: &[u32], out: Buffer<u32>) {
    let tile = shared![u32; 64];
    let t = thread::x() as usize;
    tile.set(t, x[t]);
    warp::sync(u32::MAX);
    let v = tile.get(t ^ 1);
    warp::sync(u32::MAX);
    tile.set(t, v);
    warp::sync(u32::MAX);
    out.set(t, tile.get(t));
}

//: --arg out=u32[32]
//> out = [3, 3, 3, 3, 7, 7
/// Groups of four lanes, each with a mask of its own.
#[mirdc::kernel(block = 32)]
pub fn groups_of_lanes(out: Buffer<u32>) {
    let tile = shared![u32; 32];
    let t = thread::x();
    let mask = 15u32 << (t & !3);
    tile.set(t as usize, t);
    warp::sync(mask);
    let last = tile.get((t | 3) as usize);
    let same = warp::shuffle_with(mask, t, 3, 4);
    out.set(t as usize, last.min(same));
}

//: --arg x=f32[96]:iota --arg out=f32[96]
//> out = [0, 1, 2
/// Two buffers in turn: a barrier in each round is enough.
#[mirdc::kernel(block = 32)]
pub fn double_buffer(x: &[f32], out: Buffer<f32>) {
    let (even, odd) = (shared![f32; 32], shared![f32; 32]);
    let t = thread::x() as usize;
    let mut k = 0;
    while k < 3 {
        let tile = if k % 2 == 0 { even } else { odd };
        tile.set(t, x[k * 32 + t]);
        barrier();
        out.set(k * 32 + t, tile.get(t).min(tile.get((t + 1) % 32)));
        k += 1;
    }
}

//: --grid 4 --arg x=u32[1000]:iota --arg seen=u32[1000]
//> seen = [1, 1, 1
/// The grid-stride loop, and a flag that all threads may set by an atomic.
#[mirdc::kernel(block = 32)]
pub fn strided(x: &[u32], seen: Buffer<u32>) {
    let mut i = thread::global_x();
    while i < x.len() {
        seen.atomic(x[i] as usize).fetch_or(1, Ordering::Relaxed, Scope::Device);
        i += grid::threads_x();
    }
}

//: --grid 2 --block 8 --arg out=u32[16]
//> out = [28, 28
/// A local array by its address, in a function of its own.
#[mirdc::kernel]
pub fn local_memory(mut out: PerThread<u32>) {
    let mut own = [0u32; 8];
    fill(&mut own);
    if let Some(o) = out.mine() {
        *o = own.iter().sum();
    }
}

#[inline(never)]
fn fill(to: &mut [u32; 8]) {
    for (i, v) in to.iter_mut().enumerate() {
        *v = i as u32;
    }
}

static STEPS: [u32; 4] = [1, 10, 100, 1000];
static ROUND: Global<u32> = Global::new(0);

//: --block 4 --arg out=u32[4]
//> out = [2, 20, 200, 2000]
/// Tables, and a static that one thread writes for the others.
#[mirdc::kernel]
pub fn statics(mut out: PerThread<u32>) {
    if thread::x() == 0 {
        ROUND.set(2);
    }
    barrier();
    let (i, round) = (thread::global_x(), ROUND.get());
    if let Some(o) = out.mine() {
        *o = STEPS[i] * round;
    }
}

//: --arg out=u32[64]
//> out = [32, 32
/// Votes and counts at a barrier, by all.
#[mirdc::kernel(block = 64)]
pub fn votes(out: Buffer<u32>) {
    let t = thread::x();
    let n = thread::barrier_count(t % 2 == 0);
    let b = warp::ballot(t % 2 == 0).count_ones();
    out.set(t as usize, if b == 16 { n } else { 0 });
}

//: --grid 3 --block 40 --arg x=u32[100]:iota --arg out=u32[100]
//> out = [0, 2, 4
/// Early returns without any barrier behind them, and a last warp of 8 lanes.
#[mirdc::kernel]
pub fn early_return(x: &[u32], out: Buffer<u32>) {
    let i = thread::global_x();
    if i >= x.len() {
        return;
    }
    out.set(i, x[i] * 2);
}
