#!/bin/sh
# Statics that another linked input defines: compiled, linked with PTX, and missed by name without it.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
mirdc=${BUILD:-$root/build}/bin/mirdc
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
MIRDC_CACHE_DIR=$tmp/cache; export MIRDC_CACHE_DIR
"$mirdc" doctor >"$tmp/doctor" 2>&1 || { echo "not ok CUDA is found"; exit 1; }
cat >"$tmp/t.ptx" <<'P'
.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 table[4] = {11, 22, 33, 44};
.visible .global .align 4 .u32 counter = 5;
P
failed=0
if "$mirdc" compile "$root/test/e2e/extern_static.rs" --extern-lto "$tmp/t.ptx" -o "$tmp/a.mirdc" >"$tmp/log" 2>&1; then
  echo "ok statics of a linked input are found"
else
  echo "not ok statics of a linked input are found"; cat "$tmp/log"; failed=1
fi
if "$mirdc" compile "$root/test/e2e/extern_static.rs" -o "$tmp/b.mirdc" >"$tmp/log" 2>&1 || ! grep -q '`\(table\|counter\)`' "$tmp/log"; then
  echo "not ok without it the static is named"; cat "$tmp/log"; failed=1
else
  echo "ok without it the static is named"
fi
exit $failed
