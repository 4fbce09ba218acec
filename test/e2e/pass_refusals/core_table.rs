// args: --entry k
static TABLE: [fn(u32) -> u32; 2] = [u32::swap_bytes, u32::reverse_bits];
pub fn k(i: usize, x: u32) -> u32 {
    TABLE[i](x) //~ MD0182 a table points to
}
