// args: --entry k
pub fn k(x: u32) {
    let y = helper(x);
    helper(y);
}
#[inline(never)]
fn helper(n: u32) -> u32 {
    let twice = n * 2;
    assert!(twice > 4);
    if twice > 100 {
        println!("large"); //~ MD0179 print with `mirdc::printf!`
    }
    twice
}
