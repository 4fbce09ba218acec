#!/bin/bash
# mirdc-build in a build.rs: embedding, freshness, skipping, errors; mirdc-host on the result.
. "$(dirname "$0")/crate_common.bash"
bin=${BUILD:-$top/build}/bin
export PATH=$bin:$PATH CARGO_NET_OFFLINE=true NO_COLOR=1 MIRDC=$bin/mirdc
unset MIRDC_DIR CARGO_TARGET_DIR RUSTC RUSTC_WRAPPER MIRDC_RECORD_DIR MIRDC_SKIP

run() {
  local name=$1 want=$2
  shift 2
  "$@" >"$work/out" 2>&1
  local rc=$?
  if [ $rc = "$want" ]; then ok "$name"; else not_ok "$name (status $rc, not $want)"; cat "$work/out"; fi
}
says() { if grep -qF -- "$2" "$work/out"; then ok "$1"; else not_ok "$1"; cat "$work/out"; fi; }
silent() { if grep -qF -- "$2" "$work/out"; then not_ok "$1"; cat "$work/out"; else ok "$1"; fi; }

mkdir -p "$work/ws/gpu app/src" "$work/ws/util/src"
cd "$work/ws"
printf '[workspace]\nmembers = ["gpu app", "util"]\nresolver = "2"\n' >Cargo.toml
printf '[package]\nname = "util"\nversion = "0.1.0"\nedition = "2021"\n' >util/Cargo.toml
printf '#![no_std]\npub fn bias() -> f32 { 1.0 }\n' >util/src/lib.rs
cat >"gpu app/Cargo.toml" <<T
[package]
name = "gpu-app"
version = "0.1.0"
edition = "2021"
[features]
double = []
[dependencies]
mirdc = { path = "$crates/mirdc" }
mirdc-host = { path = "$crates/mirdc-host" }
util = { path = "../util" }
[build-dependencies]
mirdc-build = { path = "$crates/mirdc-build" }
T
cat >"gpu app/build.rs" <<'T'
fn main() {
    mirdc_build::Builder::new().arch("sm_90").compile();
}
T
cat >"gpu app/src/lib.rs" <<'T'
use mirdc::prelude::*;
pub static BUNDLE: fn() -> &'static [u8] = || mirdc_host::include_bundle!();
#[mirdc::kernel]
pub fn shift(mut v: PerThread<f32>) {
    if let Some(v) = v.mine() { *v += util::bias() * if cfg!(feature = "double") { 2.0 } else { 1.0 }; }
}
T
cat >"gpu app/src/main.rs" <<'T'
fn main() {
    let b = (gpu_app::BUNDLE)();
    println!("bundle: {} bytes, aligned {}", b.len(), b.as_ptr() as usize % 16 == 0);
}
T
run "a package with a build script is built by plain cargo" 0 cargo build
run "... and its program holds the bundle" 0 cargo run -q
silent "... which is not empty" "bundle: 0 bytes"
says "... and aligned" "aligned true"
run "the reader finds the bundle in the program" 0 mirdc-read target/debug/gpu-app
says "..." "shift"
run "a release build with full LTO keeps it" 0 env CARGO_PROFILE_RELEASE_LTO=fat cargo build --release
run "..." 0 mirdc-read target/release/gpu-app
says "..." "shift"
run "a second build does nothing" 0 cargo build -v
silent "... no script" "build-script-build"
says "... all is fresh" "Fresh gpu-app"
sleep 1.1
touch util/src/lib.rs
run "a change in a dependency runs the script again" 0 cargo build -v
says "..." "build-script-build"
run "... once" 0 cargo build -v
silent "..." "build-script-build"
rm target/debug/build/gpu-app-*/out/mirdc.bundle
run "a deleted bundle comes back" 0 cargo build
run "..." 0 cargo run -q
silent "..." "bundle: 0 bytes"
run "a feature reaches the script's build" 0 cargo build -p gpu-app --features double
check "... and the shared folder has the artifacts" test -s target/mirdc/debug/gpu-app.lib.gpu_app.mirdc
run "the package is built from its own folder too" 0 sh -c "cd 'gpu app' && cargo build"
run "for an explicit target, in another target folder" 0 \
  cargo build --target "$(rustc -vV | sed -n 's/host: //p')" --target-dir "$work/other"
check "... the artifacts follow" test -s "$work/other/mirdc/debug/gpu-app.lib.gpu_app.mirdc"
run "tests and clippy's kind of check work" 0 cargo test -q --workspace
run "check" 0 cargo check

run "MIRDC_SKIP builds without device code" 0 env MIRDC_SKIP=1 cargo build
says "... and says so" "MIRDC_SKIP is set"
run "..." 0 env MIRDC_SKIP=1 cargo run -q
says "... the bundle is empty" "bundle: 0 bytes"
run "without the variable the bundle is back" 0 cargo run -q
silent "..." "bundle: 0 bytes"
run "a missing mirdc is an error that says where it was looked for" 101 \
  env MIRDC="$work/none/mirdc" PATH=/usr/bin:/bin:"$(dirname "$(command -v cargo)")" cargo build
if [ "$bin" != "$top/build/bin" ] || grep -q "cannot find\|names" "$work/out"; then ok "..."; else not_ok "..."; cat "$work/out"; fi

sed -i 's/pub fn shift(mut v: PerThread<f32>)/pub fn shift(mut v: PerThread<f32>, s: String)/' "gpu app/src/lib.rs"
run "a kernel that is wrong fails the build" 101 cargo build
says "... with rustc's message" "cannot be a kernel parameter"
sed -i 's/, s: String)/)/; s/\*v += /let b: Box<f32> = Box::new(*v); *v += *b * /' "gpu app/src/lib.rs"
run "a kernel that cannot run on a device likewise" 101 cargo build
says "... with mirdc's message" "error[MD0"
says "... and Cargo's" "the device code was not compiled"
if rustup which --toolchain nightly cargo >/dev/null 2>&1; then
  sed -i 's/let b: Box<f32> = Box::new(\*v); \*v += \*b \* /*v += /' "gpu app/src/lib.rs"
  run "nightly's new folder layout" 0 cargo +nightly build -Zbuild-dir-new-layout --target-dir "$work/new"
  check "..." test -s "$work/new/mirdc/debug/gpu-app.lib.gpu_app.mirdc"
fi
# One program: kernels, host code and the bundle in one main.rs.
mkdir -p "$work/one/src"
cd "$work/one"
cat >Cargo.toml <<T
[package]
name = "one"
version = "0.1.0"
edition = "2024"
[dependencies]
mirdc = { path = "$crates/mirdc" }
mirdc-host = { path = "$crates/mirdc-host" }
[build-dependencies]
mirdc-build = { path = "$crates/mirdc-build" }
[workspace]
T
cp "../ws/gpu app/build.rs" .
cat >src/main.rs <<'T'
use mirdc::prelude::*;
use std::collections::HashMap;
#[mirdc::kernel]
fn halve(mut v: PerThread<f32>) {
    if let Some(v) = v.mine() { *v /= 2.0; }
}
fn main() {
    let mut v = vec![2.0, 4.0];
    host::launch(1, 2, &mut v[..], |v| halve(v));
    let names: HashMap<_, _> = [("sum", v.iter().sum::<f32>())].into();
    println!("{names:?} bundle: {} bytes, {}", mirdc_host::include_bundle!().len(), F16::ONE);
}
T
run "a program that is all in one file is built and runs" 0 cargo run -q
says "..." '{"sum": 3.0}'
silent "... with its bundle" "bundle: 0 bytes"
run "..." 0 mirdc-read target/debug/one
says "... and kernel" "halve"
exit $failed
