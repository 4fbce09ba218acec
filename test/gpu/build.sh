#!/bin/sh
# Builds everything that the GPU script runs, on a machine that needs no GPU: bundles and host
# programs, self-contained, in build/gpu. Then, on a machine with a GPU, run test/gpu/run.sh.
# OUT names another folder; ONLY an example, to build that and nothing else.
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD:-build}")
out=$(realpath -m "${OUT:-$build/gpu}")
arch=${ARCH:-sm_90}
rm -rf "$out"
mkdir -p "$out"
# A program in Rust, with libmirdc beside it.
rust_host() { # MANIFEST NAME
  MIRDC_LIB_DIR=$build/lib RUSTFLAGS='-Clink-arg=-Wl,--disable-new-dtags,-rpath,$ORIGIN' \
    cargo build -q --offline --release --manifest-path "$1" --target-dir "$out/.art/$2"
  cp "$out/.art/$2/release/$2" "$out/$2"
}
PATH=$build/bin:$PATH
for name in $(sed 's/#.*//' examples/INDEX | awk '/ gpu( |$)/ {print $1}'); do
  [ -z "${ONLY:-}" ] || [ "$ONLY" = "$name" ] || continue
  native=$(examples/common/build-native "examples/$name" "$out/.art/$name") ||
    { echo "not built: $name (no nvcc for its native code)" | tee -a "$out/not-built"; continue; }
  # shellcheck disable=SC2046
  (cd "examples/$name" && cargo-mirdc build --release --arch "$arch" --out-dir "$out/.art" -q \
    $(printf '%s\n' $native | sed 's/^./--extern-lto &/'))
  cp "$(find "$out/.art" -name "$name.*.mirdc" | sort | head -n 1)" "$out/$name.mirdc"
  if [ ! -e "examples/$name/host.c" ]; then
    examples/common/copy-libmirdc "$build" "$out"
    rust_host "examples/$name/Cargo.toml" "$name"
    continue
  fi
  extra=
  [ "$name" = sha256 ] && extra=-lcrypto
  # shellcheck disable=SC2086
  examples/common/build-host "$build" "$out/$name" "examples/$name/host.c" $extra
done
[ -z "${ONLY:-}" ] || { rm -rf "$out/.art"; exit 0; }
for src in test/gpu/*.rs; do
  [ -e "$src" ] || continue
  name=$(basename "$src" .rs)
  mirdc compile "$src" --arch "$arch" -o "$out/$name.mirdc" -q
  # What stops in one profile and not in the other is there in both.
  [ -e "test/gpu/$name.traps" ] && mirdc compile "$src" --arch "$arch" -o "$out/$name.release.mirdc" -q -- -O &&
    mv "$out/$name.release.mirdc" "$out/$name.release"
  examples/common/build-host "$build" "$out/$name" "test/gpu/$name.c"
done
# Packages with a host program in Rust, called with the bundle as the C programs are.
for manifest in test/gpu/*/Cargo.toml; do
  name=$(basename "$(dirname "$manifest")")
  cargo-mirdc build --manifest-path "$manifest" --lib --release --arch "$arch" --out-dir "$out/.art" -q
  cp "$(find "$out/.art" -name "$name.*.mirdc" | head -n 1)" "$out/$name.mirdc"
  rust_host "$manifest" "$name"
done
rm -rf "$out/.art"
echo "built $(find "$out" -name '*.mirdc' | wc -l) bundles in $out"
