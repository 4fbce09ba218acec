//! Kernels that take a function: the host decides, where it launches, what is computed.
use mirdc::prelude::*;

/// `y[i] = f(x[i])`
#[mirdc::kernel]
pub fn map<T: Copy, U, F: Fn(T) -> U>(f: F, x: &[T], mut y: PerThread<U>) {
    let i = thread::index_x();
    if let (Some(o), Some(v)) = (y.at(i), x.get(i.get())) {
        *o = f(*v);
    }
}

/// `z[i] = f(x[i], y[i])`
#[mirdc::kernel(max_block = 256)]
pub fn zip<A: Copy, B: Copy, C, F>(f: F, x: &[A], y: &[B], mut z: PerThread<C>)
where
    F: Fn(A, B) -> C,
{
    let i = thread::index_x();
    if let (Some(o), Some(a), Some(b)) = (z.at(i), x.get(i.get()), y.get(i.get())) {
        *o = f(*a, *b);
    }
}

/// Applies a step `N` times: the number is part of the kernel, so that the loop unrolls.
#[mirdc::kernel(instances(<f32, 3>))]
pub fn iterate<T: Copy + Step, const N: u32>(k: T, mut y: PerThread<T>)
where
    T: mirdc::KernelArg,
{
    if let Some(o) = y.mine() {
        for _ in 0..N {
            *o = o.step(k);
        }
    }
}

/// One step of an iteration.
pub trait Step {
    fn step(self, k: Self) -> Self;
}
impl Step for f32 {
    fn step(self, k: f32) -> f32 {
        self * 0.5 + k
    }
}
impl Step for u64 {
    fn step(self, k: u64) -> u64 {
        self.wrapping_mul(6364136223846793005).wrapping_add(k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_and_zips_on_the_host() {
        let (x, scale) = ([1u8, 2, 3], 1.5f32);
        let mut y = [0.0f32; 3];
        host::launch(1, 4, &mut y[..], |y| map(|v| v as f32 * scale, &x, y));
        assert_eq!(y, [1.5, 3.0, 4.5]);
        let mut z = [0i64; 3];
        host::launch(1, 4, &mut z[..], |z| zip(|a, b| a as i64 - b as i64, &x, &y, z));
        assert_eq!(z, [0, -1, -1]);
        let mut s = [1u64, 2];
        host::launch(1, 2, &mut s[..], |s| iterate::<_, 2>(1, s));
        assert_eq!(s[0], 1u64.step(1).step(1));
    }
}
