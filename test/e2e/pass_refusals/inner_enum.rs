// args: --entry k
pub fn k(i: usize) -> u64 {
    #[derive(Clone, Copy)]
    enum Only {
        A = 9,
    }
    let x = [Only::A; 2];
    x[i & 1] as u64 //~ MD0177 the variants of `k::Only` are not known
}
