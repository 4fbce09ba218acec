//! Refused: the kernel collects into a vector, and a GPU thread has no heap.
#![no_std]
extern crate alloc;

use alloc::vec::Vec;
use mirdc::prelude::*;

/// Each thread wants the squares of its own row in a vector of its own.
#[mirdc::kernel]
pub fn row_sums(x: &[f32], width: usize, mut sums: PerThread<f32>) {
    if let Some(sum) = sums.mine() {
        let row = thread::global_x() * width;
        let squares: Vec<f32> = x[row..row + width].iter().map(|v| v * v).collect();
        *sum = squares.iter().sum();
    }
}
