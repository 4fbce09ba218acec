#![no_std]
use mirdc::prelude::*;
#[mirdc::kernel]
pub fn map<T: Copy>(mut y: PerThread<T>, v: T) { if let Some(p) = y.mine() { *p = v } }
