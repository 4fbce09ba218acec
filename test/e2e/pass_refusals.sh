#!/bin/bash
# What kernels may not do is refused with a code, at the line, with advice, and nothing is written.
. "$(dirname "$0")/crate_common.bash"
export PATH=${BUILD:-$top/build}/bin:$PATH
unset RUSTC RUSTC_WRAPPER MIRDC_RECORD_DIR
while read -r label rustc _; do
  python3 "$top/test/e2e/pass_refusals.py" "$rustc" "$label" || failed=1
done < <(toolchains)
exit $failed
