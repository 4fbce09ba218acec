// args: --entry k
pub fn k(x: usize) -> usize {
    helper(x)
}
#[inline(never)]
fn helper(n: usize) -> usize {
    let room = n + 1;
    let v = vec![0u32; room]; //~ MD0178 needs a heap
    v.len()
}
