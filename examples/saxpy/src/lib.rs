//! `y = a * x + y`, one element a thread.
#![no_std]

use mirdc::prelude::*;

/// Each thread updates the one element of `y` that belongs to it.
#[mirdc::kernel(max_block = 1024)]
pub fn saxpy(a: f32, x: &[f32], mut y: PerThread<f32>) {
    let i = thread::index_x();
    if let Some(out) = y.at(i) {
        *out = a * x[i.get()] + *out;
    }
}

/// The same on the CPU.
pub fn saxpy_reference(a: f32, x: &[f32], y: &mut [f32]) {
    for (out, v) in y.iter_mut().zip(x) {
        *out = a * *v + *out;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn the_kernel_equals_the_reference() {
        let n = 1000u32;
        let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.5).collect();
        let mut y: Vec<f32> = (0..n).map(|i| 100.0 - i as f32).collect();
        let mut want = y.clone();
        saxpy_reference(2.5, &x, &mut want);
        host::launch(n.div_ceil(256), 256, &mut y[..], |y| saxpy(2.5, &x, y));
        assert_eq!(y, want);
    }
}
