#!/bin/bash
# slow
# Kernels that call functions of other crates: path dependencies and crates from a folder of vendored ones.
. "$(dirname "$0")/crate_common.bash"
export PATH=${BUILD:-$top/build}/bin:$PATH
unset RUSTC RUSTC_WRAPPER MIRDC_RECORD_DIR CARGO_TARGET_DIR
while read -r label rustc cargo; do
  if [ "$cargo" != - ]; then python3 "$top/test/e2e/deps_run.py" "$rustc" "$label" || failed=1; fi
done < <(toolchains)
exit $failed
