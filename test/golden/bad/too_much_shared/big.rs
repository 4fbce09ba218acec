#![no_std]
use mirdc::prelude::*;

#[mirdc::kernel(block = 64)]
pub fn small(out: *mut u32) {
    unsafe { *out = 1 };
}

#[mirdc::kernel(block = 64)]
pub fn large(out: *mut u32) {
    let s = mirdc::shared!(u32; 20000);
    s.set(thread::x() as usize, 1);
    mirdc::barrier();
    unsafe { *out = s.get(0) };
}
