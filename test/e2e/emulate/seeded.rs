//! Kernels with one mistake each, for the emulator's checks.
//!
//! `//~ MD…` marks the line that must be reported, and nothing else may be. The mended kernel, which must be
//! clean, has the text after `//=` in place of a line, and the text after `//+` as a line of its own.
//! `//: …` are the launch's arguments.
#![no_std]
use mirdc::prelude::*;

// ---- out of bounds ----
//: --grid 2 --block 64 --arg x=f32[100]:iota --arg y=f32[128]
#[mirdc::kernel]
pub fn bounds_read_at_length(x: &[f32], mut y: PerThread<f32>) {
    let i = thread::global_x();
    let inside = i <= x.len(); //= let inside = i < x.len();
    if let Some(o) = y.mine() {
        if inside {
            *o = unsafe { *x.get_unchecked(i) }; //~ MD0825
        }
    }
}

//: --block 4 --arg text=u8:1,2,3,4,5,6,7 --arg out=u32[4]
#[mirdc::kernel]
pub fn bounds_last_round_of_a_loop(text: &[u8], mut out: PerThread<u32>) {
    let p = text.as_ptr();
    let (mut sum, mut i) = (0, 0);
    while i <= text.len() { //= while i < text.len() {
        sum += unsafe { p.add(i).read() } as u32; //~ MD0825
        i += 1;
    }
    if let Some(o) = out.mine() {
        *o = sum;
    }
}

//: --arg out=u32[64]
#[mirdc::kernel(block = 64)]
pub fn bounds_write_behind_shared(mut out: PerThread<u32>) {
    let tile = shared![u32; 64];
    let t = thread::x() as usize;
    unsafe { tile.set_unchecked(t + 1, 7) }; //~ MD0825 //= unsafe { tile.set_unchecked(t, 7) };
    barrier();
    if let Some(o) = out.mine() {
        *o = tile.get(if t == 0 { 1 } else { t });
    }
}

//: --block 32 --arg x=u64[32]:iota --arg out=u64[32]
#[mirdc::kernel]
pub fn bounds_before_the_first(x: &[u64], mut out: PerThread<u64>) {
    let i = thread::global_x();
    if let Some(o) = out.mine() {
        let first = i == usize::MAX; //= let first = i == 0;
        *o = if first { 0 } else { unsafe { x.as_ptr().wrapping_add(i).wrapping_sub(1).read() } }; //~ MD0825
    }
}

//: --block 5 --arg bytes=u8[8]:iota --arg out=u32[5]
#[mirdc::kernel]
pub fn bounds_a_word_that_ends_one_byte_too_late(bytes: &[u8], mut out: PerThread<u32>) {
    let i = thread::global_x();
    let at = i + 1; //= let at = i;
    if let Some(o) = out.mine() {
        *o = unsafe { bytes.as_ptr().add(at).cast::<u32>().read_unaligned() }; //~ MD0825
    }
}

static WEIGHTS: Global<[u16; 5]> = Global::new([1, 2, 3, 4, 5]);

//: --block 6 --arg out=u16[6]
#[mirdc::kernel]
pub fn bounds_of_a_static(mut out: PerThread<u16>) {
    let i = thread::global_x(); //= let i = thread::global_x() % 5;
    if let Some(o) = out.mine() {
        *o = unsafe { WEIGHTS.as_mut_ptr().cast::<u16>().add(i).read() }; //~ MD0825
    }
}

// ---- uninitialised shared memory ----
//: --arg out=u32[32]
#[mirdc::kernel(block = 32)]
pub fn uninit_never_written(mut out: PerThread<u32>) {
    let tile = shared![u32; 32];
    let t = thread::x() as usize;
    //+ tile.set(t, 1);
    barrier();
    if let Some(o) = out.mine() {
        *o = tile.get(t); //~ MD0830
    }
}

//: --arg x=f32[64]:iota --arg out=f32[64]
#[mirdc::kernel(block = 64)]
pub fn uninit_written_by_half(x: &[f32], mut out: PerThread<f32>) {
    let tile = shared![f32; 64];
    let t = thread::x() as usize;
    if t < 32 { //= if t < 64 {
        tile.set(t, x[t]);
    }
    barrier();
    if let Some(o) = out.mine() {
        *o = tile.get(63 - t); //~ MD0830
    }
}

//: --grid 2 --arg x=u8[512]:random:3 --arg bins=u32[256]
#[mirdc::kernel(block = 256)]
pub fn uninit_bins_without_zeros(x: &[u8], bins: Buffer<u32>) {
    let local = shared![u32; 256];
    let t = thread::x() as usize;
    //+ local.set(t, 0);
    barrier();
    local.atomic(x[thread::global_x()] as usize).fetch_add(1, Ordering::Relaxed, Scope::Block); //~ MD0830
    barrier();
    let n = local.get(t); //~ MD0830
    bins.atomic(t).fetch_add(n, Ordering::Relaxed, Scope::Device);
}

//: --block 32 --shared 128 --arg out=u32[32]
#[mirdc::kernel]
pub fn uninit_dynamic(mut out: PerThread<u32>) {
    let tile = mirdc::dynamic_shared::<u32>(0);
    let t = thread::x() as usize;
    let last = 31; //= let last = 32;
    if t < last {
        tile.set(t, 5);
    }
    barrier();
    if let Some(o) = out.mine() {
        *o = tile.get((t + 1) % 32); //~ MD0830
    }
}

//: --grid 2 --arg x=u32[64]:iota --arg out=u32[64]
#[mirdc::kernel(block = 32)]
pub fn uninit_left_by_another_block(x: &[u32], mut out: PerThread<u32>) {
    let tile = shared![[u32; 2]; 32];
    let t = thread::x() as usize;
    if block::x() == 0 { //= if block::x() < 2 {
        tile.set(t, [x[t], x[t + 32]]);
    }
    barrier();
    if let Some(o) = out.mine() {
        *o = tile.get(t)[1]; //~ MD0830
    }
}

// ---- divergence ----
//: --arg out=u32[64]
#[mirdc::kernel(block = 64)]
pub fn diverge_in_a_condition(out: Buffer<u32>) {
    let t = thread::x() as usize;
    out.set(t, 1);
    if t < 16 { //= if t < 64 {
        barrier(); //~ MD0832
    }
}

//: --grid 2 --arg x=f32[100]:iota --arg out=f32[128]
#[mirdc::kernel(block = 64)]
pub fn diverge_after_an_early_return(x: &[f32], out: Buffer<f32>) {
    let tile = shared![f32; 64];
    let (t, i) = (thread::x() as usize, thread::global_x());
    if i >= x.len() { //= if i >= out.len() {
        return;
    }
    tile.set(t, i as f32);
    barrier(); //~ MD0832
    out.set(i, tile.get(t));
}

//: --arg out=u32[64]
#[mirdc::kernel(block = 64)]
pub fn diverge_in_both_branches(out: Buffer<u32>) {
    let t = thread::x() as usize;
    if t % 2 == 0 { //= if block::x() == 0 {
        out.set(t, 1);
        barrier(); //~ MD0833
    } else {
        out.set(t, 2);
        barrier();
    }
}

//: --arg out=u32[32]
#[mirdc::kernel(block = 32)]
pub fn diverge_in_a_loop(out: Buffer<u32>) {
    let tile = shared![u32; 32];
    let t = thread::x() as usize;
    tile.set(t, 1);
    let rounds = 1 + t % 3; //= let rounds = 3;
    let mut k = 0;
    while k < rounds {
        barrier(); //~ MD0832
        k += 1;
    }
    out.set(t, tile.get(t));
}

#[inline(never)]
fn all_meet(tile: &Shared<u32, 64>, t: usize) -> u32 {
    barrier(); //~ MD0832
    tile.get(63 - t)
}

//: --arg out=u32[64]
#[mirdc::kernel(block = 64)]
pub fn diverge_in_a_function(out: Buffer<u32>) {
    let tile = shared![u32; 64];
    let t = thread::x() as usize;
    tile.set(t, t as u32);
    let v = match t {
        40 => 0, //= 99 => 0,
        _ => all_meet(tile, t),
    };
    out.set(t, v);
}

//: --arg out=u32[32]
#[mirdc::kernel(block = 32)]
pub fn diverge_in_a_warp(out: Buffer<u32>) {
    let t = thread::x() as usize;
    let mut v = t as u32;
    let half = 16; //= let half = 32;
    if t < half {
        v = warp::shuffle_xor(v, 1); //~ MD0834 MD0808
    }
    barrier();
    out.set(t, v);
}

// ---- races on shared memory ----
//: --arg x=u32[64]:iota
#[mirdc::kernel(block = 64)]
pub fn shared_race_without_a_barrier(x: Buffer<u32>) {
    let tile = shared![u32; 64];
    let t = thread::x() as usize;
    tile.set(t, x.get(t));
    //+ barrier();
    if t % 2 == 1 {
        x.set(t, tile.get(t - 1)); //~ MD0831
    }
}

//: --arg x=f32[128]:iota --arg sum=f32[1]
#[mirdc::kernel(block = 128)]
pub fn shared_race_in_a_reduction(x: &[f32], sum: Buffer<f32>) {
    let tile = shared![f32; 128];
    let t = thread::x() as usize;
    tile.set(t, x[t]);
    barrier();
    let mut step = 64;
    while step > 0 {
        if t < step {
            tile.set(t, tile.get(t) + tile.get(t + step)); //~ MD0831
        }
        //+ barrier();
        step /= 2;
    }
    if t == 0 {
        sum.set(0, tile.get(0));
    }
}

//: --arg out=u32[64]
#[mirdc::kernel(block = 64)]
pub fn shared_race_of_equal_writes(out: Buffer<u32>) {
    let flag = shared![u32; 1];
    let t = thread::x() as usize;
    if t < 64 { //= if t == 0 {
        flag.set(0, 1); //~ MD0831
    }
    barrier();
    out.set(t, flag.get(0));
}

//: --arg x=u32[256]:iota --arg out=u32[64]
#[mirdc::kernel(block = 64)]
pub fn shared_race_with_the_next_round(x: &[u32], out: Buffer<u32>) {
    let tile = shared![u32; 64];
    let t = thread::x() as usize;
    let (mut sum, mut k) = (0, 0);
    while k < 4 {
        tile.set(t, x[k * 64 + t]);
        barrier();
        sum += tile.get(63 - t); //~ MD0831
        //+ barrier();
        k += 1;
    }
    out.set(t, sum);
}

//: --arg x=u8[64]:random:1 --arg bins=u32[16]
#[mirdc::kernel(block = 64)]
pub fn shared_race_of_counters(x: &[u8], bins: Buffer<u32>) {
    let local = shared![u32; 16];
    let t = thread::x() as usize;
    if t < 16 {
        local.set(t, 0);
    }
    barrier();
    let b = (x[t] & 15) as usize;
    let plain = true; //= let plain = false;
    if plain {
        local.set(b, local.get(b) + 1); //~ MD0831
    } else {
        local.atomic(b).fetch_add(1, Ordering::Relaxed, Scope::Block);
    }
    barrier();
    if t < 16 {
        bins.set(t, local.get(t));
    }
}

// ---- races on global memory ----
//: --grid 2 --block 64 --arg out=u32[128]
#[mirdc::kernel]
pub fn global_race_of_neighbours(out: Buffer<u32>) {
    let i = thread::global_x();
    let at = i / 2; //= let at = i;
    out.set(at, i as u32); //~ MD0831
}

//: --grid 4 --arg x=f32[128]:iota --arg y=f32[128]
#[mirdc::kernel(block = 32)]
pub fn global_race_of_a_stencil_in_place(x: Buffer<f32>, y: Buffer<f32>) {
    let i = thread::global_x();
    let v = if i + 1 < x.len() { x.get(i) + x.get(i + 1) } else { 0.0 };
    barrier();
    x.set(i, v); //~ MD0831 //= y.set(i, v);
    if i == usize::MAX {
        y.set(0, v);
    }
}

//: --grid 3 --arg n=u32[1]
#[mirdc::kernel(block = 1)]
pub fn global_race_of_a_counter(n: Buffer<u32>) {
    n.set(0, n.get(0) + 1); //~ MD0831 //= n.atomic(0).fetch_add(1, Ordering::Relaxed, Scope::Device);
}

//: --grid 8 --arg x=u32[512]:iota --arg part=u32[8] --arg done=u32[1] --arg sum=u32[1]
#[mirdc::kernel(block = 64)]
pub fn global_race_of_the_last_block(x: &[u32], part: Buffer<u32>, done: Buffer<u32>, sum: Buffer<u32>) {
    let last = shared![u32; 1];
    let t = thread::x() as usize;
    let total = warp_sum(x[thread::global_x()]);
    if t % 32 == 0 {
        part.atomic(block::x() as usize).fetch_add(total, Ordering::Relaxed, Scope::Device);
    }
    barrier();
    if t == 0 {
        let v = part.atomic(block::x() as usize).load(Ordering::Relaxed, Scope::Device);
        part.set(block::x() as usize, v * 2);
        //+ fence(Ordering::AcqRel, Scope::Device);
        let n = done.atomic(0).fetch_add(1, Ordering::Relaxed, Scope::Device);
        //+ fence(Ordering::AcqRel, Scope::Device);
        last.set(0, (n + 1 == grid::size_x()) as u32);
    }
    barrier();
    if last.get(0) != 0 && t == 0 {
        let (mut all, mut b) = (0, 0);
        while b < 8 {
            all += part.get(b); //~ MD0831
            b += 1;
        }
        sum.set(0, all);
    }
}

fn warp_sum(mut v: u32) -> u32 {
    let mut d = 16;
    while d > 0 {
        v += warp::shuffle_down(v, d);
        d /= 2;
    }
    v
}

static TICKET: Global<u32> = Global::new(0);

//: --grid 2 --block 8 --arg out=u32[16]
#[mirdc::kernel]
pub fn global_race_of_scopes(mut out: PerThread<u32>) {
    let n = TICKET.atomic().fetch_add(1, Ordering::Relaxed, Scope::Block); //~ MD0831 //= let n = TICKET.atomic().fetch_add(1, Ordering::Relaxed, Scope::Device);
    if let Some(o) = out.mine() {
        *o = n;
    }
}
