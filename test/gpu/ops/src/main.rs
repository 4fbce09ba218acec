//! Runs each kernel in the simulator and on the GPU and compares. `ops BUNDLE`; prints one line a check.
use mirdc::host::{self, Dim3};
use mirdc::prelude::Buffer;
use mirdc_host::{Args, Bundle, Module};
use std::process::{Command, ExitCode};

type Kernel = fn(&[u64], Buffer<u64>);

struct Case {
    name: &'static str,
    kernel: Kernel,
    grid: (u32, u32, u32),
    block: (u32, u32, u32),
    words: usize,
    shared: usize,
    start: u64,
    /// Largest relative difference of words taken as f64; 0 for bits.
    within: f64,
}

impl Case {
    const fn new(name: &'static str, kernel: Kernel, words: usize) -> Case {
        Case {
            name,
            kernel,
            grid: (2, 1, 1),
            block: (64, 1, 1),
            words,
            shared: 0,
            start: 0,
            within: 0.0,
        }
    }
    fn threads(&self) -> usize {
        let n = |(x, y, z): (u32, u32, u32)| (x * y * z) as usize;
        n(self.grid) * n(self.block)
    }
}

fn cases() -> Vec<Case> {
    vec![
        Case { grid: (2, 3, 2), block: (4, 2, 3), ..Case::new("indices", ops::indices, 24) },
        Case::new("shuffles", ops::shuffles, 20),
        Case::new("votes", ops::votes, 24),
        Case { shared: 144, ..Case::new("blocks", ops::blocks, 8) },
        Case::new("scan", ops::scan, 1),
        Case { grid: (2, 1, 1), start: 0, ..Case::new("atomics", ops::atomics, 1) },
        Case::new("memory", ops::memory, 4),
        Case { grid: (40, 1, 1), ..Case::new("halves", ops::halves, 12) },
        Case { within: 4e-6, ..Case::new("floats", ops::floats, 48) },
        Case { within: 4e-14, ..Case::new("doubles", ops::doubles, 40) },
        Case { within: 2e-5, ..Case::new("fast", ops::fast, 12) },
        Case::new("inline_ptx", ops::inline_ptx, 6),
        Case { start: 9, ..Case::new("ends", ops::ends, 1) },
    ]
}

fn random(n: usize) -> Vec<u64> {
    let mut s = 88172645463325252u64;
    let mut next = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s
    };
    (0..n).map(|_| next()).collect()
}

struct Report {
    failed: usize,
    passed: usize,
}
impl Report {
    fn check(&mut self, name: &str, problem: Option<String>) {
        match problem {
            None => {
                self.passed += 1;
                println!("ok {name}");
            }
            Some(p) => {
                self.failed += 1;
                println!("not ok {name}  # {p}");
            }
        }
    }
}

fn differs(case: &Case, want: u64, got: u64) -> bool {
    if want == got {
        return false;
    }
    let (w, g) = (f64::from_bits(want), f64::from_bits(got));
    // Written so that a NaN differs from everything.
    !(case.within > 0.0 && (w - g).abs() <= case.within * w.abs().max(1e-3))
}

fn compare(case: &Case, want: &[u64], got: &[u64]) -> Option<String> {
    let bad: Vec<_> = (0..want.len()).filter(|&i| differs(case, want[i], got[i])).collect();
    let &i = bad.first()?;
    let mut text = format!("{} of {} words differ; ", bad.len(), want.len());
    text += &format!("thread {} word {}: ", i / case.words, i % case.words);
    if case.within > 0.0 {
        text += &format!("want {:?}, got {:?}", f64::from_bits(want[i]), f64::from_bits(got[i]));
    } else {
        text += &format!("want {:#x}, got {:#x}", want[i], got[i]);
    }
    let words: std::collections::BTreeSet<_> = bad.iter().map(|i| i % case.words).collect();
    Some(text + &format!("; words {words:?}"))
}

fn simulate(case: &Case, x: &[u64], start: &[u64]) -> Vec<u64> {
    let mut want = start.to_vec();
    let dim = |(x, y, z): (u32, u32, u32)| Dim3([x, y, z]);
    let (g, b) = (dim(case.grid), dim(case.block));
    host::launch_blocks(g, b, case.shared, host::buffer(&mut want), |out| (case.kernel)(x, out));
    want
}

fn run(case: &Case, gpu: &Module) -> Result<Option<String>, mirdc_host::Error> {
    let x = random(509);
    let start = vec![case.start; (case.threads() * case.words).max(256)];
    let want = simulate(case, &x, &start);
    let (g, b) = (case.grid, case.block);
    let dx = gpu.upload(&x)?;
    let mut out = gpu.upload(&start)?;
    let kernel = gpu.kernel(case.name)?;
    let args = Args::new().slice(&dx).slice_mut(&mut out);
    // SAFETY: all kernels of the table have these parameters and stay inside `out`.
    unsafe { kernel.launch_with(g, b, case.shared as u64, args)? };
    gpu.sync()?;
    Ok(compare(case, &want, &out.download()?))
}

fn views(gpu: &Module) -> Result<Option<String>, mirdc_host::Error> {
    let (mut a, mut m, mut s) = (vec![1u32; 50], vec![2u32; 7 * 5], vec![3u16; 300]);
    let mut da = gpu.upload(&a)?;
    let mut dm = gpu.upload(&m)?;
    let mut ds = gpu.upload(&s)?;
    let views = (&mut a[..], host::matrix(&mut m, 7), &mut s[..]);
    host::launch((2, 2), (4, 4), views, |(a, m, s)| ops::views(a, m, s));
    let matrix = [dm.address(), dm.len() as u64, 7];
    let args = Args::new().slice_mut(&mut da).value(matrix).slice_mut(&mut ds);
    // SAFETY: the arguments are those of the kernel.
    unsafe { gpu.kernel("views")?.launch((2, 2), (4, 4), args)? };
    gpu.sync()?;
    let _ = &mut dm;
    let same = da.download()? == a && dm.download()? == m && ds.download()? == s;
    Ok((!same).then(|| "the elements differ".into()))
}

/// Kernels that print or end the context run in a process of their own.
fn child(bundle: &str, what: &str) -> Result<(), mirdc_host::Error> {
    let gpu = Bundle::open_file(bundle)?.load(0)?;
    let x = gpu.upload(&[5u64; 8])?;
    let mut out = gpu.upload(&[0u64; 128])?;
    let args = Args::new().slice(&x).slice_mut(&mut out);
    // SAFETY: the arguments are those of the kernels.
    unsafe { gpu.kernel(what)?.launch(2, 64, args)? };
    gpu.sync()
}

fn spawn(bundle: &str, what: &str) -> (bool, String) {
    let me = std::env::current_exe().unwrap();
    let out = Command::new(me).args([bundle, what]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
    (out.status.success(), text.into_owned())
}

fn messages(r: &mut Report, bundle: &str) {
    let (good, text) = spawn(bundle, "messages");
    let mut want: Vec<_> = [3u32, 43, 83, 123]
        .iter()
        .map(|&i| format!("thread {} of 128: {:.6} 0.5 text x beef%", i as i8, i as f32 / 2.0))
        .collect();
    want.push("no arguments".into());
    let mut got: Vec<_> = text.lines().map(String::from).collect();
    want.sort();
    got.sort();
    r.check("printf writes the same lines as C", (!good || got != want).then(|| text));

    let (good, text) = spawn(bundle, "assertion");
    let named = text.contains("the assertion's text") && text.contains("lib.rs");
    r.check(
        "a failed device assertion is printed with its place",
        (good || !named).then_some(text),
    );

    let (good, text) = spawn(bundle, "out_of_bounds");
    let named = text.contains("src/lib.rs:") && text.contains("index out of bounds");
    r.check("a panic is reported with its Rust place", (good || !named).then_some(text));
}

fn all(bundle: &str) -> Result<Report, mirdc_host::Error> {
    let b = Bundle::open_file(bundle)?;
    let gpu = b.load(0)?;
    let mut r = Report { failed: 0, passed: 0 };
    for case in cases() {
        let result = run(&case, &gpu).unwrap_or_else(|e| Some(e.to_string()));
        r.check(&format!("{} on the GPU as in the simulator", case.name), result);
    }
    let result = views(&gpu).unwrap_or_else(|e| Some(e.to_string()));
    r.check("views reach the elements of their own threads", result);
    // SAFETY: it is a kernel descriptor.
    let same = unsafe { b.compare_descriptor(mirdc::kernel_of!(ops::views)) };
    r.check("the program's descriptor is that of the bundle", same.err().map(|e| e.to_string()));
    messages(&mut r, bundle);
    Ok(r)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let done = match &args[1..] {
        [bundle] => all(bundle).map(|r| {
            println!("{} passed, {} failed", r.passed, r.failed);
            r.failed == 0
        }),
        [bundle, what] => child(bundle, what).map(|()| true),
        _ => panic!("usage: ops BUNDLE"),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            println!("{e}");
            ExitCode::FAILURE
        }
    }
}

#[test]
fn the_simulator_runs_every_case_and_gives_numbers() {
    let x = random(509);
    for case in cases() {
        let start = vec![case.start; (case.threads() * case.words).max(256)];
        let got = simulate(&case, &x, &start);
        assert_ne!(got, start, "{} wrote nothing", case.name);
        if case.within > 0.0 {
            let nan = got.iter().position(|&w| !f64::from_bits(w).is_finite());
            assert_eq!(nan, None, "{}: thread and word of a NaN", case.name);
        }
    }
}
