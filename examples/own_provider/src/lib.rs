//! A registration function for C++ of one's own: `providers/windows` holds a template and says what it
//! offers, `window_fold` makes it a Rust function that takes closures.
#![no_std]

use mirdc::{cub::Scalar, prelude::*};

/// This thread's value and those of the `WIDTH - 1` threads before it, folded from left to right.
#[mirdc::register(provider = "windows", entry = "window_fold", model = window_fold_model)]
pub fn window_fold<T: Scalar, const BLOCK: u32, const WIDTH: u32, F: Fn(T, T) -> T>(
    value: T,
    op: F,
) -> T;

/// What the C++ computes, for the host and the emulator.
pub fn window_fold_model<T: Scalar, const BLOCK: u32, const WIDTH: u32, F: Fn(T, T) -> T>(
    value: T,
    op: F,
) -> T {
    let all: *mut T = shared![u128; 1024].as_mut_ptr().cast();
    let at = thread::linear();
    // SAFETY: a thread writes its own element, and all are read between the barriers.
    unsafe {
        *all.add(at as usize) = value;
        barrier();
        let mut i = (at + 1).saturating_sub(WIDTH);
        let mut r = *all.add(i as usize);
        while i < at {
            i += 1;
            r = op(r, *all.add(i as usize));
        }
        barrier();
        r
    }
}

/// Exponential smoothing over eight samples: newer ones weigh more.
#[mirdc::kernel(block = 128)]
pub fn smooth(input: &[f32], weight: f32, mut out: PerThread<f32>) {
    let i = thread::global_x();
    let x = if i < input.len() { input[i] } else { 0.0 };
    let y = window_fold::<f32, 128, 8, _>(x, move |old, new| old + (new - old) * weight);
    if let Some(o) = out.mine() {
        *o = y;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn windows_are_smoothed() {
        let x: Vec<f32> = (0..200).map(|i| (i % 23) as f32).collect();
        let mut out = vec![0.0; 200];
        host::launch_blocks(2, 128, 0, &mut out[..], |o| smooth(&x, 0.25, o));
        for (i, got) in out.iter().enumerate() {
            let block = i / 128 * 128;
            let window = &x[(i + 1).saturating_sub(8).max(block)..=i];
            let want = window
                .iter()
                .copied()
                .reduce(|a, b| a + (b - a) * 0.25)
                .unwrap();
            assert_eq!(*got, want);
        }
    }
}
