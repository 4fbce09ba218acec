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
exit $failed
