#!/bin/bash
# A rustc whose MIR text is changed on the way: the pass refuses with code, place, item and kernel,
# writes nothing, and does not mind what no kernel reaches. On each toolchain.
. "$(dirname "$0")/crate_common.bash"
export PATH=${BUILD:-$top/build}/bin:$PATH NO_COLOR=1
unset RUSTC RUSTC_WRAPPER MIRDC_RECORD_DIR

cat >"$work/k.rs" <<'EOF'
use mirdc::prelude::*;
static TABLE: [u32; 4] = [1, 2, 3, 4];
pub async fn host_only(x: u32) -> u32 {
    x
}
#[inline(never)]
pub fn helper(x: u32, d: u32) -> u32 {
    if d == 0 { x / 3 } else { helper(x ^ d, d - 1) }
}
#[mirdc::kernel]
pub fn k(out: *mut u32, s: (u8, u64)) {
    let i = mirdc::thread::x();
    let f = move |x: u32| x + s.0 as u32 + s.1 as u32;
    unsafe { *out.add(i as usize) = helper(f(i).rotate_left(i), 3) + TABLE[i as usize & 3] };
}
EOF

# The stand-in for rustc; DAMAGE is a sed script for each MIR text, CUT a number of lines to keep.
cat >"$work/rustc" <<'EOF'
#!/bin/bash
mir=
for a in "$@"; do
  case $a in --emit=*mir=*) mir=${a##*mir=} mir=${mir%%,*} ;; esac
done
"$REAL" "$@" || exit
[ -f "$mir" ] || exit 0
if [ -n "${DAMAGE:-}" ]; then sed -i "$DAMAGE" "$mir"; fi
if [ -n "${CUT:-}" ]; then head -n "$CUT" "$mir" >"$mir.cut" && mv "$mir.cut" "$mir"; fi
EOF
chmod +x "$work/rustc"

pass() {
  mirdc-rustc --rustc "$work/rustc" --cache-dir "$work/cache" -o "$work/k.pmir.json" "$work/k.rs" \
    -- --edition 2021 --crate-type lib >"$work/out" 2>&1
}
# refused NAME CODE SED TEXT...: the damage is answered with the code and each text.
refused() {
  local name="$label: $1" code=$2 text
  export DAMAGE=$3
  shift 3
  pass
  local rc=$?
  if [ $rc = 1 ] && grep -q "^error\[$code\]" "$work/out" && cmp -s "$work/k.pmir.json" "$work/good"; then
    ok "$name"
  else
    not_ok "$name (status $rc)"
    head -30 "$work/out"
  fi
  for text; do
    if ! grep -qF -- "$text" "$work/out"; then
      not_ok "$name: says $text"
      head -30 "$work/out"
    fi
  done
  unset DAMAGE
}

while read -r label REAL _; do
  export REAL
  rm -rf "$work/cache"
  if ! pass; then
    not_ok "$label: the kernel compiles"
    head -30 "$work/out"
    continue
  fi
  ok "$label: the kernel compiles, with an async fn beside it"
  cp "$work/k.pmir.json" "$work/good"
  refused "an unknown operator names item and kernel" MD0102 's/= Div(/= Frob(/' \
    'unit.mir:' '= Frob(' 'while reading `helper`' 'in kernel `k`'
  refused "an unknown statement" MD0103 's/^        return;/        ponder;/'
  refused "an unknown constant" MD0104 's/ConstValue(Scalar(0x00000003): u32)/ConstValue(Maybe(3): u32)/'
  refused "an unknown assertion" MD0110 's/"attempt to compute `{} + {}`/"attempt to guess `{} + {}`/'
  refused "an unknown way to unwind" MD0103 's/unwind unreachable/unwind sideways/'
  refused "a table that is too short" MD0107 's/^    01 00 00 00 02/    02/' 'is needed here'
  refused "an unknown intrinsic" MD0187 's/intrinsics::rotate_left/intrinsics::rotate_soft/' \
    'in kernel `k`'
  export CUT=60
  refused "a dump that is cut off" MD0106 '' 'the dump ends inside' 'cut off'
  unset CUT
  export DAMAGE='/^fn host_only/,/^}/s/return;/ponder;/'
  if pass && cmp -s "$work/k.pmir.json" "$work/good"; then
    ok "$label: damage that no kernel reaches changes nothing"
  else
    not_ok "$label: damage that no kernel reaches changes nothing"
    head -30 "$work/out"
  fi
  unset DAMAGE
  rm -f "$work/k.pmir.json"
done < <(toolchains)
exit $failed
