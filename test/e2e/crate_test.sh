#!/bin/bash
# The device crate's own tests, and the host tests of every example, by plain `cargo test`.
. "$(dirname "$0")/crate_common.bash"
while read -r label rustc cargo; do
  [ "$cargo" = - ] && continue
  export RUSTC=$rustc RUSTDOC=$(dirname "$rustc")/rustdoc CARGO_TARGET_DIR=$work/target-$label
  check "$label: tests of the device crate pass" \
    "$cargo" test -q --offline --manifest-path "$crates/mirdc/Cargo.toml"
  for example in "$top"/examples/*/Cargo.toml; do
    name=$(basename "$(dirname "$example")")
    grep -q '#\[test\]' "$top/examples/$name"/src/*.rs || continue
    [ "$label" = stable ] || [ "$name" = saxpy ] || continue
    check "$label: host tests of the example $name pass" \
      "$cargo" test -q --offline --lib --manifest-path "$example"
  done
done < <(toolchains)
# Format and lints, with the tools of the stable toolchain.
if cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1; then
  unset RUSTC RUSTDOC
  export CARGO_TARGET_DIR=$work/target-lint
  for c in mirdc mirdc-macros mirdc-build mirdc-host; do
    check "$c is formatted" cargo fmt --check --manifest-path "$crates/$c/Cargo.toml"
    check "$c has no lints" cargo clippy -q --offline --all-targets --manifest-path "$crates/$c/Cargo.toml" \
      $([ $c = mirdc-host ] && echo --features link) -- -Dwarnings
  done
fi
exit $failed
