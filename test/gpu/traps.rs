//! Kernels that stop for each reason, when their argument says so. Built twice: with the dev profile
//! and with the release profile.
#![no_std]

#[mirdc::kernel]
pub fn add(out: *mut i32, a: i32, b: i32) {
    unsafe { *out = a + b }
}

#[mirdc::kernel]
pub fn index(out: *mut i32, v: &[i32], i: u32) {
    unsafe { *out = v[i as usize] }
}

#[mirdc::kernel]
pub fn divide(out: *mut i32, a: i32, b: i32) {
    unsafe { *out = a / b }
}

#[mirdc::kernel]
pub fn shift(out: *mut i32, a: i32, b: u32) {
    unsafe { *out = a << b }
}

fn half(v: u32) -> Option<u32> {
    if v % 2 == 0 { Some(v / 2) } else { None }
}

#[mirdc::kernel]
pub fn unwrap(out: *mut u32, v: u32) {
    unsafe { *out = half(v).unwrap() }
}

#[mirdc::kernel]
pub fn explicit(out: *mut u32, v: u32) {
    if v > 10 {
        panic!("too large");
    }
    unsafe { *out = v }
}
