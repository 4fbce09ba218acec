// args: --entry k
pub fn k(x: &[u8]) -> usize {
    core::str::from_utf8(x).map_or(0, |s| s.len()) //~ MD0174 work on the bytes of the text
}
