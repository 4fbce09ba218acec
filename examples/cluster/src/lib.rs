//! Blocks that are launched together as a cluster, a launch fact from sm_90 on.
#![no_std]

use mirdc::prelude::*;

/// Differences of neighbours.
#[mirdc::kernel(block = 128, cluster = 2)]
pub fn differences(x: &[f32], mut out: PerThread<f32>) {
    let i = thread::index_x();
    if let Some(out) = out.at(i) {
        let next = if i.get() + 1 < x.len() { x[i.get() + 1] } else { 0.0 };
        *out = next - x[i.get()];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_have_odd_differences() {
        let x: [f32; 200] = core::array::from_fn(|i| (i * i) as f32);
        let mut out = [0.0; 200];
        host::launch(2, 128, &mut out[..], |out| differences(&x, out));
        for i in 0..199 {
            assert_eq!(out[i], (2 * i + 1) as f32);
        }
    }
}
