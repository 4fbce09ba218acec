//! Sums and extremes by the warp's own reduction instruction, which exists from sm_80 on.
#![no_std]

use mirdc::prelude::*;

/// `out` gets sum, minimum and maximum; it starts as `[0, u32::MAX, 0]`.
#[mirdc::kernel(block = 256)]
pub fn statistics(x: &[u32], out: Buffer<u32>) {
    let i = thread::global_x();
    let inside = warp::ballot(i < x.len());
    if i < x.len() {
        let v = x[i];
        let sum = warp::reduce_add(inside, v);
        let min = warp::reduce_min(inside, v);
        let max = warp::reduce_max(inside, v);
        if warp::lane() == 0 {
            out.atomic(0).fetch_add(sum, Ordering::Relaxed, Scope::Device);
            out.atomic(1).fetch_min(min, Ordering::Relaxed, Scope::Device);
            out.atomic(2).fetch_max(max, Ordering::Relaxed, Scope::Device);
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn the_last_warp_may_be_cut_short() {
        let x: Vec<u32> = (0..1000u32).map(|i| i * 37 % 1009 + 5).collect();
        let mut out = [0, u32::MAX, 0];
        host::launch_blocks(4, 256, 0, host::buffer(&mut out), |b| statistics(&x, b));
        let want = [x.iter().sum(), *x.iter().min().unwrap(), *x.iter().max().unwrap()];
        assert_eq!(out, want);
    }
}
