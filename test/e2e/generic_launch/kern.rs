//! Kernels that other crates launch with types of theirs.
#![no_std]
pub mod shapes {
    use mirdc::prelude::*;

    #[mirdc::kernel(block = 64)]
    pub fn map<T: Copy, F>(f: F, x: &[T], mut y: PerThread<T>)
    where
        F: Fn(T) -> T,
    {
        let i = thread::index_x();
        if let Some(o) = y.at(i) {
            *o = f(x[i.get()]);
        }
    }
    #[mirdc::kernel(instances(f32))]
    pub fn scale<T: Copy + core::ops::Mul<Output = T> + mirdc::KernelArg>(k: T, mut y: PerThread<T>) {
        if let Some(o) = y.mine() {
            *o = *o * k;
        }
    }
    #[mirdc::kernel(max_block = 128)]
    pub fn plain(k: f32, mut y: PerThread<f32>) {
        if let Some(o) = y.mine() {
            *o += k;
        }
    }
    #[mirdc::kernel]
    pub fn fold<T, const N: usize, const UP: bool>(x: &[[T; N]], mut y: PerThread<T>)
    where
        T: Copy + core::ops::Add<Output = T>,
    {
        let i = thread::index_x();
        if let Some(o) = y.at(i) {
            let r = x[i.get()];
            let mut s = r[0];
            for k in 1..N {
                s = s + r[if UP { k } else { N - k }];
            }
            *o = s;
        }
    }
}
/// A closure of this crate around one of the caller's.
pub fn twice<F: Fn(f32) -> f32 + Copy>(f: F) -> impl Fn(f32) -> f32 + Copy {
    move |x| f(f(x))
}
