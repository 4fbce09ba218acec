// args: --entry k
// More than one unit may cost: types twice (a function that nobody calls has a wrong constant), bodies twice (captures), and a
// chain of adapters whose closures are found one after the other.
fn four<T>() -> u64 {
    const { assert!(core::mem::size_of::<T>() == 4) };
    1
}
#[inline]
pub fn nobody_calls() -> u64 {
    four::<u8>()
}

fn again<F: Fn(u64) -> u64>(f: &F, n: u64) -> u64 {
    if n == 0 { f(3) } else { again(f, n - 1).wrapping_mul(3) ^ f(n) }
}

pub fn k(a: u64, b: u64) -> u64 {
    let p = (a as u8, b, [a; 2]);
    let captures = again(&move |x| x.wrapping_mul(p.1) ^ p.0 as u64 ^ p.2[1], a % 5);
    let nested = (0..4u64).flat_map(|i| (0..4u64).map(move |j| (i, j))).filter(|(i, j)| i != j);
    captures ^ nested.map(|(i, j)| (a >> (i * 8) & 255) ^ (b >> (j * 8) & 255)).min().unwrap() //~ MD0155 6 runs of rustc did not bring all
}
