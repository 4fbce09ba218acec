//! Histogram of bytes: counts in shared memory first, then one atomic addition a bin and block.
#![no_std]

use mirdc::prelude::*;

pub const BINS: usize = 256;

#[mirdc::kernel(block = 256)]
pub fn histogram(data: &[u8], bins: Buffer<u32>) {
    let local = shared![u32; BINS];
    let t = thread::x() as usize;
    local.set(t, 0);
    barrier();
    let step = grid::size_x() as usize * block::size_x() as usize;
    let mut i = thread::global_x();
    while i < data.len() {
        local.atomic(data[i] as usize).fetch_add(1, Ordering::Relaxed, Scope::Block);
        i += step;
    }
    barrier();
    let count = local.get(t);
    if count > 0 {
        bins.atomic(t).fetch_add(count, Ordering::Relaxed, Scope::Device);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn counts_every_byte() {
        let data: Vec<u8> = (0..3000u32).map(|i| (i * i % 251) as u8).collect();
        let mut bins = vec![0u32; 256];
        host::launch_blocks(2, 256, 0, host::buffer(&mut bins), |b| histogram(&data, b));
        for v in 0..256 {
            assert_eq!(bins[v], data.iter().filter(|&&d| d as usize == v).count() as u32);
        }
    }
}
