//! CUB's algorithms of a warp, a block or one thread, with an operator of your own.
//!
//! Each function is native C++: on the GPU it is CUB's own template, compiled once for the types and
//! constants that it is used with, and the operator, a closure or a function, ends up inlined in it.
//! Values that the closure captures are ordinary values of the kernel.
//!
//! ```
//! use mirdc::{cub, prelude::*};
//!
//! #[mirdc::kernel(block = 128)]
//! fn block_maxima(limit: i32, input: &[i32], mut out: Buffer<i32>) {
//!     let x = input[thread::global_x() as usize];
//!     let max = cub::block_reduce::<i32, 128, _>(x, move |a, b| a.max(b).min(limit));
//!     if let Some(max) = max {
//!         out.set(block::x() as usize, max);
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! All threads of the block (of the warp, for [`warp_reduce`]) must reach the call together, and
//! `BLOCK` must be the kernel's exact one-dimensional block size; the compiler checks both. The
//! result of a reduction is only there in the first thread. Operators must be associative, as CUB
//! asks; those of [`block_reduce_raking_commutative`] commutative too.
//!
//! On the host, in the simulator and in the emulator, the functions run as models in Rust, which
//! apply the operator in an order that CUB could have chosen.

use crate::{register, thread};

mod sealed {
    pub trait Sealed {}
}

/// Numbers that native algorithms take: integers of 8 to 64 bits, `f32` and `f64`.
pub trait Scalar: Copy + 'static + sealed::Sealed {}
macro_rules! scalars {
    ($($t:ty),*) => { $( impl sealed::Sealed for $t {} impl Scalar for $t {} )* };
}
scalars!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

/// The block's values joined by `op`, in the first thread; by way of warps (shuffles).
#[register(provider = "cub", entry = "block_reduce", model = model::block_reduce)]
pub fn block_reduce<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(value: T, op: F) -> Option<T>;

/// Like [`block_reduce`], by raking over shared memory: fewer barriers, more sequential work.
#[register(provider = "cub", entry = "block_reduce_raking", model = model::block_reduce)]
pub fn block_reduce_raking<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(
    value: T,
    op: F,
) -> Option<T>;

/// Like [`block_reduce_raking`], for operators that are commutative too.
#[register(provider = "cub", entry = "block_reduce_raking_commutative", model = model::block_reduce)]
pub fn block_reduce_raking_commutative<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(
    value: T,
    op: F,
) -> Option<T>;

/// Each thread gets its own and all earlier values joined by `op`.
#[register(provider = "cub", entry = "block_scan_inclusive", model = model::block_scan_inclusive)]
pub fn block_scan_inclusive<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(value: T, op: F) -> T;

/// Each thread gets `initial` and all earlier values joined by `op`.
#[register(provider = "cub", entry = "block_scan_exclusive", model = model::block_scan_exclusive)]
pub fn block_scan_exclusive<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(
    value: T,
    initial: T,
    op: F,
) -> T;

/// An inclusive scan that goes on over several tiles: `running` is what came before this tile, and
/// holds this tile as well afterwards. Only the first thread's `running` is read and written.
#[register(provider = "cub", entry = "block_scan_running", model = model::block_scan_running)]
pub fn block_scan_running<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(
    value: T,
    running: &mut T,
    op: F,
) -> T;

/// The values of the warp's 32 lanes joined by `op`, in lane 0.
#[register(provider = "cub", entry = "warp_reduce", model = model::warp_reduce)]
pub fn warp_reduce<T: Scalar, F: Fn(T, T) -> T>(value: T, op: F) -> Option<T>;

/// The items of one thread joined by `op`.
#[register(provider = "cub", entry = "thread_reduce", model = model::thread_reduce)]
pub fn thread_reduce<T: Scalar, const ITEMS: usize, F: Fn(T, T) -> T>(
    items: &[T; ITEMS],
    op: F,
) -> T;

/// Sorts the block's items, which are in the order of threads, by `less`; the sort is stable.
#[register(provider = "cub", entry = "block_merge_sort", model = model::block_merge_sort)]
pub fn block_merge_sort<T: Scalar, const BLOCK: u32, const ITEMS: usize, F: Fn(T, T) -> bool>(
    items: &mut [T; ITEMS],
    less: F,
);

/// `op` of this thread's value and that of the thread before; the first thread keeps its own.
#[register(provider = "cub", entry = "adjacent_difference", model = model::adjacent_difference)]
pub fn adjacent_difference<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(value: T, op: F) -> T;

/// `f` of one value: the smallest native algorithm there is, for trying things out.
#[register(provider = "cub", entry = "transform", model = model::transform)]
pub fn transform<T: Scalar, U: Scalar, F: Fn(T) -> U>(value: T, f: F) -> U;

/// What the entries compute, for everything that is no GPU.
mod model {
    use super::{thread, Scalar};
    use crate::{barrier, shared, warp};

    const WORDS: usize = 2048;

    /// One element for each of the block's values, in memory that all models share: each call begins
    /// and ends with a barrier.
    fn scratch<T: Scalar>(len: usize) -> *mut T {
        if len * size_of::<T>() > WORDS * size_of::<u128>() {
            panic!("the model of this algorithm holds at most 32 KiB for a block");
        }
        shared![u128; 2048].as_mut_ptr().cast()
    }

    /// All values of the block, this thread's at `thread::linear()`.
    fn exchange<T: Scalar>(block: u32, value: T) -> *mut T {
        let all = scratch::<T>(block as usize);
        // SAFETY: a block has `block` threads.
        unsafe { *all.add(thread::linear() as usize) = value };
        barrier();
        all
    }

    /// The tree that a warp's shuffles make of `n` values.
    ///
    /// # Safety
    /// `v` holds `n` values that no other thread touches.
    unsafe fn tree<T: Scalar>(v: *mut T, n: usize, op: &impl Fn(T, T) -> T) -> T {
        let mut step = 1;
        while step < 32 {
            let mut lane = 0;
            while lane + step < n {
                unsafe { *v.add(lane) = op(*v.add(lane), *v.add(lane + step)) };
                lane += 1;
            }
            step *= 2;
        }
        unsafe { *v }
    }

    pub fn block_reduce<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(
        value: T,
        op: F,
    ) -> Option<T> {
        let all = exchange(BLOCK, value);
        let mut total = None;
        if thread::linear() == 0 {
            let mut first = 0;
            while first < BLOCK as usize {
                let n = (BLOCK as usize - first).min(32);
                // SAFETY: the other threads wait at the barrier.
                let one = unsafe { tree(all.add(first), n, &op) };
                total = Some(match total {
                    Some(t) => op(t, one),
                    None => one,
                });
                first += 32;
            }
        }
        barrier();
        total
    }

    /// The values before and with this thread's, from the second on: None in the first thread.
    unsafe fn before<T: Scalar>(all: *mut T, op: &impl Fn(T, T) -> T) -> Option<T> {
        let n = thread::linear() as usize;
        let mut sum = None;
        let mut i = 0;
        while i < n {
            let x = unsafe { *all.add(i) };
            sum = Some(match sum {
                Some(s) => op(s, x),
                None => x,
            });
            i += 1;
        }
        sum
    }

    pub fn block_scan_inclusive<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(
        value: T,
        op: F,
    ) -> T {
        let all = exchange(BLOCK, value);
        let sum = unsafe { before(all, &op) };
        barrier();
        sum.map_or(value, |s| op(s, value))
    }

    pub fn block_scan_exclusive<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(
        value: T,
        initial: T,
        op: F,
    ) -> T {
        let all = exchange(BLOCK, value);
        let sum = unsafe { before(all, &op) };
        barrier();
        sum.map_or(initial, |s| op(initial, s))
    }

    pub fn block_scan_running<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(
        value: T,
        running: &mut T,
        op: F,
    ) -> T {
        let all = exchange(BLOCK, value);
        let sum = unsafe { before(all, &op) };
        let own = sum.map_or(value, |s| op(s, value));
        barrier();
        let first = thread::linear() == 0;
        let last = thread::linear() == BLOCK - 1;
        // SAFETY: between barriers one thread writes an element, or all read it.
        unsafe {
            if last {
                *all.add(1) = own;
            }
            if first {
                *all = *running;
            }
            barrier();
            let (prefix, total) = (*all, *all.add(1));
            if first {
                *running = op(prefix, total);
            }
            barrier();
            op(prefix, own)
        }
    }

    pub fn warp_reduce<T: Scalar, F: Fn(T, T) -> T>(value: T, op: F) -> Option<T> {
        let at = thread::linear() as usize;
        // Apart from the block's: the other warps may be in another algorithm.
        let all: *mut T = shared![u64; 1024].as_mut_ptr().cast();
        // SAFETY: a warp's 32 values are its own.
        unsafe {
            *all.add(at) = value;
            warp::sync(warp::FULL);
            let mut total = None;
            if at % 32 == 0 {
                total = Some(tree(all.add(at), 32, &op));
            }
            warp::sync(warp::FULL);
            total
        }
    }

    pub fn thread_reduce<T: Scalar, const ITEMS: usize, F: Fn(T, T) -> T>(
        items: &[T; ITEMS],
        op: F,
    ) -> T {
        let mut sum = items[0];
        for &x in &items[1..] {
            sum = op(sum, x);
        }
        sum
    }

    pub fn block_merge_sort<
        T: Scalar,
        const BLOCK: u32,
        const ITEMS: usize,
        F: Fn(T, T) -> bool,
    >(
        items: &mut [T; ITEMS],
        less: F,
    ) {
        let n = BLOCK as usize * ITEMS;
        let all = scratch::<T>(n);
        let first = thread::linear() as usize * ITEMS;
        for (i, item) in items.iter().enumerate() {
            // SAFETY: each thread has its own items.
            unsafe { *all.add(first + i) = *item };
        }
        barrier();
        // The place of an item is the number of those that stand before it.
        let mut places = [0; ITEMS];
        for i in 0..ITEMS {
            for other in 0..n {
                let x = unsafe { *all.add(other) };
                let before = less(x, items[i]) || (!less(items[i], x) && other < first + i);
                places[i] += before as usize;
            }
        }
        barrier();
        for i in 0..ITEMS {
            // SAFETY: places are different as long as `less` is an order, and below `n` always.
            unsafe { *all.add(places[i]) = items[i] };
        }
        barrier();
        for (i, item) in items.iter_mut().enumerate() {
            *item = unsafe { *all.add(first + i) };
        }
        barrier();
    }

    pub fn adjacent_difference<T: Scalar, const BLOCK: u32, F: Fn(T, T) -> T>(
        value: T,
        op: F,
    ) -> T {
        let all = exchange(BLOCK, value);
        let at = thread::linear() as usize;
        let left = if at > 0 { Some(unsafe { *all.add(at - 1) }) } else { None };
        barrier();
        left.map_or(value, |l| op(value, l))
    }

    pub fn transform<T: Scalar, U: Scalar, F: Fn(T) -> U>(value: T, f: F) -> U {
        f(value)
    }
}
