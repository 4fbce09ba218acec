#!/bin/sh
# mirdc-read on files: extraction, unwritable outputs, odd inputs, and the artifacts of a Cargo package.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
read=${BUILD:-$root/build}/bin/mirdc-read
files=$root/test/golden/read/_files
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
status=0

check() { # NAME, then a command that must succeed
  name=$1
  shift
  if "$@" >out.txt 2>&1; then
    echo "ok $name"
  else
    echo "not ok $name"
    sed 's/^/  /' out.txt
    status=1
  fi
}
exits() { # STATUS, TEXT in the output, then the command
  want=$1 text=$2
  shift 2
  "$@" >got.txt 2>&1 </dev/null
  got=$?
  cat got.txt
  [ "$got" = "$want" ] && grep -q -e "$text" got.txt
}

check "an extracted cubin is the one that went in" \
  sh -c "'$read' -x cubin:sm_90:0 -o k.cubin '$files/full.mirdc' && cmp k.cubin '$files/k.90.cubin'"
check "standard output takes a payload too" \
  sh -c "'$read' -x ltoir -o - '$files/full.mirdc' | cmp - '$files/k.ltoir'"
check "a payload can be taken from a host file" \
  exits 1 "several payloads" "$read" -x cubin:sm_90 -o x "$files/host.o"
cp k.cubin kept
check "a failed extraction keeps the file that was there" \
  sh -c "! '$read' -x cubin:sm_75 -o kept '$files/full.mirdc' && cmp kept k.cubin"
check "a folder that does not exist is reported" \
  exits 1 "MD0" "$read" -x ltoir -o no/such/file "$files/full.mirdc"
check "a full device is no success" \
  sh -c "'$read' '$files/full.mirdc' >/dev/full 2>err.txt; [ \$? = 1 ] && grep -q 'cannot be written' err.txt"
mkfifo pipe
check "a pipe is refused, not waited for" exits 1 "MD0" "$read" pipe
check "a device is refused" exits 1 "MD0" "$read" /dev/zero
ln -s loop loop
check "a link in a circle is refused" exits 1 "MD0" "$read" loop
check "a file without permission is refused" \
  sh -c "[ \$(id -u) = 0 ] && exit 0; touch shut; chmod 0 shut; ! '$read' shut"
truncate -s 300M zeros
check "300 MB of zeros are refused" exits 1 MD0540 "$read" zeros
head -c 8 "$files/full.mirdc" >long
truncate -s 300M long
check "a header in front of 300 MB of zeros is refused" exits 1 MD0504 "$read" long
check "a program finds its own embedded bundles" sh -c "
  printf '.section mirdc_bundle,\"a\"\n.balign 16\n.incbin \"%s\"\n' '$files/plain.mirdc' >e.s &&
  printf 'int main(void){return 0;}\n' >e.c && ${CC:-cc} -o e e.c e.s && '$read' --check e && '$read' e | grep -q 'kernel     saxpy'"
check "stripping keeps them" sh -c "strip -s e && '$read' --check e"
check "each cut of a host file is refused or read, never a crash" sh -c "
  for n in 0 1 15 16 63 64 65 200 1000 5000 9000 12000 20000; do
    head -c \$n '$files/host.o' >cut; '$read' cut >/dev/null 2>&1; [ \$? -le 1 ] || exit 1; done"

# A workspace with a member, as Cargo sees it.
if command -v cargo >/dev/null; then
  mkdir -p ws/member/src "ws/target/mirdc/debug"
  printf '[workspace]\nmembers = ["member"]\nresolver = "2"\n' >ws/Cargo.toml
  printf '[package]\nname = "member"\nversion = "0.1.0"\nedition = "2021"\n' >ws/member/Cargo.toml
  echo >ws/member/src/lib.rs
  cp "$files/plain.mirdc" ws/target/mirdc/debug/member.lib.member.mirdc
  unset CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR CARGO_BUILD_BUILD_DIR MIRDC_DIR
  check "a member's artifact is found from the workspace" sh -c "cd ws && '$read' -p member --check"
  check "a member's artifact is found from the member" sh -c "cd ws/member/src && '$read' -p member --check"
  check "and from anywhere by the manifest" "$read" -p member --manifest-path ws/Cargo.toml --check
  check "a target that was not built is named" \
    exits 1 'member.lib.member.mirdc' "$read" -p member --profile release --manifest-path ws/Cargo.toml
  check "outside of a package Cargo's words are shown" sh -c "cd / && '$read' -p member 2>&1 | grep -q 'could not find'"
fi
exit $status
