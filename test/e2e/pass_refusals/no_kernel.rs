//~ MD0170 has no kernel
pub fn helper(x: u32) -> u32 {
    x + 1
}
