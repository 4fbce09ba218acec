//! Where this thread stands in its block and in the grid.

use crate::{block, grid, sys};
use core::marker::PhantomData;

/// Index in the block along x.
#[inline(always)]
pub fn x() -> u32 {
    // SAFETY: reads a register; so do the others in this file.
    unsafe { sys::tid_x() }
}
/// Index in the block along y.
#[inline(always)]
pub fn y() -> u32 {
    unsafe { sys::tid_y() }
}
/// Index in the block along z.
#[inline(always)]
pub fn z() -> u32 {
    unsafe { sys::tid_z() }
}
/// Position in the block, counted x first, then y, then z.
#[inline(always)]
pub fn linear() -> u32 {
    z().wrapping_mul(block::size_y())
        .wrapping_add(y())
        .wrapping_mul(block::size_x())
        .wrapping_add(x())
}

/// Index in the grid along x: `block::x() * block::size_x() + thread::x()`.
#[inline(always)]
pub fn global_x() -> usize {
    at(block::x(), block::size_x(), x())
}
/// Index in the grid along y.
#[inline(always)]
pub fn global_y() -> usize {
    at(block::y(), block::size_y(), y())
}
/// Index in the grid along z.
#[inline(always)]
pub fn global_z() -> usize {
    at(block::z(), block::size_z(), z())
}
/// Position among all threads of the grid: blocks counted x first, then threads within the block.
#[inline(always)]
pub fn global() -> usize {
    (block::linear()).wrapping_mul(block::threads() as usize).wrapping_add(linear() as usize)
}

#[inline(always)]
fn at(block: u32, size: u32, thread: u32) -> usize {
    // At most 2^31 blocks of 1024 threads: fits 64 bits without a check.
    (block as usize).wrapping_mul(size as usize).wrapping_add(thread as usize)
}

/// Proof of a thread's own index: no other thread of the launch holds the same one.
///
/// It is what [`PerThread::at`](crate::PerThread::at) asks for, and cannot be sent to other
/// threads or made from a number.
#[derive(Clone, Copy)]
pub struct ThreadIndex {
    i: usize,
    _not_send: PhantomData<*mut ()>,
}

impl ThreadIndex {
    /// The number.
    #[inline(always)]
    pub fn get(self) -> usize {
        self.i
    }
}

/// This thread's index in a launch that extends along x only; any other launch traps.
#[inline(always)]
pub fn index_x() -> ThreadIndex {
    // With a second dimension several threads would share an x index, and an element.
    if block::size_y() | block::size_z() | grid::size_y() | grid::size_z() != 1 {
        unsafe { sys::trap() }
    }
    ThreadIndex { i: global_x(), _not_send: PhantomData }
}

/// This thread's index in a launch of any shape: [`global`] with the proof attached.
#[inline(always)]
pub fn index() -> ThreadIndex {
    ThreadIndex { i: global(), _not_send: PhantomData }
}

/// Runs `f` where the compiler cannot prove that all threads of the block arrive together, as native
/// algorithms of a block or warp ask for.
///
/// # Safety
/// All threads of the block (of the warp, for algorithms of a warp) must reach the call together.
#[inline(always)]
pub unsafe fn assume_converged<R>(f: impl FnOnce() -> R) -> R {
    // SAFETY: marks for the compiler.
    unsafe { sys::converged_begin() };
    let r = f();
    unsafe { sys::converged_end() };
    r
}
/// Waits until every thread of the block is here. What they wrote before is visible after.
///
/// All threads of the block must reach the same barrier.
#[inline(always)]
pub fn barrier() {
    unsafe { sys::barrier() }
}
/// A [`barrier`] that also counts the threads for which `p` holds.
#[inline(always)]
pub fn barrier_count(p: bool) -> u32 {
    unsafe { sys::barrier_count(p) }
}
/// A [`barrier`] that also tells whether `p` holds for all threads of the block.
#[inline(always)]
pub fn barrier_all(p: bool) -> bool {
    unsafe { sys::barrier_and(p) }
}
/// A [`barrier`] that also tells whether `p` holds for any thread of the block.
#[inline(always)]
pub fn barrier_any(p: bool) -> bool {
    unsafe { sys::barrier_or(p) }
}

/// Ends this thread.
#[inline(always)]
pub fn exit() -> ! {
    unsafe { sys::exit() }
}
/// Stops the whole launch with an error.
#[inline(always)]
pub fn trap() -> ! {
    unsafe { sys::trap() }
}
/// Stops in a debugger that is attached; otherwise the launch fails.
#[inline(always)]
pub fn breakpoint() {
    unsafe { sys::breakpoint() }
}
/// Lets at least about `ns` nanoseconds pass.
#[inline(always)]
pub fn sleep(ns: u32) {
    unsafe { sys::nanosleep(ns) }
}
/// A counter of the multiprocessor's clock cycles.
#[inline(always)]
pub fn clock() -> u64 {
    unsafe { sys::clock64() }
}
/// Nanoseconds of a timer that all multiprocessors share.
#[inline(always)]
pub fn timer() -> u64 {
    unsafe { sys::globaltimer() }
}
/// The multiprocessor this thread runs on; it may change during the run.
#[inline(always)]
pub fn multiprocessor() -> u32 {
    unsafe { sys::smid() }
}
