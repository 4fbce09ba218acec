#!/bin/bash
# Kernels in `cargo test` on a machine without a GPU: mirdc_host::Emulator, with a bundle that holds its
# dump, and with a dump by itself.
. "$(dirname "$0")/crate_common.bash"
host_programs
end_if_sanitized
mkdir -p "$work/app/src" "$work/app/tests"
cd "$work/app"
app_manifest emulator >Cargo.toml
echo 'fn main() { mirdc_build::Builder::new().embed_dump().compile(); }' >build.rs
cat >src/lib.rs <<'T'
use mirdc::prelude::*;
#[derive(Clone, Copy, mirdc::KernelArg)]
#[repr(C)]
pub struct Camera { pub id: u8, pub pos: [f32; 3], pub scale: f64 }
pub static BIAS: Constant<u32> = Constant::new(1);
pub static CALLS: Global<u32> = Global::new(0);
#[mirdc::kernel(block = 64)]
pub fn draw(cam: Camera, x: &[f32], mut out: PerThread<f32>, flags: u16) {
    CALLS.atomic().fetch_add(1, Ordering::Relaxed, Scope::Device);
    if thread::global_x() == 0 { printf!("cam %u\n", cam.id as u32); }
    if let Some(o) = out.mine() { *o = cam.pos[1] * x[0] + cam.scale as f32 + (flags as u32 + BIAS.get()) as f32; }
}
#[mirdc::kernel]
pub fn racy(out: Buffer<u32>) {
    out.set(0, out.len() as u32);
}
#[mirdc::kernel]
pub fn panics(out: Buffer<u32>) {
    out.set(thread::global_x() + 1, 1);
}
#[mirdc::kernel]
pub fn endless(out: Buffer<u32>) {
    while out.atomic(0).load(Ordering::Relaxed, Scope::Device) == 0 {}
}
#[mirdc::kernel(block = 32)]
pub fn map<T: Copy, U, F: Fn(T) -> U>(f: F, x: &[T], mut y: PerThread<U>) {
    if let Some(o) = y.mine() { *o = f(x[thread::global_x()]); }
}
#[mirdc::kernel(instances(u64))]
pub fn sum<T: Copy + core::ops::AddAssign>(k: T, mut y: PerThread2d<T>) {
    if let Some(o) = y.mine() { *o += k; }
}
/// Launches that are the same in the emulator and on a GPU.
pub mod launches {
    use mirdc_host::{EmulatedVec, Emulator, Result};
    pub fn scaled(gpu: &Emulator, k: f64, x: &EmulatedVec<f32>, y: &mut EmulatedVec<f64>) -> Result<()> {
        unsafe { mirdc::launch!(gpu, 1, 32, crate::map(move |v: f32| v as f64 * k, x, y)) }
    }
    pub fn halves(gpu: &Emulator, x: &EmulatedVec<f32>, y: &mut EmulatedVec<[u16; 2]>) -> Result<()> {
        unsafe { mirdc::launch!(gpu, 1, 32, crate::map(|v: f32| [(v.to_bits() >> 16) as u16, v.to_bits() as u16], x, y)) }
    }
    pub fn plain(gpu: &Emulator, out: &mut EmulatedVec<u32>) -> Result<()> {
        unsafe { mirdc::launch!(gpu, 1, 4, crate::racy(out)) }
    }
    pub fn sums(gpu: &Emulator, y: &mut EmulatedVec<u64>) -> Result<()> {
        unsafe { mirdc::launch!(gpu, 1, (2, 2), crate::sum(5u64, (y, 2))) }
    }
}
pub fn bundle() -> &'static [u8] { mirdc_host::include_bundle!() }
T
cat >tests/kernels.rs <<'T'
use app::Camera;
use mirdc_host::{Args, Bundle, Emulator, EmulatorOptions};

fn emulator() -> Emulator {
    Emulator::from_bundle(&Bundle::from_bytes(app::bundle()).unwrap()).unwrap()
}

#[test]
fn results_come_back() {
    let emu = emulator();
    let x = emu.upload(&[10.0f32]);
    let mut out = emu.upload(&[0.0f32; 100]);
    let cam = Camera { id: 7, pos: [1.0, 2.0, 3.0], scale: 0.5 };
    let args = || Args::new().value(cam);
    emu.set_global("BIAS", &4u32).or_else(|_| emu.set_global("app::BIAS", &4u32)).unwrap();
    let r = unsafe { emu.run("draw", 2, 64, None, args().slice(&x).slice_mut(&mut out).value(3u16)) }.unwrap();
    assert_eq!((r.completed, &r.findings[..], &r.printed[..]), (true, &[][..], "cam 7\n"), "{}", r.messages);
    assert_eq!(out.download(), [27.5; 100]);
    out.set(&[0.0; 100]);
    assert_eq!(out.download()[99], 0.0);
    unsafe { emu.launch("draw", 1, 64, args().slice(&x).slice_mut(&mut out).value(3u16)) }.unwrap();
    let calls: u32 = unsafe { emu.get_global("CALLS").or_else(|_| emu.get_global("app::CALLS")) }.unwrap();
    assert_eq!(calls, 192);
    assert_eq!(emu.set_global("BIAS", &4u64).or_else(|_| emu.set_global("app::BIAS", &4u64)).unwrap_err().code, "MD0841");
}

#[test]
fn launches_find_the_instance_of_their_types() {
    let emu = emulator();
    let x = emu.upload(&[1.0f32, 2.0, -3.0]);
    let (mut y, mut h) = (emu.upload(&[0.0f64; 3]), emu.upload(&[[0u16; 2]; 3]));
    let (mut out, mut s) = (emu.upload(&[0u32; 4]), emu.upload(&[1u64, 2, 3, 4]));
    app::launches::scaled(&emu, 2.5, &x, &mut y).unwrap();
    assert_eq!(y.download(), [2.5, 5.0, -7.5]);
    app::launches::halves(&emu, &x, &mut h).unwrap();
    assert_eq!(h.download(), [[0x3f80, 0], [0x4000, 0], [0xc040, 0]]);
    app::launches::sums(&emu, &mut s).unwrap();
    assert_eq!(s.download(), [6, 7, 8, 9]);
    let e = app::launches::plain(&emu, &mut out).unwrap_err();
    assert_eq!(e.code, "MD0831", "{e}");
    let short = emu.upload(&[1.0f32]);
    let e = app::launches::scaled(&emu, 2.5, &short, &mut y).unwrap_err();
    assert_eq!((&e.code[..], e.status), ("MD0803", 9), "{e}");
    // Launches of a test are in no bundle of the build script's.
    let e = unsafe { mirdc::launch!(emu, 1, 32, app::map(|v: f32| v as u8, &x, &mut emu.upload(&[0u8; 3]))) }.unwrap_err();
    assert!(e.code == "MD0915" && e.text.contains("app::map::<f32, u8"), "{e}");
}

#[test]
fn wrong_arguments_are_refused() {
    let emu = emulator();
    let mut out = emu.upload(&[0u32; 4]);
    let e = unsafe { emu.launch("racy", 1, 1, Args::new()) }.unwrap_err();
    assert_eq!((&e.code[..], &e.text[..]), ("MD0841", "kernel `racy` takes more arguments"));
    let e = unsafe { emu.launch("racy", 1, 1, Args::new().slice_mut(&mut out).value(1u8)) }.unwrap_err();
    assert_eq!((&e.code[..], &e.text[..]), ("MD0841", "kernel `racy` takes fewer arguments"));
    let e = unsafe { emu.launch("racy", 1, 1, Args::new().value(1u8)) }.unwrap_err();
    assert_eq!(e.text, "`out` of kernel `racy` has 8 bytes, not 1");
    let e = unsafe { emu.launch("draw", 1, 32, Args::new()) }.unwrap_err();
    assert_eq!(e.code, "MD0841");
    let e = unsafe { emu.launch("nothing", 1, 32, Args::new()) }.unwrap_err();
    assert_eq!(e.code, "MD0844");
    let e = unsafe { emu.launch("racy", 1, 2048, Args::new().slice_mut(&mut out)) }.unwrap_err();
    assert!(e.text.contains("MD0802"), "{e}");
}

#[test]
fn mistakes_are_errors_and_the_emulator_goes_on() {
    let emu = emulator();
    let mut out = emu.upload(&[0u32; 4]);
    let r = unsafe { emu.run("racy", 1, 4, None, Args::new().slice_mut(&mut out)) }.unwrap();
    assert!(r.completed);
    assert_eq!((&r.findings[0].code[..], r.findings[0].line, r.findings.len()), ("MD0831", 15, 1), "{}", r.messages);
    assert_eq!(r.findings[0].thread, Some(([0; 3], [1, 0, 0])));
    let e = unsafe { emu.launch("racy", 1, 4, Args::new().slice_mut(&mut out)) }.unwrap_err();
    assert!(e.code == "MD0831" && e.text.contains("data race"), "{e}");
    let e = unsafe { emu.launch("panics", 1, 4, Args::new().slice_mut(&mut out)) }.unwrap_err();
    assert!(e.code == "MD0803" && e.status == 9, "{e}");
    unsafe { emu.launch("racy", 1, 1, Args::new().slice_mut(&mut out)) }.unwrap();
    assert_eq!(out.download()[0], 4);
}

#[test]
fn a_dump_by_itself_and_a_time_limit() {
    let dump = Bundle::from_bytes(app::bundle()).unwrap().dump().unwrap();
    std::fs::write("dump.pmir.json", &dump).unwrap();
    assert!(Emulator::open_file("dump.pmir.json").is_ok());
    assert!(Emulator::open_file("no.pmir.json").is_err());
    assert!(Emulator::from_dump(&dump[..100], "cut", &EmulatorOptions::default()).is_err());
    let options = EmulatorOptions { time_limit_ms: 200, races: false, ..Default::default() };
    let emu = Emulator::from_dump(&dump, "dump", &options).unwrap();
    let mut out = emu.upload(&[0u32; 4]);
    let e = unsafe { emu.launch("endless", 1, 1, Args::new().slice_mut(&mut out)) }.unwrap_err();
    assert_eq!(e.code, "MD0805", "{e}");
    unsafe { emu.launch("racy", 1, 4, Args::new().slice_mut(&mut out)) }.unwrap();
}
T
if cargo test -q >"$work/out" 2>&1; then ok "kernels run in cargo test"; else
  not_ok "kernels run in cargo test"
  tail -60 "$work/out"
fi
if grep -q "5 passed" "$work/out"; then ok "... all five tests"; else not_ok "... all five tests"; fi
exit $failed
