//! Launches the kernels with closures and types of its own: `generic_map BUNDLE`.
use generic_map::{self as kernels, Step};
use mirdc::launch;
use mirdc_host::{Bundle, DeviceVec, Module, Result};
use std::fmt::Debug;
use std::process::ExitCode;

const N: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex {
    re: f32,
    im: f32,
}

struct Test {
    gpu: Module,
    passed: usize,
    failed: usize,
}

impl Test {
    fn same<T: PartialEq + Debug>(&mut self, name: &str, got: &[T], want: impl Fn(usize) -> T) {
        match (0..got.len()).find(|&i| got[i] != want(i)) {
            None => {
                self.passed += 1;
                println!("ok {name}");
            }
            Some(i) => {
                self.failed += 1;
                println!("not ok {name}: [{i}] is {:?}, not {:?}", got[i], want(i));
            }
        }
    }
    /// One place launches for all callers; `#[track_caller]` tells their closures apart.
    #[track_caller]
    fn apply<T: Copy, U: Copy>(
        &self,
        f: impl Fn(T) -> U,
        x: &DeviceVec<T>,
        zero: U,
    ) -> Result<Vec<U>> {
        let mut y = self.gpu.upload(&vec![zero; x.len()])?;
        unsafe { launch!(self.gpu, 8, 128, kernels::map(f, x, &mut y))? };
        y.download()
    }
}

fn run(t: &mut Test) -> Result<()> {
    let x: Vec<f32> = (0..N).map(|i| i as f32 * 0.25).collect();
    let dx = t.gpu.upload(&x)?;
    let (k, bias, flip) = (2.0f32, 3u8, N % 2 == 0);

    let got = t.apply(|v: f32| -v, &dx, 0.0f32)?;
    t.same("a closure without captures", &got, |i| -x[i]);
    let got = t.apply(move |v: f32| v * k, &dx, 0.0f32)?;
    t.same("one capture", &got, |i| x[i] * 2.0);
    let got = t.apply(move |v: f32| v * k + bias as f32, &dx, 0.0f32)?;
    t.same("two captures of different sizes", &got, |i| x[i] * 2.0 + 3.0);
    let table = [1.0f32, 0.5, 0.25, 0.125];
    let f = move |v: f32| if flip { v * table[v as usize % 4] + k - bias as f32 } else { v };
    let got = t.apply(f, &dx, 0.0f32)?;
    t.same("four captures, an array among them", &got, |i| f(x[i]));
    let got = t.apply(f, &dx, 0.0f32)?;
    t.same("the same closure from another place", &got, |i| f(x[i]));
    let got = t.apply(f32::floor, &dx, 0.0f32)?;
    t.same("a function", &got, |i| x[i].floor());
    let got = t.apply(move |v: f32| Complex { re: v, im: k }, &dx, Complex { re: 0.0, im: 0.0 })?;
    t.same("a result of another type", &got, |i| Complex { re: x[i], im: 2.0 });

    let mut z = t.gpu.upload(&[0.0f64; N])?;
    for round in 1..=3u32 {
        let f = move |a: f32, b: u32| a as f64 * b as f64 + round as f64;
        let dy = t.gpu.upload(&(0..N as u32).collect::<Vec<_>>())?;
        unsafe { launch!(t.gpu, 4, 256, kernels::zip(f, &dx, &dy, &mut z))? };
        let got = z.download()?;
        t.same(&format!("round {round} of a loop"), &got, |i| f(x[i], i as u32));
    }

    let mut y = t.gpu.upload(&x)?;
    unsafe { launch!(t.gpu, 8, 128, kernels::iterate::<_, 3>(1.0f32, &mut y))? };
    t.same("an instance of the attribute", &y.download()?, |i| x[i].step(1.0).step(1.0).step(1.0));
    let mut y = t.gpu.upload(&(0..N as u64).collect::<Vec<_>>())?;
    unsafe { launch!(t.gpu, 8, 128, kernels::iterate::<_, 2>(9u64, &mut y))? };
    t.same("an instance of a launch", &y.download()?, |i| (i as u64).step(9).step(9));
    Ok(())
}

fn main() -> ExitCode {
    let path = std::env::args().nth(1).expect("usage: generic_map BUNDLE");
    let gpu = Bundle::open_file(path).and_then(|b| b.load(0));
    let mut t = match gpu {
        Ok(gpu) => Test { gpu, passed: 0, failed: 0 },
        Err(e) => {
            println!("not ok the bundle is loaded: {e}");
            return ExitCode::FAILURE;
        }
    };
    if let Err(e) = run(&mut t) {
        t.failed += 1;
        println!("not ok {e}");
    }
    println!("{} passed, {} failed", t.passed, t.failed);
    ExitCode::from((t.failed > 0) as u8)
}
