//! Kernels for run_emu.py.
#![no_std]
#![allow(improper_ctypes, clippy::missing_safety_doc, static_mut_refs)]
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, AtomicU8, Ordering};

#[path = "mirdc/src/ops.rs"]
mod ops;
use ops::*;

/// The place of a thread in everything.
unsafe fn global_id() -> usize {
    unsafe {
        let b = (ctaid_z() * nctaid_y() + ctaid_y()) * nctaid_x() + ctaid_x();
        let t = (tid_z() * ntid_y() + tid_y()) * ntid_x() + tid_x();
        (b * (ntid_x() * ntid_y() * ntid_z()) + t) as usize
    }
}

pub unsafe fn saxpy(a: f32, x: *const f32, y: *mut f32, n: u64) {
    unsafe {
        let i = (ctaid_x() * ntid_x() + tid_x()) as u64;
        if i < n {
            *y.add(i as usize) += a * ldg(x.add(i as usize).cast()).to_f32();
        }
    }
}
trait ToF32 { fn to_f32(self) -> f32; }
impl ToF32 for u32 { fn to_f32(self) -> f32 { f32::from_bits(self) } }

/// Ids of every thread of a launch of any shape.
pub unsafe fn shape(out: *mut [u32; 4]) {
    unsafe { *out.add(global_id()) = [tid_x() | tid_y() << 10 | tid_z() << 20, laneid(), warpid(), smid()] }
}

/// Reverses each block's part, then adds one, in shared memory.
pub unsafe fn reverse(x: *mut u32) {
    unsafe {
        let (s, t, n) = (dyn_shared().cast::<u32>(), tid_x() as usize, ntid_x() as usize);
        let at = x.add(ctaid_x() as usize * n + t);
        *s.add(t) = *at;
        barrier();
        let v = *s.add(n - 1 - t);
        barrier();
        *s.add(t) = v + 1;
        barrier();
        *at = *s.add(t) + dyn_shared_size() / 4 - n as u32;
    }
}

pub unsafe fn barriers(out: *mut [u32; 3]) {
    unsafe {
        let t = tid_x();
        let r = [barrier_count(t % 3 == 0), barrier_and(t < 70) as u32, barrier_or(t == 69) as u32];
        *out.add(t as usize) = r;
    }
}

/// Every operation of a warp; 32 words a lane.
pub unsafe fn warp(x: *const u32, out: *mut [u32; 32]) {
    unsafe {
        let t = tid_x() as usize;
        let (v, m) = (*x.add(t), u32::MAX);
        let (mut p, mut q) = (7u32, 7u32);
        let mut r = [0u32; 32];
        r[0] = shfl_idx(m, v, 5, 32);
        r[1] = shfl_idx(m, v, 5, 8);
        r[2] = shfl_up(m, v, 3, 32);
        r[3] = shfl_up(m, v, 3, 16);
        r[4] = shfl_down(m, v, 3, 32);
        r[5] = shfl_down(m, v, 1, 4);
        r[6] = shfl_bfly(m, v, 16, 32);
        r[7] = shfl_bfly(m, v, 4, 4);
        r[8] = vote_all(m, v % 2 == 0) as u32;
        r[9] = vote_any(m, v % 2 == 0) as u32;
        r[10] = vote_uni(m, v < 1000) as u32;
        r[11] = ballot(m, v % 3 == 0);
        r[12] = match_any(m, v % 5);
        r[13] = match_any64(m, ((v % 4) as u64) << 40);
        r[14] = match_all(m, v / 1000, &mut p);
        r[15] = p;
        r[16] = match_all64(m, (v as u64) << 33, &mut q);
        r[17] = q;
        r[18] = redux_add(m, v);
        r[19] = redux_min(m, v);
        r[20] = redux_max(m, v);
        r[21] = redux_and(m, v);
        r[22] = redux_or(m, v);
        r[23] = redux_xor(m, v);
        r[24] = redux_smin(m, v.wrapping_sub(500));
        r[25] = redux_smax(m, v.wrapping_sub(500));
        let half = if t % 32 < 16 { 0xffff } else { 0xffff_0000 };
        r[26] = redux_add(half, v);
        if t % 2 == 0 {
            r[27] = activemask();
            r[28] = shfl_idx(r[27], v, 2, 32);
        } else {
            r[27] = activemask();
            r[28] = shfl_idx(r[27], v, 3, 32);
        }
        syncwarp(m);
        r[29] = activemask();
        *out.add(t) = r;
    }
}

/// Lanes that have ended are not waited for.
pub unsafe fn ended_lanes(out: *mut u32) {
    unsafe {
        let t = tid_x();
        if t % 2 == 1 {
            leave();
        }
        *out.add(t as usize) = ballot(u32::MAX, t < 10);
    }
}

#[repr(transparent)]
pub struct Word(UnsafeCell<u32>);
unsafe impl Sync for Word {}
static COUNTER: Word = Word(UnsafeCell::new(1000));
static TABLE: [&[u16]; 3] = [&[1, 2], &[], &[7, 8, 9]];
static STEPS: [fn(u32) -> u32; 2] = [add_one, double];
fn add_one(x: u32) -> u32 { x + 1 }
fn double(x: u32) -> u32 { x * 2 }

/// Statics: one that keeps its value, constants with addresses in them, functions by address.
pub unsafe fn statics(out: *mut u32) {
    unsafe {
        let c = &*(COUNTER.0.get() as *const AtomicU32);
        let i = tid_x() as usize;
        let sum: u32 = TABLE[i % 3].iter().map(|v| *v as u32).sum();
        *out.add(i) = STEPS[i % 2](sum);
        c.fetch_add(sum, Ordering::Relaxed);
        barrier();
        if i == 0 {
            *out.add(ntid_x() as usize) = c.load(Ordering::Relaxed);
        }
    }
}

static mut HOOK: fn(u32) -> u32 = add_one;
pub unsafe fn set_hook(which: u32) {
    unsafe { HOOK = STEPS[which as usize] }
}
pub unsafe fn call_hook(out: *mut u32) {
    unsafe { *out = HOOK(*out) }
}
/// More functions of this kind than are compared one by one.
pub unsafe fn many_steps(i: u32, out: *mut u32) {
    static MANY: [fn(u32, u32) -> u32; 10] = [|a, b| a + b, |a, b| a - b, |a, b| a * b, |a, b| a / b, |a, b| a % b,
        |a, b| a & b, |a, b| a | b, |a, b| a ^ b, |a, _| a, |_, b| b];
    unsafe { *out = MANY[i as usize](77, 5) }
}
pub unsafe fn no_function(p: u64, out: *mut u32) {
    static MANY: [fn(u32, u8) -> u32; 10] = [|a, _| a, |a, _| a + 1, |a, _| a + 2, |a, _| a + 3, |a, _| a + 4,
        |a, _| a + 5, |a, _| a + 6, |a, _| a + 7, |a, _| a + 8, |a, _| a + 9];
    unsafe {
        let f: fn(u32, u8) -> u32 = if p == 0 { MANY[*out as usize] } else { core::mem::transmute(p) };
        *out = f(1, 2)
    }
}

/// A lock and a queue within a block: threads wait in loops for others.
pub unsafe fn spin(words: *mut u32, bytes: *mut u8) {
    unsafe {
        let (lock, turn) = (&*(words as *const AtomicU32), &*(words.add(1) as *const AtomicU32));
        while lock.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {}
        *words.add(2) += tid_x();
        lock.store(0, Ordering::Release);
        let me = ntid_x() - 1 - tid_x(); // the last goes first
        while turn.load(Ordering::Acquire) != me {}
        *words.add(3) = (*words.add(3)).wrapping_mul(2) | (me & 1);
        turn.store(me + 1, Ordering::Release);
        let b = &*(bytes.add(tid_x() as usize % 3) as *const AtomicU8);
        b.fetch_add(1, Ordering::SeqCst);
    }
}

pub unsafe fn floats(x: *const f32, out: *mut [u32; 10]) {
    unsafe {
        let i = tid_x() as usize;
        let v = *x.add(i);
        let h = half_of(v as f64);
        *out.add(i) = [h as u32, half_fma(h, 0x3c01, 0x0001) as u32, half_add(h, 0x3555) as u32, half_to(h).to_bits(),
            rsqrt(v).to_bits(), fast_div(1.0, v).to_bits(), fast_sin(v).to_bits(), ex2(v).to_bits(),
            (v as f64 as u128 as u32), (v as i8) as u32];
    }
}

pub unsafe fn talk(x: i32, y: f64) {
    unsafe {
        let name = c"lane";
        #[repr(C)]
        struct A(i32, u64, f64, *const u8, u32, i64);
        let a = A(x, 1 << 40, y, name.as_ptr().cast(), 0x2a, -3);
        let n = printf(c"x=%5d|%lu|%.2f|%s|%#x|%ld|100%%\n".as_ptr().cast(), (&raw const a).cast(), size_of::<A>() as u32);
        printf(c"%d\n".as_ptr().cast(), (&raw const n).cast(), 4);
        breakpoint();
    }
}

/// Prints for ever.
pub unsafe fn endless_talk() {
    loop {
        unsafe { printf(c"%s\n".as_ptr().cast(), (&raw const LONG).cast(), 8) };
    }
}
static LONG: &core::ffi::c_char = unsafe { &*LONG_TEXT.as_ptr().cast() };
static LONG_TEXT: [u8; 100_000] = { let mut t = [b'x'; 100_000]; t[99_999] = 0; t };

pub unsafe fn clocks(out: *mut u64) {
    unsafe {
        let (a, b) = (clock64(), globaltimer());
        nanosleep(100);
        *out = (clock64() > a) as u64;
        *out.add(1) = (globaltimer() >= b) as u64;
    }
}

// ---- kernels that go wrong ----
pub unsafe fn endless(x: *const u32) {
    unsafe { while x.read_volatile() < 5 {} }
}
pub unsafe fn endless_empty() {
    loop {}
}
#[inline(never)]
fn deep(x: u32) -> u32 {
    if x == 1 { 1 } else { deep(x.wrapping_mul(3)).wrapping_mul(deep(x ^ 4)) }
}
pub unsafe fn recursion(out: *mut u32) {
    unsafe { *out = deep(2) }
}
#[inline(never)]
fn wide(x: u64) -> u64 {
    if x == 0 { 1 } else { wide(x - 1).wrapping_add(wide(x - 1)) }
}
/// No loop, little stack, and it takes for ever.
pub unsafe fn tree(out: *mut u64) {
    unsafe { *out = wide(60) }
}
pub unsafe fn wild(p: *mut u32) {
    unsafe { *p = 1 }
}
#[repr(packed)]
struct Packed(u8, u32, u64);
/// Reads that may be anywhere, and one that may not.
pub unsafe fn misaligned(p: *mut u8, n: u32) {
    unsafe {
        let q = p.add(1).cast::<u32>();
        q.write_unaligned(q.read_unaligned() + 1);
        let s = &mut *p.add(3).cast::<Packed>();
        s.1 += 1;
        s.2 += s.0 as u64;
        (&*(p.add(n as usize) as *const AtomicU32)).fetch_add(1, Ordering::Relaxed);
        *p.add(n as usize + 8).cast::<u64>() += 5;
    }
}
pub unsafe fn index(i: u32, out: *mut u32) {
    let a = [1u32, 2, 3];
    unsafe { *out = a[(i + tid_x()) as usize] }
}
pub unsafe fn says_no(x: u32) {
    unsafe {
        if tid_x() == x {
            assert_fail(b"x is not the thread\0")
        }
    }
}
pub unsafe fn cannot_be(x: u32, out: *mut u32) {
    unsafe { *out = match x { 0 => 5, 1 => 7, _ => core::hint::unreachable_unchecked() } }
}
pub unsafe fn stuck(out: *mut u32) {
    unsafe {
        if tid_x() < 16 {
            syncwarp(!0);
        } else {
            barrier();
        }
        *out = 1;
    }
}
pub unsafe fn calls_outside(out: *mut u32) {
    unsafe { *out = outside(1) }
}
pub unsafe fn inline_ptx(out: *mut u32) {
    let r: u32;
    unsafe {
        core::arch::asm!("// mirdc-ptx pure:\nadd.u32 {0}, {1}, {1};", out(reg) r, in(reg) 3u32);
        *out = r
    }
}
