#!/bin/sh
# `mirdc link` on what nvcc makes: each kind of input that it can be used with, and what it cannot.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
mirdc=${BUILD:-$root/build}/bin/mirdc
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
[ -x "$nvcc" ] || { echo "not ok nvcc is found"; exit 1; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
cat >k.cu <<'C'
extern "C" __device__ int cb(int a, int b);
extern "C" __global__ void __launch_bounds__(128) k(int *o, int a, int b) { *o = cb(a, b); }
C
cat >cb.cu <<'C'
extern "C" __device__ int cb(int a, int b) { return a * 3 + b; }
C
cat >whole.cu <<'C'
extern "C" __global__ void whole(int *o) { *o = 1; }
C
make() { "$nvcc" -arch=sm_90 "$@" || exit 1; }
make -dlto -dc k.cu -o k.lto.o
make -dlto -dc cb.cu -o cb.lto.o
make -dc k.cu -o k.sass.o
make -dc cb.cu -o cb.sass.o
make -rdc=true -cubin cb.cu -o cb.rdc.cubin
make -rdc=true -ptx k.cu -o k.ptx
make -rdc=true -ptx cb.cu -o cb.ptx
make -c whole.cu -o whole.o
make -cubin whole.cu -o whole.cubin
make -fatbin whole.cu -o whole.fatbin
make -ptx whole.cu -o whole.ptx
echo "not an object" >read.me
ar rc cb.a read.me cb.lto.o
ar rc k.a k.lto.o
status=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1"; cat out; status=1; }
# links NAME KERNEL INPUT…: the product has the kernel with code
links() {
  name=$1 kernel=$2
  shift 2
  rm -f out.cubin
  if "$mirdc" link "$@" -o out.cubin >out 2>&1 && grep -q "^kernel $kernel: " out &&
    readelf -SW out.cubin 2>/dev/null | grep -q " \.text\.$kernel "; then
    ok "$name"
  else
    bad "$name"
  fi
}
# refuses NAME CODE INPUT…: the code, exit status 1 and no file
refuses() {
  name=$1 code=$2
  shift 2
  rm -f out.cubin
  "$mirdc" link "$@" -o out.cubin >out 2>&1
  if [ $? -eq 1 ] && grep -q "^error\[$code\]" out && [ ! -e out.cubin ]; then ok "$name"; else bad "$name"; fi
}
links "LTO objects" k k.lto.o cb.lto.o
links "LTO objects in the other order" k cb.lto.o k.lto.o
links "an archive with a text file in front" k k.lto.o cb.a
links "two archives" k k.a cb.a
links "relocatable machine code" k k.sass.o cb.sass.o
links "LTO with machine code" k k.lto.o cb.sass.o
links "PTX with PTX" k k.ptx cb.ptx
links "PTX with a relocatable cubin" k k.ptx cb.rdc.cubin
links "a whole program as PTX" whole whole.ptx
links "the device runtime twice" k k.lto.o cb.lto.o \
  "$(dirname "$nvcc")/../lib64/libcudadevrt.a" "$(dirname "$nvcc")/../lib64/libcudadevrt.a"
refuses "a whole program's object" MD0442 whole.o
refuses "a whole program's cubin" MD0442 whole.cubin
refuses "a whole program's fatbin" MD0442 whole.fatbin
refuses "a missing definition among LTO objects" MD0425 k.lto.o
refuses "a missing definition among machine code" MD0425 k.sass.o
refuses "a definition given twice as machine code" MD0426 k.sass.o cb.sass.o cb.rdc.cubin
links "an older object by the PTX inside it" k --arch sm_100 k.sass.o cb.sass.o
refuses "machine code for an older GPU" MD0423 --arch sm_100 k.ptx cb.rdc.cubin
"$mirdc" link k.lto.o cb.lto.o -o one.cubin >out 2>&1 && "$mirdc" link k.lto.o cb.lto.o -o two.cubin >out 2>&1
if cmp -s one.cubin two.cubin; then ok "two runs give the same bytes"; else bad "two runs give the same bytes"; fi
exit $status
