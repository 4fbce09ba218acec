//! Inclusive prefix sums within each block: warp shuffles, then a scan over the warps' totals.
#![no_std]

use mirdc::prelude::*;

pub const BLOCK: usize = 512;
const WARPS: usize = BLOCK / 32;

/// Inclusive sum over the lanes below and this one.
fn warp_scan_add(mut v: u32) -> u32 {
    let lane = warp::lane();
    let mut d = 1;
    while d < warp::SIZE {
        let below = warp::shuffle_up(v, d);
        if lane >= d {
            v = v.wrapping_add(below);
        }
        d *= 2;
    }
    v
}

/// Scans each block's part of `data` by itself and writes the block's total to `totals`.
#[mirdc::kernel(block = 512)]
pub fn warp_scan(data: &[u32], mut out: PerThread<u32>, totals: Buffer<u32>) {
    let sums = shared![u32; WARPS];
    let i = thread::index_x();
    let t = thread::x() as usize;
    let v = data.get(i.get()).copied().unwrap_or(0);
    let scanned = warp_scan_add(v);
    if warp::lane() == 31 {
        sums.set(t / 32, scanned);
    }
    barrier();
    if t < 32 {
        let w = warp_scan_add(if t < WARPS { sums.get(t) } else { 0 });
        if t < WARPS {
            sums.set(t, w);
        }
    }
    barrier();
    let before = if t < 32 { 0 } else { sums.get(t / 32 - 1) };
    let sum = scanned.wrapping_add(before);
    if let Some(o) = out.at(i) {
        *o = sum;
    }
    if t == BLOCK - 1 {
        totals.set(block::x() as usize, sum);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn equals_running_sums() {
        let data: Vec<u32> = (0..1100u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        let mut out = vec![0u32; data.len()];
        let mut totals = vec![0u32; 3];
        host::launch_blocks(3, 512, 0, (&mut out[..], host::buffer(&mut totals)), |(o, t)| {
            warp_scan(&data, o, t)
        });
        for (b, part) in data.chunks(BLOCK).enumerate() {
            let mut sum = 0u32;
            for (k, v) in part.iter().enumerate() {
                sum = sum.wrapping_add(*v);
                assert_eq!(out[b * BLOCK + k], sum);
            }
            assert_eq!(totals[b], sum);
        }
    }
}
