#!/bin/sh
# Builds everything that the GPU script runs, on a machine that needs no GPU: bundles and host
# programs, self-contained, in build/gpu. Then, on a machine with a GPU, run test/gpu/run.sh.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
out=$build/gpu
arch=${ARCH:-sm_90}
rm -rf "$out"
mkdir -p "$out"
PATH=$PWD/$build/bin:$PATH
for name in $(sed 's/#.*//' examples/INDEX | awk '/ gpu( |$)/ {print $1}'); do
  (cd "examples/$name" && cargo-mirdc build --release --arch "$arch" --out-dir "$OLDPWD/$out/.art" -q)
  cp "$(find "$out/.art" -name "$name.*.mirdc" | head -n 1)" "$out/$name.mirdc"
  extra=
  [ "$name" = sha256 ] && extra=-lcrypto
  # shellcheck disable=SC2086
  examples/common/build-host "$build" "$out/$name" "examples/$name/host.c" $extra
done
for src in test/gpu/*.rs; do
  [ -e "$src" ] || continue
  name=$(basename "$src" .rs)
  mirdc compile "$src" --arch "$arch" -o "$out/$name.mirdc" -q
  # What stops in one profile and not in the other is there in both.
  [ -e "test/gpu/$name.traps" ] && mirdc compile "$src" --arch "$arch" -o "$out/$name.release.mirdc" -q -- -O &&
    mv "$out/$name.release.mirdc" "$out/$name.release"
  examples/common/build-host "$build" "$out/$name" "test/gpu/$name.c"
done
rm -rf "$out/.art"
echo "built $(find "$out" -name '*.mirdc' | wc -l) bundles in $out"
