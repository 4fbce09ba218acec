#!/bin/bash
# Kernels in `cargo test` on a machine without a GPU: mirdc_host::Emulator, with a bundle that holds its
# dump, and with a dump by itself.
. "$(dirname "$0")/crate_common.bash"
build=${BUILD:-$top/build}
export PATH=$build/bin:$PATH MIRDC_LIB_DIR=$build/lib LD_LIBRARY_PATH=$build/lib CARGO_NET_OFFLINE=true
unset MIRDC_DIR CARGO_TARGET_DIR RUSTC RUSTC_WRAPPER MIRDC_SKIP
if nm -D "$build/lib/libmirdc.so.0" | grep -q __asan_init; then
  echo "ok libmirdc has sanitizers, which a Rust program lacks: nothing is run"
  exit 0
fi
mkdir -p "$work/app/src" "$work/app/tests"
cd "$work/app"
cat >Cargo.toml <<T
[package]
name = "app"
version = "0.1.0"
edition = "2021"
[dependencies]
mirdc = { path = "$crates/mirdc" }
mirdc-host = { path = "$crates/mirdc-host", features = ["emulator"] }
[build-dependencies]
mirdc-build = { path = "$crates/mirdc-build" }
[workspace]
T
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
if grep -q "4 passed" "$work/out"; then ok "... all four tests"; else not_ok "... all four tests"; fi
exit $failed
