//! Closures in CUB's algorithms: a reduction, a scan that runs over several tiles and a sort. What the
//! closures capture are plain numbers of the kernel, so other values need no other code.
#![no_std]

use mirdc::{cub, prelude::*};

/// The block's elements added up, where no partial sum falls below `floor`.
#[mirdc::kernel(block = 256)]
pub fn block_sums(input: &[i32], floor: i32, sums: Buffer<i32>) {
    let combine = move |a: i32, b: i32| a.wrapping_add(b).max(floor);
    let i = thread::global_x();
    let x = if i < input.len() { input[i] } else { floor };
    if let Some(total) = cub::block_reduce::<i32, 256, _>(x, combine) {
        sums.set(block::x() as usize, total);
    }
}

/// The largest element up to each place, by one block that walks over the input in tiles. `first` is
/// what came before.
#[mirdc::kernel(block = 128)]
pub fn running_max(input: &[u32], first: u32, out: Buffer<u32>) {
    let mut before = first;
    let mut tile = 0;
    while tile < input.len() {
        let i = tile + thread::x() as usize;
        let x = if i < input.len() { input[i] } else { 0 };
        let max = cub::block_scan_running::<u32, 128, _>(x, &mut before, u32::max);
        if i < input.len() {
            out.set(i, max);
        }
        tile += 128;
    }
}

/// Sorts each block's 256 elements by their distance from `center`; the length is a multiple of 256.
#[mirdc::kernel(block = 64)]
pub fn sort_tiles(values: Buffer<u32>, center: u32) {
    let first = thread::global_x() * 4;
    if (block::x() as usize + 1) * 256 > values.len() {
        return;
    }
    let mut items = [0; 4];
    for (j, item) in items.iter_mut().enumerate() {
        *item = values.get(first + j);
    }
    cub::block_merge_sort::<u32, 64, 4, _>(&mut items, move |a, b| {
        a.abs_diff(center) < b.abs_diff(center)
    });
    for (j, item) in items.iter().enumerate() {
        values.set(first + j, *item);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn values(n: u32) -> Vec<u32> {
        (0..n).map(|i| i.wrapping_mul(2654435761) >> 7).collect()
    }

    #[test]
    fn sums_of_blocks() {
        let x: Vec<i32> = values(600).iter().map(|&v| v as i32 % 1000 + 500).collect();
        let mut sums = vec![0; 3];
        host::launch_blocks(3, 256, 0, host::buffer(&mut sums), |s| block_sums(&x, 0, s));
        for (sum, part) in sums.iter().zip(x.chunks(256)) {
            assert_eq!(*sum, part.iter().sum::<i32>());
        }
    }

    #[test]
    fn a_scan_goes_on_behind_a_tile() {
        let x = values(300);
        let mut out = vec![0; 300];
        host::launch_blocks(1, 128, 0, host::buffer(&mut out), |o| running_max(&x, 5, o));
        let mut max = 5;
        for (x, o) in x.iter().zip(&out) {
            max = max.max(*x);
            assert_eq!(*o, max);
        }
    }

    #[test]
    fn tiles_are_sorted() {
        let mut x = values(512);
        let mut want = x.clone();
        host::launch_blocks(2, 64, 0, host::buffer(&mut x), |v| sort_tiles(v, 1 << 20));
        for tile in want.chunks_mut(256) {
            tile.sort_by_key(|v| v.abs_diff(1 << 20));
        }
        assert_eq!(x, want);
    }
}
