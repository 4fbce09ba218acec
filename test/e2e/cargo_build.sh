#!/bin/bash
# cargo mirdc on whole packages: new, build, check, read, clean, workspaces, features, errors.
. "$(dirname "$0")/crate_common.bash"
export PATH=${BUILD:-$top/build}/bin:$PATH CARGO_NET_OFFLINE=true NO_COLOR=1
unset MIRDC_DIR CARGO_TARGET_DIR RUSTC RUSTC_WRAPPER MIRDC_RECORD_DIR
mirdc_dep="mirdc = { path = \"$crates/mirdc\" }"

# run NAME STATUS COMMAND...: runs it, keeps the output, checks the exit status.
run() {
  local name=$1 want=$2
  shift 2
  "$@" >"$work/out" 2>&1
  local rc=$?
  if [ $rc = "$want" ]; then ok "$name"; else not_ok "$name (status $rc, not $want)"; cat "$work/out"; fi
}
says() { # NAME TEXT: the last output has TEXT
  if grep -qF -- "$2" "$work/out"; then ok "$1"; else not_ok "$1"; cat "$work/out"; fi
}
exists() { if [ -e "$2" ]; then ok "$1"; else not_ok "$1"; find "$(dirname "$2")" 2>/dev/null; fi; }
gone() { if [ ! -e "$2" ]; then ok "$1"; else not_ok "$1"; fi; }

cd "$work"
run "a new package is made" 0 cargo mirdc new my-kernels
run "a folder that exists is left alone" 101 cargo mirdc new my-kernels
says "... with its code" MD0610
cd my-kernels
run "its host test passes" 0 cargo test -q
run "it is compiled for the device" 0 cargo mirdc build
says "... and the kernel is reported" "kernel add("
b=target/mirdc/debug/my-kernels.lib.my_kernels.mirdc
exists "the bundle has package, kind and target in its name" $b
exists "the record lies beside it" ${b%.mirdc}.record.json
cp $b "$work/first.mirdc"
run "it can be read" 0 cargo mirdc read
says "... with slices as slices" "c: mirdc::PerThread<f32>  slice"
run "it can be read as JSON" 0 cargo mirdc read -- --json
run "a second build works on what is there" 0 cargo mirdc build -q
if [ ! -s "$work/out" ] || ! grep -q Checking "$work/out"; then ok "... and compiles nothing anew"; else not_ok "... and compiles nothing anew"; cat "$work/out"; fi
check "... and gives the same bytes" cmp $b "$work/first.mirdc"
rm -r target/mirdc/cargo-v1/records
run "lost records come back" 0 cargo mirdc build
check "... with the same bytes" cmp $b "$work/first.mirdc"
run "a release build lies in its own folder" 0 cargo mirdc build --release
exists "..." target/mirdc/release/my-kernels.lib.my_kernels.mirdc
run "two architectures, and an option for mirdc behind --" 0 cargo mirdc build --arch sm_80,sm_90 -- --time
says "... both compiled" "sm_80: registers"
says "... the option arrived" "time: total"
run "check needs no artifact folder" 0 cargo mirdc check
cd src
run "from a folder inside, the same place is used" 0 cargo mirdc read
cd ..
run "clean -p removes the artifacts" 0 cargo mirdc clean -p my-kernels
gone "..." $b
exists "... and keeps what cargo compiled" target/mirdc/cargo-v1
run "clean removes the folder" 0 cargo mirdc clean
gone "..." target/mirdc
run "reading what is not there fails" 101 cargo mirdc read
says "... with advice" "cargo mirdc build"

# A constant that one of two kernels reads: each kernel is a link unit, one of them has the constant.
cat >>src/lib.rs <<'T'
pub static TABLE: Constant<[f32; 4]> = Constant::new([1.0; 4]);
#[mirdc::kernel]
pub fn look_up(mut c: PerThread<f32>) {
    if let Some(c) = c.mine() { *c += TABLE.at(thread::x() as usize & 3); }
}
T
run "kernels with and without a constant lie in one bundle" 0 cargo mirdc build
run "... which is sound" 0 cargo mirdc read -- --check

# Device code in another language, called and calling back.
if command -v nvcc >/dev/null 2>&1 || [ -x /usr/local/cuda/bin/nvcc ]; then
  cp src/lib.rs "$work/lib.rs"
  cat >>src/lib.rs <<'T'
unsafe extern "C" {
    fn from_cuda(x: f32, n: u32) -> f32;
}
#[mirdc::device_export]
pub extern "C" fn to_cuda(x: f32) -> f32 {
    x * 3.0
}
#[mirdc::kernel]
pub fn call(mut v: PerThread<f32>) {
    if let Some(v) = v.mine() { *v = unsafe { from_cuda(*v, 2) }; }
}
T
  cat >f.cu <<'T'
extern "C" __device__ float to_cuda(float);
extern "C" __device__ float from_cuda(float x, unsigned n) {
  for (unsigned i = 0; i < n; i++) x = to_cuda(x) + 1.f;
  return x;
}
T
  run "CUDA C++ is compiled to LTO-IR" 0 \
    env PATH="$PATH:/usr/local/cuda/bin" nvcc -arch=sm_90 -dlto -dc -o f.o f.cu
  run "it is linked in, and reaches an exported Rust function" 0 cargo mirdc build --extern-lto f.o
  run "without it the missing symbol is named" 101 cargo mirdc build
  says "..." "\`from_cuda\` is not defined"
  cp "$work/lib.rs" src/lib.rs
fi
cargo mirdc build --message-format json >"$work/json" 2>"$work/out"
check "with --message-format json standard output is JSON lines" python3 -c "
import json, sys
kinds = [json.loads(l).get('reason') for l in open(sys.argv[1])]
assert 'compiler-artifact' in kinds and 'build-finished' in kinds, kinds" "$work/json"

# A compile error is Cargo's: its text, its status.
echo 'fn broken() -> u32 { "x" }' >>src/lib.rs
run "a Rust error ends with Cargo's status" 101 cargo mirdc build
says "... and rustc's message" "E0308"
run "an unknown option is a usage error" 1 cargo mirdc build --blok
says "... that names it" "error[MD0602]: unknown option \`--blok\`"
run "an unknown command likewise" 1 cargo mirdc bild
says "..." MD0601
run "a mirdc that is not there is named" 101 env MIRDC=/nowhere/mirdc cargo mirdc build
says "..." MD0603
run "a call without a build script" 101 cargo mirdc build --build-script
says "... says which variable is missing" "error[MD0609]: \$OUT_DIR is not set"
mkdir -p "$work/home/registry/src/k/src" "$work/home/registry/src/k/target/debug/build/k-1/out"
cp Cargo.toml "$work/home/registry/src/k"
touch "$work/home/registry/src/k/target/CACHEDIR.TAG"
run "a package in Cargo's own folder is not built in place" 101 env CARGO_HOME="$work/home" \
  CARGO_MANIFEST_DIR="$work/home/registry/src/k" CARGO_PKG_NAME=k TARGET=x \
  OUT_DIR="$work/home/registry/src/k/target/debug/build/k-1/out" cargo-mirdc mirdc build --build-script
says "..." MD0611
cd "$work"
mkdir empty
cd empty
run "outside of a package Cargo's own message is shown" 101 cargo mirdc build
says "..." "could not find \`Cargo.toml\`"
says "... with ours" MD0604

# A workspace: a path dependency with device code, features, lib and bins of one name, examples.
mkdir -p "$work/ws/helper/src" "$work/ws/app/src/bin" "$work/ws/app/examples" "$work/ws/app/tests"
cd "$work/ws"
cat >Cargo.toml <<T
[workspace]
members = ["helper", "app"]
resolver = "2"
T
cat >helper/Cargo.toml <<T
[package]
name = "helper"
version = "0.1.0"
edition = "2024"
[features]
triple = []
T
cat >helper/src/lib.rs <<'T'
#![no_std]
pub fn factor() -> u32 { if cfg!(feature = "triple") { 3 } else { 2 } }
pub fn apply<T: Copy + core::ops::Mul<Output = T>>(a: T, b: T) -> T { a * b }
T
cat >app/Cargo.toml <<T
[package]
name = "app"
version = "0.1.0"
edition = "2024"
default-run = "app"
[features]
triple = ["helper/triple"]
[dependencies]
$mirdc_dep
helper = { path = "../helper" }
[profile.dev]
T
sed -i '/profile.dev/d' app/Cargo.toml
kernel() { # NAME
  cat <<T
use mirdc::prelude::*;
#[mirdc::kernel]
pub fn $1(mut v: PerThread<u32>) {
    if let Some(v) = v.mine() { *v = helper::apply(*v, helper::factor()); }
}
T
}
kernel of_lib >app/src/lib.rs
{ kernel of_bin; echo 'fn main() {}'; } >app/src/main.rs
{ kernel of_tool; echo 'fn main() {}'; } >app/src/bin/my-tool.rs
echo 'fn main() {}' >app/src/bin/plain.rs
{ kernel of_example; echo 'fn main() {}'; } >app/examples/ex-one.rs
{ kernel of_test; echo '#[test] fn t() {}'; } >app/tests/it-test.rs
run "a member of a workspace is compiled from its folder" 0 sh -c 'cd app && cargo mirdc build'
d=target/mirdc/debug
for f in app.lib.app app.bin.app app.bin.my-tool; do exists "... $f" $d/$f.mirdc; done
gone "... a binary without kernels has no bundle" $d/app.bin.plain.mirdc
gone "... examples are not built unasked" $d/app.example.ex-one.mirdc
run "a package is chosen by -p, a target by its Cargo name" 0 cargo mirdc build -p app --example ex-one --test it-test
exists "... the example" $d/app.example.ex-one.mirdc
exists "... the test" $d/app.test.it-test.mirdc
cp $d/app.lib.app.mirdc "$work/two.mirdc"
run "a feature reaches the device code" 0 cargo mirdc build -p app --lib --features triple --emit bundle,llvm
check "... of the dependency" grep -Eq 'ret i32 3|mul i(32|64) .*, 3$' $d/app.lib.app*.ll
run "the reader follows --manifest-path and -p" 0 cargo mirdc read --manifest-path "$work/ws/Cargo.toml" -p app --bin my-tool
says "..." "kernel     of_tool"
run "a package that is no member" 101 cargo mirdc build -p nobody
says "..." MD0605
says "... is answered with the members" "member: \`helper\`"
run "a package without kernels" 101 cargo mirdc build -p helper
says "... is told so" MD0606
run "an absolute MIRDC_DIR is used" 0 env MIRDC_DIR="$work/elsewhere" cargo mirdc build -p app --lib
exists "..." "$work/elsewhere/debug/app.lib.app.mirdc"
run "a relative one is refused" 101 env MIRDC_DIR=elsewhere cargo mirdc build -p app --lib
says "..." MD0608
run "--target-dir is followed" 0 cargo mirdc build -p app --lib --target-dir "$work/td"
exists "..." "$work/td/mirdc/debug/app.lib.app.mirdc"
touch "$work/elsewhere/notes.txt"
run "a folder with foreign files is not removed" 101 env MIRDC_DIR="$work/elsewhere" cargo mirdc clean -p nobody
run "... nor by a plain clean" 101 env MIRDC_DIR="$work/elsewhere" cargo mirdc clean
exists "..." "$work/elsewhere/notes.txt"
if rustup which --toolchain nightly cargo >/dev/null 2>&1; then
  run "another toolchain is followed" 0 cargo +nightly mirdc build -p app --lib
fi
# Every option of the table stands in the manual.
sed 's/\\-/-/g; s/Fl -/--/g' "$top/docs/cargo-mirdc.1" >"$work/man"
missing=
for o in $(for c in build check read clean doctor new; do cargo-mirdc mirdc help $c; done |
  grep -oE -- '--[a-z-]+' | sort -u); do
  grep -qE -- "$o( |$)" "$work/man" || missing="$missing $o"
done
if [ -z "$missing" ]; then ok "the manual has every option"; else not_ok "the manual lacks$missing"; fi
exit $failed
