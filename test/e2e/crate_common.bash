# Shared by the crate_*.sh tests: toolchains, and the flags of a device run.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
crates=$top/cargo-integration
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

ok() { echo "ok $1"; }
not_ok() { echo "not ok $1"; failed=1; }
check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then ok "$name"; else not_ok "$name"; tail -40 "$work/log"; fi
}

# One line a toolchain: LABEL RUSTC CARGO. Cargo is "-" for a compiler that has none.
toolchains() {
  local t rustc cargo
  if ! command -v rustup >/dev/null 2>&1 && command -v cargo >/dev/null 2>&1; then
    echo "default $(command -v rustc) $(command -v cargo)"
  fi
  for t in stable nightly; do
    rustc=$(rustup which --toolchain $t rustc 2>/dev/null) || continue
    cargo=$(rustup which --toolchain $t cargo)
    echo "$t $rustc $cargo"
  done
  # Debian's rustc-web, unpacked by test/fetch_rustc_web.sh.
  rustc=${MIRDC_RUSTC_WEB:-$top/.toolchain/rustc-web}/bin/rustc
  if [ -x "$rustc" ]; then echo "rustc-web $rustc -"; fi
  if [ -n "${MIRDC_TEST_RUSTC:-}" ]; then echo "other $MIRDC_TEST_RUSTC -"; fi
}

# For packages with a host part: the libraries of the build, and none of the caller's choices.
host_programs() {
  build=${BUILD:-$top/build}
  export PATH=$build/bin:$PATH MIRDC_LIB_DIR=$build/lib LD_LIBRARY_PATH=$build/lib CARGO_NET_OFFLINE=true
  unset MIRDC_DIR CARGO_TARGET_DIR RUSTC RUSTC_WRAPPER MIRDC_SKIP
}

# True when Rust programs cannot be linked with the libraries of this build.
sanitized() { nm -D "$build/lib/libmirdc.so.0" | grep -q __asan_init; }
end_if_sanitized() {
  sanitized || return 0
  echo "ok libmirdc has sanitizers, which a Rust program lacks: nothing is run"
  exit 0
}

# app_manifest FEATURE: Cargo.toml of a package whose build script makes its bundle, in the current folder.
app_manifest() {
  cat <<T
[package]
name = "app"
version = "0.1.0"
edition = "2021"
[dependencies]
mirdc = { path = "$crates/mirdc" }
mirdc-host = { path = "$crates/mirdc-host", features = ["$1"] }
[build-dependencies]
mirdc-build = { path = "$crates/mirdc-build" }
[workspace]
T
}

device_flags="-Copt-level=3 -Cpanic=abort -Zinline-mir=yes -Zinline-mir-threshold=1000000
-Zinline-mir-hint-threshold=1000000 -Zinline-mir-forwarder-threshold=1000000
-Zinline-mir-preserve-debug=no -Zub-checks=no -Ztrim-diagnostic-paths=no -Zverbose-internals
-Zmir-enable-passes=-JumpThreading,-SimplifyComparisonIntegral --cfg mirdc_device"

# dump_mir RUSTC FILE OUT EXTRA...: the MIR of a device build of FILE.
dump_mir() {
  local rustc=$1 file=$2 out=$3 d=$work/lib
  shift 3
  mkdir -p "$d"
  export RUSTC_BOOTSTRAP=1
  "$rustc" --edition 2021 --crate-type proc-macro --crate-name mirdc_macros \
    "$crates/mirdc-macros/src/lib.rs" --out-dir "$d" || return 1
  "$rustc" --edition 2021 --crate-type rlib --crate-name mirdc "$crates/mirdc/src/lib.rs" \
    --emit metadata --out-dir "$d" --extern mirdc_macros="$d/libmirdc_macros.so" $device_flags \
    -Zcross-crate-inline-threshold=always -Zalways-encode-mir "$@" || return 1
  "$rustc" --edition 2021 --crate-type rlib --crate-name k "$file" --emit mir="$out" -Zno-codegen \
    --extern mirdc="$d/libmirdc.rmeta" -L "$d" $device_flags "$@"
}
