//! The grid of blocks: all threads of a launch.

use crate::{block, sys};

/// Blocks of the grid along x.
#[inline(always)]
pub fn size_x() -> u32 {
    // SAFETY: reads a register; so do the others in this file.
    unsafe { sys::nctaid_x() }
}
/// Blocks of the grid along y.
#[inline(always)]
pub fn size_y() -> u32 {
    unsafe { sys::nctaid_y() }
}
/// Blocks of the grid along z.
#[inline(always)]
pub fn size_z() -> u32 {
    unsafe { sys::nctaid_z() }
}
/// Blocks of the grid.
#[inline(always)]
pub fn blocks() -> usize {
    (size_x() as usize).wrapping_mul(size_y() as usize).wrapping_mul(size_z() as usize)
}
/// Threads of the grid along x.
#[inline(always)]
pub fn threads_x() -> usize {
    (size_x() as usize).wrapping_mul(block::size_x() as usize)
}
/// Threads of the grid along y.
#[inline(always)]
pub fn threads_y() -> usize {
    (size_y() as usize).wrapping_mul(block::size_y() as usize)
}
/// Threads of the grid along z.
#[inline(always)]
pub fn threads_z() -> usize {
    (size_z() as usize).wrapping_mul(block::size_z() as usize)
}
/// Threads of the grid.
#[inline(always)]
pub fn threads() -> usize {
    blocks().wrapping_mul(block::threads() as usize)
}
