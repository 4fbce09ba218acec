#!/bin/bash
# From Rust to prepared MIR on each toolchain: equal bytes from different folders, the profile's facts,
# entries by name, exports, statics by space, inline PTX, launch facts, messages, and a failed run
# that leaves the old file alone.
. "$(dirname "$0")/crate_common.bash"
export PATH=${BUILD:-$top/build}/bin:$PATH NO_COLOR=1
unset RUSTC RUSTC_WRAPPER MIRDC_RECORD_DIR

kernels=$top/test/e2e/pass_prepare/kernels.rs
look=$top/test/e2e/pass_prepare/look.py

same_bytes() { # RUSTC: two folders of different length, two caches
  local d
  for d in a a/much/longer/way; do
    mkdir -p "$work/$d"
    cp "$kernels" "$work/$d/kernels.rs"
    (cd "$work/$d" && RUSTC=$1 mirdc-rustc --cache-dir "$work/$d/cache" --out k.json kernels.rs) || return 1
  done
  cmp "$work/a/k.json" "$work/a/much/longer/way/k.json" || return 1
  # The same file by its absolute path, from elsewhere.
  (cd / && RUSTC=$1 mirdc-rustc --out "$work/abs.json" "$work/a/kernels.rs") || return 1
  cmp "$work/a/k.json" "$work/abs.json"
}

no_traces() { # nothing of this machine in the file
  ! grep -qF -e "$work" -e "$HOME/" -e "$top" -e /rustc/ -e /usr/src -e rustlib "$work/a/k.json"
}

old_file_stays() { # RUSTC
  cp "$work/a/k.json" "$work/old.json"
  echo '#[mirdc::kernel] pub fn k(x: *mut u32) { let v: u32 = "text"; }' >"$work/bad.rs"
  RUSTC=$1 mirdc-rustc --out "$work/old.json" "$work/bad.rs" 2>"$work/err" && return 1
  cmp "$work/a/k.json" "$work/old.json" && grep -q 'E0308' "$work/err" || return 1
  [ "$(find "$work" -maxdepth 1 -name 'old.json*' | wc -l)" = 1 ]
}

messages_as_json() { # RUSTC: an error of the pass is one JSON line with code and span
  echo 'pub fn k(x: &dyn Fn(u32) -> u32) -> u32 { x(1) }' >"$work/dyn.rs"
  RUSTC=$1 mirdc-rustc --message-format json --entry k --out "$work/o.json" "$work/dyn.rs" >"$work/lines"
  [ $? = 1 ] && /usr/bin/python3 -c '
import json, sys
d = [json.loads(l) for l in open(sys.argv[1])]
e = [x for x in d if x.get("code") and x["code"]["code"] == "MD0189"]
assert e and e[0]["spans"][0]["line_start"] == 1, d' "$work/lines"
}

while read -r label rustc _; do
  rm -rf "$work/a"
  check "$label: two folders and an absolute path give the same bytes" same_bytes "$rustc"
  check "$label: no trace of this machine" no_traces
  check "$label: the verifier takes it" mirdc check "$work/a/k.json"
  check "$label: kernels, launch facts, statics, exports are as written" \
    /usr/bin/python3 "$look" "$work/a/k.json" dev
  check "$label: a release build" env RUSTC="$rustc" mirdc-rustc --out "$work/r.json" "$kernels" -- \
    -Copt-level=3 -Cdebug-assertions=off --cfg 'feature="wide"'
  check "$label: its facts differ" /usr/bin/python3 "$look" "$work/r.json" release
  check "$label: a plain function as entry" env RUSTC="$rustc" mirdc-rustc --entry inner::plain=run \
    --out "$work/e.json" "$kernels"
  check "$label: its result goes to one more parameter" /usr/bin/python3 "$look" "$work/e.json" entry
  check "$label: the verifier takes the entry" mirdc check "$work/e.json"
  check "$label: functions that panic" env RUSTC="$rustc" mirdc-rustc --out "$work/p.json" \
    --entry equal --entry differ --entry never --entry wanted --entry unwrapped --entry strict \
    --entry range --entry element --entry divided "$top/test/e2e/pass_prepare/panics.rs"
  check "$label: they stop for the reason in the source" \
    /usr/bin/python3 "$top/test/e2e/pass_prepare/panics.py" "$work/p.json"
  check "$label: a failed run leaves the old file alone" old_file_stays "$rustc"
  check "$label: errors as JSON" messages_as_json "$rustc"
done < <(toolchains)
options_in_manual() {
  local o
  for o in $(mirdc-rustc --complete); do
    grep -q -- "Fl -${o#--}" "$top/docs/mirdc-rustc.1" || { echo "$o"; return 1; }
    mirdc-rustc --help | grep -q -- "$o" || return 1
  done
}
check "each option is in the manual and in the help" options_in_manual
exit $failed
