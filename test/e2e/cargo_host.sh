#!/bin/bash
# The crate mirdc-host: its tests against a stand-in driver, and a program that embeds a bundle and
# compares its own descriptors with it.
. "$(dirname "$0")/crate_common.bash"
host_programs
files=$top/test/golden/read/_files
end_if_sanitized
${CC:-cc} -std=c17 -O1 -shared -fPIC -o "$work/libcuda.so.1" "$top/test/e2e/fake_libcuda.c" || exit 1
export MIRDC_TEST_BUNDLE=$files/full.mirdc MIRDC_LIBCUDA=$work/libcuda.so.1
while read -r label rustc cargo; do
  [ "$cargo" = - ] && continue
  export RUSTC=$rustc CARGO_TARGET_DIR=$work/target-$label
  check "$label: kernels are listed, loaded and launched from Rust" "$cargo" test -q --features link \
    --test launch --manifest-path "$crates/mirdc-host/Cargo.toml" -- --test-threads=1
done < <(toolchains)
unset RUSTC CARGO_TARGET_DIR

mkdir -p "$work/app/src"
cd "$work/app"
app_manifest link >Cargo.toml
echo 'fn main() { mirdc_build::Builder::new().compile(); }' >build.rs
cat >src/lib.rs <<'T'
use mirdc::prelude::*;
#[derive(Clone, Copy, mirdc::KernelArg)]
#[repr(C)]
pub struct Camera { pub id: u8, pub pos: [f32; 3], pub scale: f64 }
#[mirdc::kernel(block = 64)]
pub fn draw(cam: Camera, x: &[f32], mut out: PerThread<f32>, flags: u16) {
    if let Some(o) = out.mine() { *o = cam.pos[0] * x[0] + cam.scale as f32 + (cam.id as u16 + flags) as f32; }
}
#[mirdc::kernel]
pub fn plain(out: *mut u32) { unsafe { *out = 1 } }
pub fn bundle() -> &'static [u8] { mirdc_host::include_bundle!() }
/// Not the function that was compiled for the device.
pub mod other {
    #[mirdc::kernel(block = 32)]
    pub fn draw(_a: f32) {}
}
T
# `other::draw` would be a second kernel of that name; it is for the host alone.
sed -i 's/^pub mod other {/#[cfg(not(mirdc_device))]\npub mod other {/; 1i #![allow(unexpected_cfgs)]' src/lib.rs
cat >src/main.rs <<'T'
use mirdc_host::Bundle;
fn main() {
    let b = Bundle::from_bytes(app::bundle()).unwrap();
    b.check().unwrap();
    for k in b.kernels().unwrap() {
        println!("{} {:?} {}", k.name, k.block, k.params.len());
    }
    let same = |d| unsafe { b.compare_descriptor::<mirdc::rt::Kernel>(d) };
    same(mirdc::kernel_of!(app::draw)).unwrap();
    same(mirdc::kernel_of!(app::plain)).unwrap();
    println!("changed: {}", same(mirdc::kernel_of!(app::other::draw)).unwrap_err());
    println!("embedded: {}", Bundle::embedded().unwrap().kernels().unwrap().len());
}
T
if cargo run -q >"$work/out" 2>&1; then ok "a program reads the bundle that it embeds"; else
  not_ok "a program reads the bundle that it embeds"
fi
for t in "draw Some([64, 1, 1]) 4" "plain None 1" "changed: " "embedded: 2"; do
  if grep -qF -- "$t" "$work/out"; then ok "... $t"; else not_ok "... $t"; cat "$work/out"; fi
done
exit $failed
