//! `c = a * b` for square matrices, in tiles of 16 by 16 that a block keeps in shared memory.
#![no_std]

use mirdc::prelude::*;

/// Edge of a tile, and of a block.
pub const TILE: usize = 16;

/// `a` and `b` are `n` by `n`, row by row. Threads outside of the matrix load zeros, so that every
/// thread of a block reaches every barrier.
#[mirdc::kernel(block = (16, 16))]
pub fn matmul(a: &[f32], b: &[f32], mut c: PerThread2d<f32>, n: u32) {
    let n = n as usize;
    let ta = shared![f32; TILE * TILE];
    let tb = shared![f32; TILE * TILE];
    let (tx, ty) = (thread::x() as usize, thread::y() as usize);
    let (col, row) = (thread::global_x(), thread::global_y());
    let mut sum = 0.0f32;
    let mut tile = 0;
    while tile < n {
        let (ca, rb) = (tile + tx, tile + ty);
        ta.set(ty * TILE + tx, if row < n && ca < n { a[row * n + ca] } else { 0.0 });
        tb.set(ty * TILE + tx, if rb < n && col < n { b[rb * n + col] } else { 0.0 });
        barrier();
        for k in 0..TILE {
            sum += ta.get(ty * TILE + k) * tb.get(k * TILE + tx);
        }
        barrier();
        tile += TILE;
    }
    if let Some(out) = c.mine() {
        *out = sum;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn equals_the_triple_loop() {
        let n = 37usize;
        let a: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32 - 3.0).collect();
        let b: Vec<f32> = (0..n * n).map(|i| (i % 11) as f32 - 5.0).collect();
        let mut c = vec![0.0f32; n * n];
        host::launch_blocks((3, 3), (16, 16), 0, host::matrix(&mut c, n), |c| {
            matmul(&a, &b, c, n as u32)
        });
        for row in 0..n {
            for col in 0..n {
                let want: f32 = (0..n).map(|k| a[row * n + k] * b[k * n + col]).sum();
                assert_eq!(c[row * n + col], want);
            }
        }
    }
}
