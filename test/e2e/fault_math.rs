#![no_std]
use mirdc::prelude::*;

#[mirdc::kernel(max_block = 256)]
pub fn powers(x: &[f32], mut y: PerThread<f32>) {
    let i = thread::index_x();
    let n = i.get();
    if n < x.len() {
        if let Some(out) = y.at(i) {
            *out = x[n].powf(*out).sin();
        }
    }
}
