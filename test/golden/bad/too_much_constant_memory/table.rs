#![no_std]
use mirdc::prelude::*;

static TABLE: Constant<[u32; 20000]> = Constant::new([7; 20000]);

#[mirdc::kernel]
pub fn look(out: *mut u32, n: usize) {
    unsafe { *out = TABLE.at(n) };
}
