//! Runs the matrix of reductions and the other entries on the GPU. `callbacks BUNDLE`; prints one line
//! a check. Reductions are compared with a fold on the CPU, the others with the simulator, where the
//! models of the native algorithms run.
use callbacks::{Env, Number};
use mirdc::{host, KernelArg};
use mirdc_host::{Args, Bundle, Error, Module};
use std::process::ExitCode;

const ALGORITHMS: [&str; 3] = ["warps", "raking", "commutative"];
const BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];

#[derive(Default)]
struct Report {
    passed: usize,
    failed: usize,
}
impl Report {
    fn check(&mut self, name: &str, result: Result<Option<String>, Error>) {
        match result.unwrap_or_else(|e| Some(e.to_string())) {
            None => {
                self.passed += 1;
                println!("ok {name}");
            }
            Some(why) => {
                self.failed += 1;
                println!("not ok {name}  # {why}");
            }
        }
    }
}

fn words(n: usize) -> Vec<u64> {
    let mut s = 88172645463325252u64;
    let mut next = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s
    };
    (0..n).map(|_| next()).collect()
}

/// Values whose sums are exact, for floats, and any values, for integers.
trait Sample: Number + KernelArg + Send + Sync {
    const NAME: &'static str;
    const ZERO: Self;
    fn of(word: u64) -> Self;
}
macro_rules! integers {
    ($($t:ident)*) => {$( impl Sample for $t {
        const NAME: &'static str = stringify!($t);
        const ZERO: Self = 0;
        fn of(word: u64) -> Self { word as $t }
    } )*};
}
macro_rules! floats {
    ($($t:ident)*) => {$( impl Sample for $t {
        const NAME: &'static str = stringify!($t);
        const ZERO: Self = 0.0;
        fn of(word: u64) -> Self { (word % 64) as $t - 32.0 }
    } )*};
}
integers!(i32 u32 i64 u64);
floats!(f32 f64);

fn lengths(block: u32) -> [usize; 4] {
    [1, block as usize - 1, block as usize, 100_003]
}

/// Launches one reduction and folds what the blocks give.
fn reduce<T: Sample>(
    gpu: &Module,
    name: &str,
    block: u32,
    x: &[T],
    neutral: T,
    capture: impl for<'a> FnOnce(Args<'a>) -> Args<'a>,
    op: &dyn Fn(T, T) -> T,
) -> Result<Option<String>, Error> {
    let grid = if x.len() > block as usize { 7 } else { 1 };
    let input = gpu.upload(x)?;
    let mut out = gpu.upload(&vec![neutral; grid as usize])?;
    let args = capture(Args::new().slice(&input).value(neutral)).slice_mut(&mut out);
    // SAFETY: the arguments are those of the kernel, which writes one element a block.
    unsafe { gpu.kernel(name)?.launch(grid, block, args)? };
    gpu.sync()?;
    let got = out.download()?.into_iter().reduce(op).unwrap();
    let want = x.iter().copied().fold(neutral, op);
    Ok((got != want).then(|| format!("want {want:?}, got {got:?}")))
}

fn matrix<T: Sample>(gpu: &Module, r: &mut Report) {
    for algorithm in ALGORITHMS {
        for block in BLOCKS {
            for n in lengths(block) {
                let x: Vec<T> = words(n).into_iter().map(T::of).collect();
                let k = T::of(40);
                let e = Env { flag: 3, floor: T::of(5), sign: 7, scale: 0.75 };
                let name = |op: &str| format!("{algorithm}_{block}_{op}_{}", T::NAME);
                let shown = |op: &str| format!("{} of {n}", name(op));
                let plus = reduce(gpu, &name("plus"), block, &x, T::ZERO, |a| a, &|a, b| a.plus(b));
                r.check(&shown("plus"), plus);
                let with =
                    reduce(gpu, &name("with"), block, &x, k, |a| a.value(k), &|a, b| a.with(b, k));
                r.check(&shown("with"), with);
                let env =
                    reduce(gpu, &name("in_env"), block, &x, e.floor, |a| a.value(e), &|a, b| {
                        a.in_env(b, &e)
                    });
                r.check(&shown("in_env"), env);
            }
        }
    }
}

/// A kernel that writes `each` words a thread, against the simulator.
fn simulated<T: Copy + Default + PartialEq + std::fmt::Debug + mirdc::Plain + mirdc::Element>(
    gpu: &Module,
    name: &str,
    (grid, block): (u32, u32),
    x: &[T],
    value: impl for<'a> FnOnce(Args<'a>) -> Args<'a>,
    len: usize,
    model: impl Fn(&[T], mirdc::Buffer<T>) + Sync,
) -> Result<Option<String>, Error>
where
    T: Send + Sync,
{
    let mut want = vec![T::default(); len];
    host::launch_blocks(grid, block, 0, host::buffer(&mut want), |out| model(x, out));
    let input = gpu.upload(x)?;
    let mut out = gpu.upload(&vec![T::default(); len])?;
    let args = value(Args::new().slice(&input)).slice_mut(&mut out);
    // SAFETY: the arguments are those of the kernel.
    unsafe { gpu.kernel(name)?.launch(grid, block, args)? };
    gpu.sync()?;
    let got = out.download()?;
    let bad: Vec<_> = (0..len).filter(|&i| got[i] != want[i]).collect();
    let Some(&i) = bad.first() else { return Ok(None) };
    let text = format!("{} of {len} differ; {i}: want {:?}, got {:?}", bad.len(), want[i], got[i]);
    Ok(Some(text))
}

fn others(gpu: &Module, r: &mut Report) {
    let small: Vec<u32> = words(384).into_iter().map(|w| w as u32).collect();
    let signed: Vec<i32> = words(512).into_iter().map(|w| w as i32).collect();
    for k in [3u32, 0x8000_0001] {
        let run = |x: &[u32], out: mirdc::Buffer<u32>| callbacks::scans(x, k, out);
        let got = simulated(gpu, "scans", (3, 128), &small, |a| a.value(k), 384 * 8, run);
        r.check(&format!("scans with {k}"), got);
    }
    for key in [0u64, 0xaaaa] {
        let run = |x: &[u64], out: mirdc::Buffer<u64>| callbacks::sorts(x, key, out);
        let got = simulated(gpu, "sorts", (2, 64), &words(512), |a| a.value(key), 512, run);
        r.check(&format!("sorts with {key}"), got);
    }
    for rounds in [1u32, 5] {
        let run = |x: &[i32], out: mirdc::Buffer<i32>| callbacks::again(x, rounds, out);
        let got = simulated(gpu, "again", (2, 256), &signed, |a| a.value(rounds), 512, run);
        r.check(&format!("again, {rounds} rounds"), got);
    }
}

fn all(bundle: &str, only_others: bool) -> Result<Report, Error> {
    let gpu = Bundle::open_file(bundle)?.load(0)?;
    let mut r = Report::default();
    if !only_others {
        matrix::<i32>(&gpu, &mut r);
        matrix::<u32>(&gpu, &mut r);
        matrix::<i64>(&gpu, &mut r);
        matrix::<u64>(&gpu, &mut r);
        matrix::<f32>(&gpu, &mut r);
        matrix::<f64>(&gpu, &mut r);
    }
    others(&gpu, &mut r);
    Ok(r)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let [_, bundle, rest @ ..] = &args[..] else {
        eprintln!("usage: callbacks BUNDLE [others]");
        return ExitCode::from(2);
    };
    match all(bundle, rest.iter().any(|a| a == "others")) {
        Ok(r) => {
            println!("{} passed, {} failed", r.passed, r.failed);
            ExitCode::from((r.failed > 0) as u8)
        }
        Err(e) => {
            println!("not ok callbacks  # {e}");
            ExitCode::FAILURE
        }
    }
}
