// args: --entry k
pub fn k(x: u32) -> u32 {
    unsafe { core::arch::x86_64::_mm_crc32_u32(x, 1) } //~ MD0187 is an instruction of the host
}
