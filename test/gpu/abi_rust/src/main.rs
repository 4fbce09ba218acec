//! Each row of docs/abi.md, called from Rust with the kernels' own types. `abi_rust BUNDLE`.
use abi_rust::abi::{self, Camera, Nested, Nothing, Wide};
use mirdc_host::{Args, Bundle, DeviceVec, Module, Result};
use std::process::ExitCode;

/// The bytes that a kernel should have written, in order.
#[derive(Default)]
struct Bytes(Vec<u8>);
impl Bytes {
    fn put<T: Copy>(mut self, v: T) -> Bytes {
        let p = (&raw const v).cast::<u8>();
        // Only types without padding are passed here.
        self.0.extend((0..size_of::<T>()).map(|i| unsafe { *p.add(i) }));
        self
    }
}

struct Test {
    module: Module,
    out: DeviceVec<u8>,
    passed: usize,
    failed: usize,
}

impl Test {
    fn check(&mut self, name: &str, ok: bool, what: impl std::fmt::Debug) {
        if ok {
            self.passed += 1;
            println!("ok {name}");
        } else {
            self.failed += 1;
            println!("not ok {name}\n   {what:?}");
        }
    }
    /// Launches with `out` first and compares what it wrote.
    fn run<'a>(
        &mut self,
        name: &str,
        kernel: &str,
        args: impl FnOnce(Args<'a>) -> Args<'a>,
        want: Bytes,
    ) {
        let got = (|| -> Result<Vec<u8>> {
            let k = self.module.kernel(kernel)?;
            unsafe { k.launch(1, 1, args(Args::new().value(self.out.address())))? };
            self.module.sync()?;
            self.out.download()
        })();
        match got {
            Ok(v) => self.check(name, v[..want.0.len()] == want.0[..], (&v[..want.0.len()], &want.0)),
            Err(e) => self.check(name, false, e),
        }
    }
}

fn scalars(t: &mut Test) {
    let (a, b, c, d, e) = (7u8, -300i16, 4_000_000_000u32, i64::MIN + 5, usize::MAX - 2);
    let (f, g, h, i, j) = (-100i8, 65_000u16, -70_000i32, 1u64 << 40, -9isize);
    t.run(
        "integers of 8 to 64 bits",
        "integers",
        |x| x.value(a).value(b).value(c).value(d).value(e).value(f).value(g).value(h).value(i).value(j),
        Bytes::default().put(a).put(b).put(c).put(d).put(e).put(f).put(g).put(h).put(i).put(j),
    );
    let (b, d) = (u128::MAX / 3, i128::MIN / 7);
    t.run(
        "integers of 128 bits",
        "wide_integers",
        |x| x.value(1u8).value(b).value(2u8).value(d),
        Bytes::default().put(1u8).put(b).put(2u8).put(d.wrapping_mul(3)),
    );
    let half = mirdc::F16::from_bits(0xfc01);
    t.run(
        "bool, char, floats",
        "others",
        |x| x.value(false).value('\u{10ffff}').value(-0.0f32).value(f64::MIN_POSITIVE).value(half).value(true),
        Bytes::default().put(false).put('\u{10ffff}' as u32).put(-0.0f32).put(f64::MIN_POSITIVE).put(0xfc01u16).put(true),
    );
}

fn memory(t: &mut Test) -> Result<()> {
    let a = t.module.upload(&[0xdead_beefu32])?;
    let b = t.module.upload(&[1u64, 0x1234_5678_9abc_def0])?;
    t.run(
        "raw pointers",
        "pointers",
        |x| x.value(a.address()).value(b.address()),
        Bytes::default().put(0xdead_beefu32).put(0x1234_5678_9abc_def0u64),
    );
    let back = b.download()?;
    t.check("what a raw pointer wrote", back[0] == 77, back);
    let s = t.module.upload(&[1u16, 2, 0xffee])?;
    let mut buffer = t.module.upload(&[1u32, 2, 3, 4])?;
    let mut mine = t.module.upload(&[10u64])?;
    t.run(
        "slices",
        "slices",
        |x| x.value(3u8).slice(&s).slice_mut(&mut buffer).slice_mut(&mut mine).value(4u8),
        Bytes::default().put(3u8).put(3usize).put(0xffeeu16).put(4usize).put(1usize).put(4u8),
    );
    let (b, m) = (buffer.download()?, mine.download()?);
    t.check("what slices wrote", b == [1, 0xabcd, 3, 4] && m == [15], (b, m));
    Ok(())
}

fn aggregates(t: &mut Test) {
    let cam = Camera { id: 9, pos: [1.0, f32::INFINITY, -3.5], scale: 1e300 };
    let wide = Wide { a: u64::MAX - 1, b: 200 };
    let inner = Camera { id: 8, pos: [0.0; 3], scale: -2.25 };
    let nested = Nested { flag: true, inner, tail: [5, 6, 7] };
    let (pair, array) = ((77u32, 88u8), [9u16, 8, 7, 6, 5]);
    t.run(
        "structs, tuples and arrays",
        "aggregates",
        |x| x.value(1u8).value(cam).value(wide).value(nested).value(pair).value(array).value(2u8),
        Bytes::default()
            .put(1u8)
            .put(cam.id)
            .put(cam.pos)
            .put(cam.scale)
            .put(wide.a)
            .put(wide.b)
            .put(nested.flag)
            .put(inner.id)
            .put(inner.scale)
            .put(nested.tail)
            .put(pair.0)
            .put(pair.1)
            .put(array)
            .put(2u8),
    );
    t.run(
        "zero-sized parameters",
        "zero_sized",
        |x| x.value(1u8).value(Nothing).value(2u32).value([0u64; 0]).value(3u8),
        Bytes::default().put(1u8).put(2u32).put(3u8),
    );
    let mut big = [0u32; 8189];
    for (i, v) in big.iter_mut().enumerate() {
        *v = i as u32 ^ 0x5555_5555;
    }
    t.run(
        "32,764 bytes",
        "large",
        |x| x.value(big),
        Bytes::default().put(big[0]).put(big[4000]).put(big[8188]),
    );
}

fn descriptors(t: &mut Test, bundle: &Bundle) {
    let same = unsafe { bundle.compare_descriptor(mirdc::kernel_of!(abi::aggregates)) };
    t.check("the descriptor equals the manifest", same.is_ok(), same);
}

fn run(path: &str) -> Result<(usize, usize)> {
    let bundle = Bundle::open_file(path)?;
    let module = bundle.load(0)?;
    let out = module.upload(&[0u8; 256])?;
    let mut t = Test { module, out, passed: 0, failed: 0 };
    scalars(&mut t);
    memory(&mut t)?;
    aggregates(&mut t);
    descriptors(&mut t, &bundle);
    Ok((t.passed, t.failed))
}

fn main() -> ExitCode {
    let path = std::env::args().nth(1).unwrap_or("abi_rust.mirdc".into());
    match run(&path) {
        Ok((passed, failed)) => {
            println!("{passed} passed, {failed} failed");
            ExitCode::from((failed != 0) as u8)
        }
        Err(e) => {
            println!("not ok the host program\n   {e}");
            ExitCode::FAILURE
        }
    }
}
