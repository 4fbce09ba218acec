#!/bin/sh
# Writes the dump of k.rs anew: dump.sh NAME RUSTC writes NAME.mir.
set -eu
cd "$(dirname "$0")"
flags="-Copt-level=3 -Coverflow-checks=on -Cpanic=abort -Zinline-mir=yes -Zinline-mir-threshold=1000000
  -Zinline-mir-hint-threshold=1000000 -Zinline-mir-forwarder-threshold=1000000
  -Zinline-mir-preserve-debug=no -Zub-checks=no -Ztrim-diagnostic-paths=no -Zverbose-internals
  -Zmir-enable-passes=-JumpThreading,-SimplifyComparisonIntegral --edition 2024"
export RUSTC_BOOTSTRAP=1
$2 $flags -Zmir-include-spans=yes -Zunpretty=mir k.rs -o "$1.mir"
