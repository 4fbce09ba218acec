//! Kernels that hand operators to native algorithms: a matrix of reductions (algorithm, block size,
//! type, operator with its captures), and one kernel for every other entry.
#![no_std]
use mirdc::{cub, prelude::*};

/// What an operator captures in the third form: mixed widths with padding.
#[derive(Clone, Copy, mirdc::KernelArg)]
#[repr(C)]
pub struct Env<T> {
    pub flag: u8,
    pub floor: T,
    pub sign: i64,
    pub scale: f32,
}

/// The operators, for the kernels and for the reference. Each is associative and commutative.
pub trait Number: cub::Scalar + PartialEq + core::fmt::Debug {
    fn plus(self, o: Self) -> Self;
    /// With a captured number; `k` itself is neutral when nothing is below it.
    fn with(self, o: Self, k: Self) -> Self;
    fn in_env(self, o: Self, e: &Env<Self>) -> Self;
}
macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn plus(self, o: Self) -> Self { self.wrapping_add(o) }
            #[inline(always)]
            fn with(self, o: Self, k: Self) -> Self { self ^ o ^ k }
            #[inline(always)]
            fn in_env(self, o: Self, e: &Env<Self>) -> Self {
                if e.sign > 0 && e.flag == 3 && e.scale > 0.5 { self.max(o).max(e.floor) } else { self.min(o) }
            }
        }
    )*};
}
integers!(i32 u32 i64 u64);
macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn plus(self, o: Self) -> Self { self + o }
            #[inline(always)]
            fn with(self, o: Self, k: Self) -> Self {
                let m = if self > o { self } else { o };
                if m > k { m } else { k }
            }
            #[inline(always)]
            fn in_env(self, o: Self, e: &Env<Self>) -> Self {
                if e.sign > 0 && e.flag == 3 && e.scale > 0.5 { self.with(o, e.floor) } else { self.with(o, self) }
            }
        }
    )*};
}
floats!(f32 f64);

/// This thread's share of the input, joined one after the other.
#[inline(always)]
fn share<T: Number>(x: &[T], neutral: T, op: &impl Fn(T, T) -> T) -> T {
    let mut acc = neutral;
    let mut i = thread::global_x();
    while i < x.len() {
        acc = op(acc, x[i]);
        i += grid::threads_x();
    }
    acc
}

macro_rules! reduce {
    ($name:ident, $entry:ident, $block:literal, [$($p:ident: $pt:ty)?], $op:expr) => {
        #[mirdc::kernel(block = $block, instances(i32, u32, i64, u64, f32, f64))]
        pub fn $name<T: Number + mirdc::KernelArg + mirdc::Element + mirdc::Plain>(
            x: &[T],
            neutral: T,
            $($p: $pt,)?
            out: Buffer<T>,
        ) {
            let op = $op;
            let acc = share(x, neutral, &op);
            if let Some(total) = cub::$entry::<T, $block, _>(acc, op) {
                out.set(block::x() as usize, total);
            }
        }
    };
}
macro_rules! operators {
    ($($entry:ident $block:literal $plus:ident $with:ident $in_env:ident;)*) => {$(
        reduce!($plus, $entry, $block, [], |a: T, b: T| a.plus(b));
        reduce!($with, $entry, $block, [k: T], move |a: T, b: T| a.with(b, k));
        reduce!($in_env, $entry, $block, [e: Env<T>], move |a: T, b: T| a.in_env(b, &e));
    )*};
}
operators! {
    block_reduce 32 warps_32_plus warps_32_with warps_32_in_env;
    block_reduce 64 warps_64_plus warps_64_with warps_64_in_env;
    block_reduce 128 warps_128_plus warps_128_with warps_128_in_env;
    block_reduce 256 warps_256_plus warps_256_with warps_256_in_env;
    block_reduce 512 warps_512_plus warps_512_with warps_512_in_env;
    block_reduce 1024 warps_1024_plus warps_1024_with warps_1024_in_env;
    block_reduce_raking 32 raking_32_plus raking_32_with raking_32_in_env;
    block_reduce_raking 64 raking_64_plus raking_64_with raking_64_in_env;
    block_reduce_raking 128 raking_128_plus raking_128_with raking_128_in_env;
    block_reduce_raking 256 raking_256_plus raking_256_with raking_256_in_env;
    block_reduce_raking 512 raking_512_plus raking_512_with raking_512_in_env;
    block_reduce_raking 1024 raking_1024_plus raking_1024_with raking_1024_in_env;
    block_reduce_raking_commutative 32 commutative_32_plus commutative_32_with commutative_32_in_env;
    block_reduce_raking_commutative 64 commutative_64_plus commutative_64_with commutative_64_in_env;
    block_reduce_raking_commutative 128 commutative_128_plus commutative_128_with commutative_128_in_env;
    block_reduce_raking_commutative 256 commutative_256_plus commutative_256_with commutative_256_in_env;
    block_reduce_raking_commutative 512 commutative_512_plus commutative_512_with commutative_512_in_env;
    block_reduce_raking_commutative 1024 commutative_1024_plus commutative_1024_with commutative_1024_in_env;
}

/// One of each other entry; a thread writes eight words.
#[mirdc::kernel(block = 128)]
pub fn scans(x: &[u32], k: u32, out: Buffer<u32>) {
    let i = thread::global_x();
    let op = move |a: u32, b: u32| a.wrapping_add(b) ^ k ^ k;
    let v = x[i];
    let mut running = k;
    let r = [
        cub::block_scan_inclusive::<u32, 128, _>(v, op),
        cub::block_scan_exclusive::<u32, 128, _>(v, k, u32::max),
        cub::block_scan_running::<u32, 128, _>(v, &mut running, u32::wrapping_add),
        cub::block_scan_running::<u32, 128, _>(v, &mut running, &op),
        if thread::x() == 0 { running } else { 0 },
        cub::warp_reduce(v, move |a: u32, b: u32| a.min(b).max(k)).unwrap_or(1),
        cub::adjacent_difference::<u32, 128, _>(v, move |a, b| a.wrapping_sub(b).wrapping_mul(k)),
        cub::transform(v, move |v: u32| v as f32 * 0.5 + k as f32).to_bits(),
    ];
    let mut j = 0;
    while j < 8 {
        out.set(i * 8 + j, r[j]);
        j += 1;
    }
}

#[mirdc::kernel(block = 64)]
pub fn sorts(x: &[u64], key: u64, out: Buffer<u64>) {
    let i = thread::global_x() * 4;
    let mut items = [x[i], x[i + 1], x[i + 2], x[i + 3]];
    let sum = cub::thread_reduce(&items, move |a: u64, b: u64| a.rotate_left(5) ^ b ^ key);
    cub::block_merge_sort::<u64, 64, 4, _>(&mut items, move |a, b| (a ^ key) < (b ^ key));
    let mut j = 0;
    while j < 4 {
        out.set(i + j, items[j] ^ if j == 0 { sum } else { 0 });
        j += 1;
    }
}

/// Two adjacent calls and a loop: temporary memory is used again at once.
#[mirdc::kernel(block = 256)]
pub fn again(x: &[i32], rounds: u32, out: Buffer<i32>) {
    let mut v = x[thread::global_x()];
    let mut sum = 0i32;
    let mut n = 0;
    while n < rounds {
        let a = cub::block_reduce::<i32, 256, _>(v, i32::wrapping_add);
        let b = cub::block_reduce::<i32, 256, _>(v ^ 1, i32::max);
        let c = cub::block_reduce_raking::<i32, 256, _>(v, i32::min);
        let s = cub::block_scan_inclusive::<i32, 256, _>(v, i32::wrapping_add);
        sum = sum.wrapping_add(a.unwrap_or(0)) ^ b.unwrap_or(0) ^ c.unwrap_or(0);
        v = v.wrapping_add(s);
        n += 1;
    }
    out.set(thread::global_x(), sum ^ v);
}
