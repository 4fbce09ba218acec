use mirdc::prelude::*;

#[mirdc::register(provider = "cub", entry = "block_reduce")]
pub fn block_reduce<T: Copy, const BLOCK: u32, F: Fn(T, T) -> T>(value: T, op: F) -> Option<T>;

#[mirdc::kernel(block = 256)]
pub unsafe fn block_sums(input: &[i32], out: *mut i32, k: i32) {
    let combine = move |a: i32, b: i32| a.wrapping_add(b).max(k);
    let x = input[thread::global_x()];
    if let Some(total) = block_reduce::<i32, 256, _>(x, combine) {
        unsafe { *out.add(block::x() as usize) = total; }
    }
}
