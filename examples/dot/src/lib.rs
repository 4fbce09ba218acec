//! Dot product: a grid-stride loop, then a tree in shared memory, one partial sum a block.
#![no_std]

use mirdc::prelude::*;

/// Threads of a block; the tree needs a power of two.
pub const BLOCK: usize = 256;

/// Writes the sum over the block's part of `x * y` to `partial[block::x()]`.
#[mirdc::kernel(block = 256)]
pub fn dot(x: &[f32], y: &[f32], partial: Buffer<f32>) {
    let tile = shared![f32; BLOCK];
    let step = grid::size_x() as usize * BLOCK;
    let n = x.len().min(y.len());
    let mut sum = 0.0f32;
    let mut i = thread::global_x();
    while i < n {
        sum += x[i] * y[i];
        i += step;
    }
    let t = thread::x() as usize;
    tile.set(t, sum);
    barrier();
    let mut half = BLOCK / 2;
    while half > 0 {
        if t < half {
            tile.set(t, tile.get(t) + tile.get(t + half));
        }
        barrier();
        half /= 2;
    }
    if t == 0 {
        partial.set(block::x() as usize, tile.get(0));
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn partial_sums_add_up() {
        let n = 5000;
        let x: Vec<f32> = (0..n).map(|i| (i % 17) as f32).collect();
        let y: Vec<f32> = (0..n).map(|i| (i % 5) as f32 - 2.0).collect();
        let mut partial = vec![0.0f32; 3];
        host::launch_blocks(3, 256, 0, host::buffer(&mut partial), |p| dot(&x, &y, p));
        // Small integers: every order of additions gives the same float.
        let want: f32 = x.iter().zip(&y).map(|(a, b)| a * b).sum();
        assert_eq!(partial.iter().sum::<f32>(), want);
    }
}
