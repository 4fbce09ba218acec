#!/bin/bash
# What rustc prints for kernels that use the device crate: descriptors, flat bodies, memory rules.
. "$(dirname "$0")/crate_common.bash"
here=$top/test/e2e/crate_mir
n=0
while read -r label rustc _; do
  n=$((n + 1))
  for checks in off on; do
    rm -rf "$work/lib"
    if dump_mir "$rustc" "$here/kernels.rs" "$work/k.mir" -Coverflow-checks=$checks \
      -Cdebug-assertions=$checks >"$work/log" 2>&1; then
      ok "$label: the device crate and the kernels compile with checks $checks"
      [ -s "$work/log" ] && { not_ok "$label: no warnings"; cat "$work/log"; }
      python3 "$here/look.py" "$label, checks $checks" "$work/k.mir" "$here/kernels.rs" \
        "$top/ir/device_ops.def" || failed=1
    else
      not_ok "$label: the device crate and the kernels compile with checks $checks"
      tail -40 "$work/log"
    fi
  done
done < <(toolchains)
names() { grep -ohE "$1" "${@:2}" | sed 's/.*__mirdc_//; s/.*(//' | sort -u; }
names '\b__mirdc_[a-z0-9_]+' -r "$crates/mirdc/src" | grep -vx 'device_or_host' >"$work/crate"
names 'DEVOP\([a-z]\w*' "$top/ir/device_ops.def" | grep -vx name >"$work/table"
check "the crate declares exactly the operations of the compiler's table" \
  diff "$work/crate" "$work/table"
[ $n -gt 0 ] || not_ok "a Rust toolchain is there"
exit $failed
