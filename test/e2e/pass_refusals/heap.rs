// args: --entry k
pub fn k(x: u32) -> u32 {
    let b = Box::new(x); //~ MD0178 needs a heap
    *core::hint::black_box(b)
}
