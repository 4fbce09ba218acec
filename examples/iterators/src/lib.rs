//! A kernel written with iterator chains: statistics of each thread's row of samples.
#![no_std]

use mirdc::prelude::*;

/// Samples of a row.
pub const ROW: usize = 64;

/// What is found out about a row.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, mirdc::KernelArg)]
pub struct Stats {
    pub sum: i64,
    pub smallest: i32,
    pub largest: i32,
    /// Index of the first sample above the mean, ROW if there is none.
    pub first_above: u32,
    /// Times that neighbouring samples rise.
    pub rises: u32,
    /// Sum of the products of each pair at even places, weighted by its place.
    pub pairs: i64,
}

pub fn stats(row: &[i32]) -> Stats {
    let sum: i64 = row.iter().map(|&v| v as i64).sum();
    let mean = sum / row.len().max(1) as i64;
    let mut pairs = 0i64;
    for (k, pair) in row.chunks_exact(2).enumerate() {
        pairs += (k as i64 + 1) * pair[0] as i64 * pair[1] as i64;
    }
    Stats {
        sum,
        smallest: row.iter().copied().fold(i32::MAX, |a, b| if b < a { b } else { a }),
        largest: row.iter().copied().fold(i32::MIN, |a, b| if b > a { b } else { a }),
        first_above: row.iter().position(|&v| v as i64 > mean).unwrap_or(ROW) as u32,
        rises: row.windows(2).filter(|w| w[1] > w[0]).count() as u32,
        pairs,
    }
}

#[mirdc::kernel(max_block = 256)]
pub fn iterators(samples: &[i32], mut out: PerThread<Stats>) {
    let i = thread::index_x();
    let from = i.get() * ROW;
    if let (Some(row), Some(o)) = (samples.get(from..from + ROW), out.at(i)) {
        *o = stats(row);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn knows_a_row_by_heart() {
        let samples: Vec<i32> = (0..2 * ROW as i32).map(|i| if i < 64 { i } else { -i }).collect();
        let zero = stats(&[]);
        let mut out = vec![zero; 2];
        host::launch(1, 2, &mut out[..], |o| iterators(&samples, o));
        assert_eq!((out[0].sum, out[0].smallest, out[0].largest), (2016, 0, 63));
        assert_eq!((out[0].first_above, out[0].rises), (32, 63));
        assert_eq!((out[1].first_above, out[1].rises), (0, 0));
        let pairs: i64 = (0..32).map(|k| (k + 1) * (2 * k) * (2 * k + 1)).sum();
        assert_eq!(out[0].pairs, pairs);
    }
}
