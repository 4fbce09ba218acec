//! Refused: the operation is chosen while the kernel runs, through a table of functions.
#![no_std]

use mirdc::prelude::*;

pub trait Operation {
    fn apply(&self, v: f32) -> f32;
}

pub struct Scale(pub f32);
impl Operation for Scale {
    fn apply(&self, v: f32) -> f32 {
        v * self.0
    }
}

pub struct Shift(pub f32);
impl Operation for Shift {
    fn apply(&self, v: f32) -> f32 {
        v + self.0
    }
}

/// An enum in place of the trait object would do.
#[mirdc::kernel]
pub fn apply(which: u32, by: f32, mut data: PerThread<f32>) {
    let (scale, shift) = (Scale(by), Shift(by));
    if let Some(v) = data.mine() {
        let operation: &dyn Operation = if which == 0 { &scale } else { &shift };
        *v = operation.apply(*v);
    }
}
