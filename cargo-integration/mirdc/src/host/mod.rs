//! Runs kernels on the CPU, for tests.
//!
//! [`launch`] runs the threads of a grid one after the other: fast, and enough for kernels whose
//! threads do not wait for each other. [`launch_blocks`] gives each thread of a block a thread of
//! the operating system, so that barriers, shared memory and warp operations work; blocks run one
//! after the other. Outside a launch a kernel called directly sees a grid of one thread.
//!
//! In a device build everything is here by name, since a crate's host code is compiled then too, but
//! nothing can be launched.

#[cfg(not(mirdc_device))]
#[doc(hidden)]
pub mod float;
#[cfg(not(mirdc_device))]
#[doc(hidden)]
pub mod print;
#[cfg(not(mirdc_device))]
#[doc(hidden)]
pub mod sim;

use crate::{Buffer, PerThread, PerThread2d};
#[cfg(not(mirdc_device))]
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
#[cfg(not(mirdc_device))]
use std::sync::{Arc, Mutex};

/// The size of a grid or a block: a number, or `(x, y)`, or `(x, y, z)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3(pub [u32; 3]);

macro_rules! dims {
    ($($t:ty),*) => {$(
        impl From<$t> for Dim3 {
            fn from(x: $t) -> Dim3 { Dim3([extent(x), 1, 1]) }
        }
        impl From<($t, $t)> for Dim3 {
            fn from((x, y): ($t, $t)) -> Dim3 { Dim3([extent(x), extent(y), 1]) }
        }
        impl From<($t, $t, $t)> for Dim3 {
            fn from((x, y, z): ($t, $t, $t)) -> Dim3 { Dim3([extent(x), extent(y), extent(z)]) }
        }
    )*};
}
dims!(i32, u32, usize);

fn extent<T: TryInto<u32>>(v: T) -> u32 {
    match v.try_into() {
        Ok(v) if v > 0 => v,
        _ => panic!("a launch needs extents of at least 1 that fit 32 bits"),
    }
}

/// What a simulated launch hands to each thread: `&mut [T]` becomes a [`PerThread`] of its own,
/// tuples become tuples. See [`buffer`] and [`matrix`] for the other forms, `()` for nothing.
pub trait Outputs {
    /// What one thread gets.
    type Device;
    #[doc(hidden)]
    type Raw: Copy;
    #[doc(hidden)]
    fn raw(&mut self) -> Self::Raw;
    /// # Safety
    /// Once a thread, while the outputs are borrowed.
    #[doc(hidden)]
    unsafe fn device(raw: Self::Raw) -> Self::Device;
}

impl Outputs for () {
    type Device = ();
    type Raw = ();
    fn raw(&mut self) {}
    unsafe fn device(_: ()) {}
}
impl<'b, T> Outputs for &'b mut [T] {
    type Device = PerThread<'b, T>;
    type Raw = (*mut T, usize);
    fn raw(&mut self) -> Self::Raw {
        (self.as_mut_ptr(), self.len())
    }
    unsafe fn device(raw: Self::Raw) -> PerThread<'b, T> {
        unsafe { PerThread::from_raw_parts(raw.0, raw.1) }
    }
}

/// Made by [`buffer`].
pub struct AsBuffer<'b, T>(&'b mut [T]);
/// Hands the slice to the threads as a [`Buffer`].
pub fn buffer<T>(v: &mut [T]) -> AsBuffer<'_, T> {
    AsBuffer(v)
}
impl<'b, T> Outputs for AsBuffer<'b, T> {
    type Device = Buffer<'b, T>;
    type Raw = (*mut T, usize);
    fn raw(&mut self) -> Self::Raw {
        (self.0.as_mut_ptr(), self.0.len())
    }
    unsafe fn device(raw: Self::Raw) -> Buffer<'b, T> {
        unsafe { Buffer::from_raw_parts(raw.0, raw.1) }
    }
}

/// Made by [`matrix`].
pub struct AsMatrix<'b, T>(&'b mut [T], usize);
/// Hands the slice to the threads as a [`PerThread2d`] with rows of `width` elements.
pub fn matrix<T>(v: &mut [T], width: usize) -> AsMatrix<'_, T> {
    AsMatrix(v, width)
}
impl<'b, T> Outputs for AsMatrix<'b, T> {
    type Device = PerThread2d<'b, T>;
    type Raw = (*mut T, usize, usize);
    fn raw(&mut self) -> Self::Raw {
        (self.0.as_mut_ptr(), self.0.len(), self.1)
    }
    unsafe fn device(raw: Self::Raw) -> PerThread2d<'b, T> {
        unsafe { PerThread2d::from_raw_parts(raw.0, raw.1, raw.2) }
    }
}

macro_rules! tuples {
    ($( ($($t:ident $i:tt),+) )*) => {$(
        impl<$($t: Outputs),+> Outputs for ($($t,)+) {
            type Device = ($($t::Device,)+);
            type Raw = ($($t::Raw,)+);
            fn raw(&mut self) -> Self::Raw { ($(self.$i.raw(),)+) }
            unsafe fn device(raw: Self::Raw) -> Self::Device {
                unsafe { ($($t::device(raw.$i),)+) }
            }
        }
    )*};
}
tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
}

/// Raw outputs cross to the simulated threads.
#[cfg(not(mirdc_device))]
#[derive(Clone, Copy)]
struct Raw<R>(R);
#[cfg(not(mirdc_device))]
unsafe impl<R> Send for Raw<R> {}
#[cfg(not(mirdc_device))]
unsafe impl<R> Sync for Raw<R> {}

/// Shared arrays are statics of the process, so only one launch runs at a time.
#[cfg(not(mirdc_device))]
static ONE_LAUNCH: Mutex<()> = Mutex::new(());

#[cfg(not(mirdc_device))]
fn launch_lock() -> std::sync::MutexGuard<'static, ()> {
    assert!(!sim::inside(), "a kernel cannot launch another one");
    ONE_LAUNCH.lock().unwrap_or_else(|e| e.into_inner())
}

#[cfg(not(mirdc_device))]
fn blocks_of(grid: Dim3) -> impl Iterator<Item = [u32; 3]> {
    let [nx, ny, nz] = grid.0;
    (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
}

/// Runs `kernel` once for each thread of the grid, one after the other. A barrier or a warp
/// operation in a block of several threads panics; use [`launch_blocks`] for those.
pub fn launch<O: Outputs>(
    grid: impl Into<Dim3>,
    block: impl Into<Dim3>,
    outputs: O,
    kernel: impl Fn(O::Device),
) {
    one_by_one(grid.into(), block.into(), outputs, kernel);
}

#[cfg(mirdc_device)]
fn one_by_one<O: Outputs>(_: Dim3, _: Dim3, _: O, _: impl Fn(O::Device)) {
    crate::thread::trap()
}
#[cfg(not(mirdc_device))]
fn one_by_one<O: Outputs>(grid: Dim3, block: Dim3, mut outputs: O, kernel: impl Fn(O::Device)) {
    let raw = outputs.raw();
    let _one = launch_lock();
    for at in blocks_of(grid) {
        for thread in blocks_of(block) {
            let ctx = sim::Context::new(grid.0, block.0, at, thread, None);
            // SAFETY: one thread at a time, each with its own view.
            sim::run(ctx, || kernel(unsafe { O::device(raw) }));
        }
    }
}

/// Runs `kernel` with the threads of each block running at once, and `dynamic_shared` bytes of
/// dynamic shared memory.
pub fn launch_blocks<O: Outputs>(
    grid: impl Into<Dim3>,
    block: impl Into<Dim3>,
    dynamic_shared: usize,
    outputs: O,
    kernel: impl Fn(O::Device) + Sync,
) {
    at_once(grid.into(), block.into(), dynamic_shared, outputs, kernel);
}

#[cfg(mirdc_device)]
fn at_once<O: Outputs>(_: Dim3, _: Dim3, _: usize, _: O, _: impl Fn(O::Device) + Sync) {
    crate::thread::trap()
}
#[cfg(not(mirdc_device))]
fn at_once<O: Outputs>(
    grid: Dim3,
    block: Dim3,
    dynamic_shared: usize,
    mut outputs: O,
    kernel: impl Fn(O::Device) + Sync,
) {
    let threads = block.0.iter().map(|&n| n as u64).product::<u64>();
    assert!(threads <= 1024, "a block has at most 1024 threads, not {threads}");
    let raw = Raw(outputs.raw());
    let _one = launch_lock();
    for at in blocks_of(grid) {
        let shared = Arc::new(sim::Block::new(threads as usize, dynamic_shared));
        let failure = Mutex::new(None);
        std::thread::scope(|s| {
            for thread in blocks_of(block) {
                let (shared, failure, kernel) = (&shared, &failure, &kernel);
                s.spawn(move || {
                    let raw = raw;
                    let ctx =
                        sim::Context::new(grid.0, block.0, at, thread, Some(Arc::clone(shared)));
                    let linear = ctx.linear();
                    let result = catch_unwind(AssertUnwindSafe(|| {
                        // SAFETY: each thread has its own view of the outputs.
                        sim::run(ctx, || kernel(unsafe { O::device(raw.0) }));
                    }));
                    shared.leave(linear, result.is_err());
                    if let Err(e) = result {
                        failure.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(e);
                    }
                });
            }
        });
        if let Some(e) = failure.into_inner().unwrap_or_else(|e| e.into_inner()) {
            resume_unwind(e);
        }
    }
}
