//! Refused: a trait object that is a part of another type. `&dyn Operation` by itself works.
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

/// With a field `operation: &'a dyn Operation` it would be compiled.
pub struct Layer<T: ?Sized> {
    pub times: u32,
    pub operation: T,
}

#[mirdc::kernel]
pub fn apply(which: u32, by: f32, mut data: PerThread<f32>) {
    let scale = Layer { times: 2, operation: Scale(by) };
    let shift = Layer { times: 3, operation: Shift(by) };
    if let Some(v) = data.mine() {
        let layer: &Layer<dyn Operation> = if which == 0 { &scale } else { &shift };
        for _ in 0..layer.times {
            *v = layer.operation.apply(*v);
        }
    }
}
