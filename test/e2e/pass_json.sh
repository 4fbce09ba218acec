#!/bin/bash
# With --message-format json, rustc's own errors and warnings are JSON lines on stdout like ours.
. "$(dirname "$0")/crate_common.bash"
export PATH=${BUILD:-$top/build}/bin:$PATH NO_COLOR=1
unset RUSTC RUSTC_WRAPPER MIRDC_RECORD_DIR
cd "$work"
echo 'pub fn k(x: u32) -> u8 { x }' >wrong.rs
echo 'pub fn k(x: u32) -> u32 { let y = 3; x }' >warned.rs
echo 'pub fn k(x: u32) -> u32 { let a = [1, 2]; a[5] + x }' >lint.rs
echo 'pub fn k(x: u32) -> u32 { print!("a"); x }' >ours.rs
# one NAME LEVEL CODE: some line says so, all lines are JSON, and no text comes beside them
one() {
  mirdc-rustc --entry k --message-format json -o "$1.json" "$1.rs" >out.txt 2>err.txt
  [ ! -s err.txt ] && /usr/bin/python3 - "$2" "$3" out.txt <<'P'
import json, sys
lines = [json.loads(l) for l in open(sys.argv[3])]
def code(l):
    return (l.get("code") or {}).get("code")
sys.exit(0 if any(l["level"] == sys.argv[1] and code(l) == sys.argv[2] and l["spans"] for l in lines) else 1)
P
}
check "an error of rustc's" one wrong error E0308
check "a warning" one warned warning unused_variables
check "... of a program that is taken" test -s warned.json
check "a lint that only code generation brings" one lint error unconditional_panic
check "an error of ours" one ours error MD0179
exit $failed
