#![no_std]
//! Each native algorithm once, and some of a provider of the test's own.
use mirdc::{cub, prelude::*};

#[mirdc::kernel(block = 128)]
pub unsafe fn reductions(input: *const i32, out: *mut i32, k: i32) {
    let i = thread::global_x() as usize;
    let x = unsafe { *input.add(i) };
    let op = move |a: i32, b: i32| a.wrapping_add(b).max(k);
    let mut sum = cub::block_reduce::<i32, 128, _>(x, op).unwrap_or(0);
    sum = sum.wrapping_add(cub::block_reduce_raking::<i32, 128, _>(x, op).unwrap_or(0));
    sum = sum.wrapping_add(cub::block_reduce_raking_commutative::<i32, 128, _>(x, op).unwrap_or(0));
    sum = sum.wrapping_add(cub::warp_reduce(x, op).unwrap_or(0));
    unsafe { *out.add(i) = sum };
}

#[mirdc::kernel(block = 64)]
pub unsafe fn scans(input: *const f64, out: *mut f64, k: f64) {
    let i = thread::global_x() as usize;
    let x = unsafe { *input.add(i) };
    let op = move |a: f64, b: f64| if a > b { a } else { b + k };
    let mut running = k;
    let a = cub::block_scan_inclusive::<f64, 64, _>(x, op);
    let b = cub::block_scan_exclusive::<f64, 64, _>(x, k, op);
    let c = cub::block_scan_running::<f64, 64, _>(x, &mut running, op);
    let d = cub::adjacent_difference::<f64, 64, _>(x, op);
    unsafe { *out.add(i) = a + b + c + d + running };
}

#[mirdc::kernel(block = 64)]
pub unsafe fn items(input: *const u8, out: *mut u8, k: u8) {
    let i = thread::global_x() as usize * 4;
    let mut v = unsafe { [*input.add(i), *input.add(i + 1), *input.add(i + 2), *input.add(i + 3)] };
    cub::block_merge_sort::<u8, 64, 4, _>(&mut v, move |a, b| (a ^ k) < (b ^ k));
    let most = cub::thread_reduce(&v, move |a, b| if a > b { a } else { b });
    for (j, x) in v.into_iter().enumerate() {
        unsafe { *out.add(i + j) = cub::transform(x, move |x: u8| x ^ most) };
    }
}

#[mirdc::register(provider = "own", entry = "twice")]
pub fn twice<F: Fn(i32) -> i32>(value: i32, f: F) -> i32;

#[mirdc::kernel(block = 32)]
pub unsafe fn own(out: *mut i32, k: i32) {
    let i = thread::x() as usize;
    unsafe { *out.add(i) = twice(i as i32, move |x| x.wrapping_mul(k)) };
}
