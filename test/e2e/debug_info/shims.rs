// Calls through functions that have no place in the source.
#![no_std]
use mirdc::prelude::*;

fn twice(f: &dyn Fn(u32) -> u32, v: u32) -> u32 {
    f(f(v))
}

#[mirdc::kernel]
pub fn shims(a: u32, which: bool, mut out: PerThread<u32>) {
    let plain: fn(u32) -> u32 = if which { |v| v + 1 } else { |v| v * 2 };
    if let Some(o) = out.mine() {
        *o = twice(&|x| x + a, plain(a));
    }
}
