// args: --entry k
pub fn k(x: &str) -> usize { //~ MD0189 text lies in host memory
    x.len()
}
