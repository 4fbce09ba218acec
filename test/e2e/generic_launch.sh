#!/bin/bash
# Kernels that are compiled for the types of their launches: a library with generic kernels, a program
# that launches them, on each toolchain; then what is refused.
. "$(dirname "$0")/crate_common.bash"
here=$top/test/e2e/generic_launch
host_programs
export NO_COLOR=1
unset FAKE_LOG
${CC:-cc} -std=c17 -O1 -shared -fPIC -o "$work/libcuda.so.1" "$top/test/e2e/fake_libcuda.c" || exit 1
export MIRDC_LIBCUDA=$work/libcuda.so.1

run() {
  local name=$1 want=$2
  shift 2
  "$@" >"$work/out" 2>&1
  local rc=$?
  if [ $rc = "$want" ]; then ok "$name"; else not_ok "$name (status $rc, not $want)"; tail -40 "$work/out"; fi
}
says() { if grep -qF -- "$2" "$work/out"; then ok "$1"; else not_ok "$1"; tail -40 "$work/out"; fi; }

# workspace FOLDER: a library `kern` and a program `app`.
workspace() {
  mkdir -p "$1/kern/src" "$1/app/src"
  printf '[workspace]\nmembers = ["kern", "app"]\nresolver = "2"\n' >"$1/Cargo.toml"
  printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n' kern >"$1/kern/Cargo.toml"
  printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n' app >"$1/app/Cargo.toml"
  printf 'mirdc = { path = "%s/mirdc" }\n' "$crates" | tee -a "$1/kern/Cargo.toml" >>"$1/app/Cargo.toml"
  printf 'kern = { path = "../kern" }\nmirdc-host = { path = "%s/mirdc-host", features = ["link"] }\n' \
    "$crates" >>"$1/app/Cargo.toml"
  cp "$here/kern.rs" "$1/kern/src/lib.rs"
  cp "$here/app.rs" "$1/app/src/main.rs"
}
names() { mirdc-read --json "$1" | python3 -c '
import json, sys
for bundle in json.load(sys.stdin)["bundles"]:
    for k in bundle["manifest"]["kernels"]:
        print(k["name"], *("%s:%d:%d" % (p["name"], p["size"], p["align"]) for p in k["params"]))'; }

asan=no
sanitized && asan=yes
first=
while read -r label rustc cargo; do
  [ "$cargo" = - ] && continue
  ws=$work/$label/ws
  workspace "$ws"
  export RUSTC=$rustc
  cd "$ws" || exit 1
  bundle=$ws/target/mirdc/debug/app.bin.app.mirdc
  run "$label: launches in a program make kernels of a library's generic functions" 0 \
    "$cargo" mirdc build -p app --arch sm_90 --emit pmir,bundle
  dump=${bundle%.mirdc}.pmir.json
  # Closures of one capture, f32: `x * c`, and `x * c * c` by a closure of the library.
  python3 - "$dump" >"$work/one" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
for k in d["kernels"]:
    if k["params"][0]["name"] == "f" and k["params"][0]["size"] == 4:
        print(k["name"], "twice" if "kern::twice" in k["path"] else "once")
PY
  check "$label: two kernels take a closure of four bytes" test "$(wc -l <"$work/one")" = 2
  while read -r kernel what; do
    run "$label: the closure computes ($what)" 0 mirdc emulate "$dump" --kernel "$kernel" --block 64 \
      --arg f=hex:00004040 --arg x=f32:1,2,3 --arg 'y=f32[3]' --out y
    says "... the right values" "y = $([ "$what" = twice ] && echo '[9, 18, 27]' || echo '[3, 6, 9]')"
  done <"$work/one"
  names "$bundle" >"$work/names-$label"
  check "$label: 17 kernels: each type once, each closure once for each place" \
    test "$(wc -l <"$work/names-$label")" = 17
  check "$label: launch facts are those of the attribute" \
    sh -c "mirdc-read '$bundle' | grep -A9 'map_' | grep -q 64"
  if [ $asan = no ]; then
    rm -f "$work/launches"
    run "$label: the program finds every kernel that it launches" 0 \
      env FAKE_LOG="$work/launches" "$cargo" run -q -p app "$bundle"
    says "... to the last" "all launched"
    check "$label: 20 launches, of all 17 kernels" python3 - "$work/launches" "$work/names-$label" <<'PY'
import sys
log = [l.split() for l in open(sys.argv[1])]
known = {l.split()[0] for l in open(sys.argv[2])}
assert len(log) == 20, len(log)
assert {l[0] for l in log} == known, known ^ {l[0] for l in log}
loop = [bytes.fromhex(l[3]) for l in log if l[0].startswith("map_")][2:5]
# Captures by value: the count of the loop is the one word that differs.
word = [i for i in range(0, 12, 4) if loop[0][i:i + 4] != loop[1][i:i + 4]]
assert len(word) == 1 and [b[word[0]] for b in loop] == [0, 1, 2], loop
assert any(l[1] == "1,2,1" for l in log)
PY
  fi
  if [ $asan = no ]; then
    cat "$bundle" "$bundle" >"$work/both.mirdc"
    run "$label: an instance that two crates' bundles hold is one" 0 \
      env FAKE_LOG="$work/launches2" "$cargo" run -q -p app "$work/both.mirdc"
    says "... and launched" "all launched"
  fi
  if [ -z "$first" ]; then
    first=$label
    cp -r "$ws" "$work/elsewhere"
    rm -rf "$work/elsewhere/target"
    cd "$work/elsewhere" || exit 1
    run "$label: the same in another folder, in release" 0 "$cargo" mirdc build -p app --arch sm_90 --release
    names "$work/elsewhere/target/mirdc/release/app.bin.app.mirdc" >"$work/names-elsewhere"
    check "... gives the same names" cmp "$work/names-$label" "$work/names-elsewhere"
  else
    check "$label: the same names as with $first" cmp "$work/names-$label" "$work/names-$first"
  fi
done < <(toolchains)
unset RUSTC

# From a build script, and by hand.
if [ $asan = no ]; then
  mkdir -p "$work/script/src"
  cd "$work/script" || exit 1
  cat >Cargo.toml <<T
[package]
name = "script"
version = "0.1.0"
edition = "2024"
[dependencies]
mirdc = { path = "$crates/mirdc" }
mirdc-host = { path = "$crates/mirdc-host", features = ["link"] }
[build-dependencies]
mirdc-build = { path = "$crates/mirdc-build" }
[workspace]
T
  echo 'fn main() { mirdc_build::Builder::new().compile(); }' >build.rs
  cat >src/main.rs <<'T'
mod kernels {
    use mirdc::prelude::*;
    #[mirdc::kernel(instances(u32))]
    pub fn add<T: mirdc::KernelArg + Copy + core::ops::Add<Output = T>>(k: T, mut y: PerThread<T>) {
        if let Some(o) = y.mine() { *o = *o + k; }
    }
    #[mirdc::kernel]
    pub fn each<F: Fn(u32) -> u32>(f: F, mut y: PerThread<u32>) {
        if let Some(o) = y.mine() { *o = f(*o); }
    }
}
fn main() {
    let gpu = mirdc_host::Bundle::from_bytes(mirdc_host::include_bundle!()).unwrap().load(0).unwrap();
    let mut y = gpu.upload(&[1u32, 2]).unwrap();
    let k = y.len() as u32;
    unsafe {
        mirdc::launch!(gpu, 1, 32, kernels::add(k, &mut y)).unwrap();
        mirdc::launch!(gpu, 1, 32, kernels::each(move |v| v * k, &mut y)).unwrap();
    }
}
T
  rm -f "$work/launches"
  run "a build script compiles what the program launches" 0 env MIRDC="$build/bin/mirdc" FAKE_LOG="$work/launches" cargo run -q
  check "... the instance of the attribute under its name, the closure under its digest" \
    sh -c "cut -d ' ' -f 1 '$work/launches' | tr '\n' ' ' | grep -Eq '^add_u32 each_[0-9a-f]{32} \$'"
fi
cat >"$work/hand.rs" <<'T'
use mirdc::prelude::*;
/// Named as the parameters of the kernels are.
#[derive(Clone, Copy, mirdc::KernelArg)]
pub struct T(f32);
impl core::ops::Mul for T { type Output = T; fn mul(self, o: T) -> T { T(self.0 * o.0) } }
pub const N: usize = 2;
#[mirdc::kernel(instances(f32, <f64>, T, pair = [f32; 2]))]
pub fn copy<T: Copy + mirdc::Element>(x: &[T], mut y: PerThread<T>) where T: mirdc::KernelArg {
    let i = thread::index_x();
    if let Some(o) = y.at(i) { *o = x[i.get()]; }
}
#[mirdc::kernel(instances(<f32, N, true>, <T, 3, false>))]
pub fn power<T, const N: usize, const TWICE: bool>(k: T, mut y: PerThread<T>)
where
    T: Copy + core::ops::Mul<Output = T> + mirdc::KernelArg,
{
    if let Some(o) = y.mine() {
        for _ in 0..if TWICE { 2 * N } else { N } { *o = *o * k; }
    }
}
T
run "instances of the attribute are compiled by hand" 0 \
  mirdc compile "$work/hand.rs" --arch sm_90 -o "$work/hand.mirdc"
names "$work/hand.mirdc" | cut -d ' ' -f 1 | tr '\n' ' ' >"$work/out"
says "... all six" "copy_T copy_f32 copy_f64 pair power_T_3_false power_f32_N_true"
run "... with their own types and constants" 0 mirdc emulate "$work/hand.rs" --kernel power_f32_N_true \
  --block 32 --arg k=3 --arg y=f32:1,2 --out y
says "... and values" "y = [81, 162]"

# What cannot be done. Each program is the body of `main` and items before it.
cd "$work/elsewhere" || exit 1
program() {
  cat >app/src/main.rs
}
head='use kern::shapes; use mirdc_host::{Bundle, DeviceVec, Module};
fn gpu() -> Module { Bundle::open_file("b").unwrap().load(0).unwrap() }
'
refused() { # NAME CODE TEXT LINE-TEXT
  run "$1 is refused" 101 cargo mirdc build -p app --arch sm_90
  says "... with $2" "error[$2]"
  says "... and says why" "$3"
  says "... at the line" "$4"
}
program <<R
$head
fn main() {
    let gpu = gpu();
    let (x, mut y) = (gpu.upload(&[1.0f32]).unwrap(), gpu.upload(&[1.0f32]).unwrap());
    let k = std::env::args().count() as f32;
    unsafe { mirdc::launch!(gpu, 1, 64, shapes::map(|v: f32| v * k, &x, &mut y)).unwrap() };
}
R
refused "a closure that borrows" MD0911 'move |…|' 'shapes::map(|v: f32| v * k'
program <<R
$head
fn apply<F: Fn(f32) -> f32>(gpu: &Module, f: F, x: &DeviceVec<f32>, y: &mut DeviceVec<f32>) {
    unsafe { mirdc::launch!(gpu, 1, 64, shapes::map(f, x, y)).unwrap() };
}
fn main() {
    let gpu = gpu();
    let (x, mut y) = (gpu.upload(&[1.0f32]).unwrap(), gpu.upload(&[1.0f32]).unwrap());
    apply(&gpu, |v| v + 1.0, &x, &mut y);
    apply(&gpu, |v| v + 2.0, &x, &mut y);
}
R
refused "two closures at one place" MD0912 '#[track_caller]' 'shapes::map(f, x, y)'
program <<R
$head
fn deep<F: Fn(f32) -> f32 + Copy>(gpu: &Module, n: u32, f: F, x: &DeviceVec<f32>, y: &mut DeviceVec<f32>) {
    if n > 0 { deep(gpu, n - 1, f, x, y) }
    unsafe { mirdc::launch!(gpu, 1, 64, shapes::map(f, x, y)).unwrap() };
}
fn main() {
    let gpu = gpu();
    let (x, mut y) = (gpu.upload(&[1.0f32]).unwrap(), gpu.upload(&[1.0f32]).unwrap());
    deep(&gpu, 3, |v| v + 1.0, &x, &mut y);
}
R
refused "a launch in a recursive generic function" MD0914 'recursive' 'deep(gpu, n - 1'
program <<R
$head
#[mirdc::kernel]
fn outer<T: Copy + mirdc::KernelArg>(gpu: *const Module, v: T) {
    unsafe { mirdc::launch!(*gpu, 1, 64, inner(v)).unwrap() };
}
#[mirdc::kernel]
fn inner<T: Copy>(_v: T) {}
fn main() {
    unsafe { mirdc::launch!(gpu(), 1, 64, outer(&raw const *std::hint::black_box(&gpu()), 1.0f32)).unwrap() };
}
R
refused "a kernel that launches a kernel" MD0913 'begins inside' 'outer(&raw const'
if [ $asan = no ]; then
  cp "$here/app.rs" app/src/main.rs
  bundle=$work/elsewhere/target/mirdc/release/app.bin.app.mirdc
  sed -i 's/|x: f32| x + 1.0/|x: i8| x + 1/; s/&\[1.0f32, 2.0, 3.0\]/\&[1i8, 2, 3]/; s/&\[0.0f32; 3\]/\&[0i8; 3]/' app/src/main.rs
  sed -i '/move |x: f32| x \* c, /,/shapes::plain/d' app/src/main.rs
  run "a launch that the bundle is too old for" 101 env FAKE_LOG="$work/launches" cargo run -q -p app "$bundle"
  says "... names the kernel and its types" 'kern::shapes::map::<i8, app::main::{{closure}}>'
  says "... the place" "launched at app/src/main.rs:"
  says "... and a code" "MD0915"
fi
exit $failed
