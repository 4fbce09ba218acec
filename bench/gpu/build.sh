#!/bin/sh
# Builds the GPU benchmark where no GPU is needed: cubins of the examples by mirdc in the release profile,
# their twins by nvcc -O3, and the program that times them. Then, on a machine with a GPU, run
# bench/gpu/run.sh. OUT names another folder than build/gpu-bench, ARCH another GPU than sm_90.
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD:-build}")
out=$(realpath -m "${OUT:-$build/gpu-bench}")
arch=${ARCH:-sm_90}
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
rm -rf "$out"
mkdir -p "$out"
names=$(sed -n 's/.*CASE(\([a-z_0-9]*\)).*/&/p' bench/gpu/cases.c | grep -o 'CASE([a-z_0-9]*)' | sed 's/CASE(\(.*\))/\1/' | grep -v '^name$')
for name in $names; do
  "$build/bin/mirdc" compile "examples/$name/src/lib.rs" --arch "$arch" --emit cubin --target-name "$name" \
    --out-dir "$out" -q -- -O
  mv "$out/$name.$arch.cubin" "$out/$name.cubin"
done
"$nvcc" -O3 "-arch=$arch" -std=c++17 -cubin bench/gpu/twins.cu -o "$out/nvcc.cubin"
"$nvcc" -O3 "-arch=$arch" -std=c++17 -DPTR=__restrict__ -cubin bench/gpu/twins.cu -o "$out/nvcc_restrict.cubin"
${CC:-cc} -std=c17 -O2 -Wall -Wextra -D_GNU_SOURCE -I. bench/gpu/bench.c bench/gpu/cases.c -o "$out/bench" -lm -ldl
echo "built $(printf '%s\n' "$names" | wc -l) pairs of kernels in $out"
