//! The block of threads: its place in the grid and its size in threads.

use crate::{grid, sys};

/// Index of the block in the grid along x.
#[inline(always)]
pub fn x() -> u32 {
    // SAFETY: reads a register; so do the others in this file.
    unsafe { sys::ctaid_x() }
}
/// Index of the block in the grid along y.
#[inline(always)]
pub fn y() -> u32 {
    unsafe { sys::ctaid_y() }
}
/// Index of the block in the grid along z.
#[inline(always)]
pub fn z() -> u32 {
    unsafe { sys::ctaid_z() }
}
/// Threads of a block along x.
#[inline(always)]
pub fn size_x() -> u32 {
    unsafe { sys::ntid_x() }
}
/// Threads of a block along y.
#[inline(always)]
pub fn size_y() -> u32 {
    unsafe { sys::ntid_y() }
}
/// Threads of a block along z.
#[inline(always)]
pub fn size_z() -> u32 {
    unsafe { sys::ntid_z() }
}
/// Threads of a block.
#[inline(always)]
pub fn threads() -> u32 {
    size_x().wrapping_mul(size_y()).wrapping_mul(size_z())
}
/// Position of the block in the grid, counted x first, then y, then z.
#[inline(always)]
pub fn linear() -> usize {
    (z() as usize)
        .wrapping_mul(grid::size_y() as usize)
        .wrapping_add(y() as usize)
        .wrapping_mul(grid::size_x() as usize)
        .wrapping_add(x() as usize)
}
