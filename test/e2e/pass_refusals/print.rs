// args: --entry k
pub fn k(x: u32) {
    println!("{}", x ^ 1); //~ MD0179 print with `mirdc::printf!`
}
