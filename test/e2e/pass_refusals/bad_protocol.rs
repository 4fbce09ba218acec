//~ MD0171 protocol version 9
#[repr(C)]
pub struct Kernel(u64, u32, u32, [u64; 6], *const (), [u64; 4]);
unsafe impl Sync for Kernel {}
pub fn entry() {}
pub static __MIRDC_KERNEL: Kernel = Kernel(0x4e52_4b43_4452_4d49, 9, 0, [0; 6], entry as *const (), [0; 4]);
pub fn get() -> &'static Kernel {
    &__MIRDC_KERNEL
}
