// args: --entry k
pub fn k(x: u32) -> u32 {
    x.isqrt() //~ MD0181 the value of constant
}
