#!/bin/bash
# Rust functions for C++ without a kernel of their own become LTO-IR, which links; nothing else is made of them.
. "$(dirname "$0")/crate_common.bash"
export PATH=${BUILD:-$top/build}/bin:$PATH NO_COLOR=1 CARGO_NET_OFFLINE=true
unset RUSTC RUSTC_WRAPPER MIRDC_RECORD_DIR MIRDC_DIR CARGO_TARGET_DIR
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
cd "$work"
cat >lib.rs <<'R'
#![no_std]
#[mirdc::device_export]
pub extern "C" fn scale(x: f32, k: f32) -> f32 {
    x * k
}
R
cat >k.cu <<'C'
extern "C" __device__ float scale(float x, float k);
extern "C" __global__ void run(float *p) { p[threadIdx.x] = scale(p[threadIdx.x], 3.0f); }
C
has_code() { readelf -SW "$1" | grep -q ' \.text\.run '; }
refused() { ! mirdc compile "$@" >out.txt 2>&1 && grep -q 'error\[MD0019\]' out.txt && grep -q -- '--emit ltoir' out.txt; }

check "they are compiled" mirdc compile -q --out-dir out lib.rs
check "... to LTO-IR and no bundle" test -s out/lib.sm_90.ltoir -a ! -e out/lib.mirdc
for kind in cubin ptx bundle; do
  check "a $kind of them alone is refused" refused --emit $kind --out-dir other lib.rs
done
mirdc compile -q --emit pmir --out-dir out lib.rs && mirdc check out/lib.pmir.json >out.txt
check "a dump of them is in order" grep -q '^1 function for other device code' out.txt
if [ -x "$nvcc" ]; then
  "$nvcc" -arch=sm_90 -dlto -dc k.cu -o k.o || exit 1
  check "a kernel in C++ links with them" mirdc link -q out/lib.sm_90.ltoir k.o --arch sm_90 -o linked.cubin
  check "... and has code" has_code linked.cubin
  check "the same in one step" mirdc compile -q lib.rs --extern-lto k.o -o step.cubin
  check "... and has code" has_code step.cubin
fi
mkdir -p pkg/src && cp lib.rs pkg/src/lib.rs
printf '[package]\nname = "side"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\nmirdc = { path = "%s/mirdc" }\n' "$crates" >pkg/Cargo.toml
cd pkg
check "cargo mirdc build takes them too" cargo mirdc build -q
check "... under the package's name" test -s target/mirdc/debug/side.lib.side.sm_90.ltoir
exit $failed
