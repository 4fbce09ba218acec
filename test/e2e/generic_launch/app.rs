//! Launches with types and closures of this crate, in a loop, in helpers, twice with the same.
use kern::shapes;
use mirdc_host::{Bundle, DeviceVec, Module};

#[derive(Clone, Copy)]
struct Pair {
    a: f32,
    b: u8,
}

#[derive(Clone, Copy, PartialEq)]
struct Own(u16);
impl std::ops::Add for Own {
    type Output = Own;
    fn add(self, o: Own) -> Own {
        Own(self.0 ^ o.0)
    }
}

#[track_caller]
fn helper<F: Fn(f64) -> f64>(gpu: &Module, f: F, x: &DeviceVec<f64>, y: &mut DeviceVec<f64>) {
    unsafe { mirdc::launch!(gpu, 1, 64, shapes::map(f, x, y)).unwrap() }
}
/// One closure for each type: their names differ anyway.
fn plain_helper<T: Copy, F: Fn(T) -> T>(gpu: &Module, f: F, x: &DeviceVec<T>, y: &mut DeviceVec<T>) {
    outer(gpu, f, x, y)
}
fn outer<T: Copy, F: Fn(T) -> T>(gpu: &Module, f: F, x: &DeviceVec<T>, y: &mut DeviceVec<T>) {
    unsafe { mirdc::launch!(gpu, (1, 2), 64, shapes::map::<T, F>(f, x, y)).unwrap() }
}

fn main() {
    let bundle = Bundle::open_file(std::env::args().nth(1).unwrap()).unwrap();
    let gpu = &bundle.load(0).unwrap();
    let c = std::env::args().count() as f32;
    let x = gpu.upload(&[1.0f32, 2.0, 3.0]).unwrap();
    let mut y = gpu.upload(&[0.0f32; 3]).unwrap();
    let xd = gpu.upload(&[1.0f64, 2.0, 3.0]).unwrap();
    let mut yd = gpu.upload(&[0.0f64; 3]).unwrap();
    let xi = gpu.upload(&[1u32, 2, 3]).unwrap();
    let mut yi = gpu.upload(&[0u32; 3]).unwrap();
    let p = Pair { a: c, b: 3 };
    let (d, e) = (7u64, 9u16);
    unsafe {
        // 0 to 4 captures, a function item, a closure of another crate.
        mirdc::launch!(gpu, 1, 64, shapes::map(|x: f32| x + 1.0, &x, &mut y)).unwrap();
        mirdc::launch!(gpu, 1, 64, shapes::map(move |x: f32| x * c, &x, &mut y)).unwrap();
        for i in 0..3u32 {
            let f = move |x: f32| x + p.a * p.b as f32 + i as f32;
            mirdc::launch!(gpu, 1, 64, shapes::map::<f32, _>(f, &x, &mut y)).unwrap();
        }
        let f = move |x: f32| x + p.a + d as f32 + e as f32 + c;
        mirdc::launch!(gpu, 1, 64, shapes::map(f, &x, &mut y)).unwrap();
        mirdc::launch!(gpu, 1, 64, shapes::map(f, &x, &mut y)).unwrap();
        mirdc::launch!(gpu, 1, 64, shapes::map(f32::sqrt, &x, &mut y)).unwrap();
        mirdc::launch!(gpu, 1, 64, shapes::map(kern::twice(move |x| x * c), &x, &mut y)).unwrap();
        // Types, constants, an instance that the attribute names, a kernel that is not generic.
        mirdc::launch!(gpu, 1, 64, shapes::scale(2.0, &mut y)).unwrap();
        mirdc::launch!(gpu, 1, 64, shapes::scale(2.0, &mut yd)).unwrap();
        mirdc::launch!(gpu, 1, 64, shapes::scale(4.0, &mut yd)).unwrap();
        mirdc::launch!(gpu, 1, 64, shapes::plain(2.0, &mut y)).unwrap();
        let m = gpu.upload(&[[1u32, 2, 3]]).unwrap();
        let mut s = gpu.upload(&[0u32]).unwrap();
        mirdc::launch!(gpu, 1, 64, shapes::fold::<_, 3, true>(&m, &mut s)).unwrap();
        mirdc::launch!(gpu, 1, 64, shapes::fold::<_, 3, false>(&m, &mut s)).unwrap();
        let m = gpu.upload(&[[Own(1), Own(2)]]).unwrap();
        let mut s = gpu.upload(&[Own(0)]).unwrap();
        mirdc::launch!(gpu, 1, 64, shapes::fold::<_, 2, true>(&m, &mut s)).unwrap();
    }
    helper(gpu, |x| x + 1.0, &xd, &mut yd);
    helper(gpu, |x| x - 1.0, &xd, &mut yd);
    plain_helper(gpu, move |x| x + e as u32, &xi, &mut yi);
    plain_helper(gpu, move |x| x - d as f64, &xd, &mut yd);
    gpu.sync().unwrap();
    println!("all launched");
}
