#!/bin/bash
# `make install` honours DESTDIR and prefix, and what it installed works from any folder with nothing
# but its own bin on PATH; `make uninstall` leaves nothing.
set -u
cd "$SRC" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail=0
check() {
  if [ "$2" = 0 ]; then echo "ok $1"; else echo "not ok $1"; cat "$work/out"; fail=1; fi
}
make -s install B="$BUILD" DESTDIR="$work/root" prefix=/opt/mirdc >"$work/out" 2>&1
check "make install" $?
at=$work/root/opt/mirdc
ls "$at/bin/mirdc" "$at/bin/cargo-mirdc" "$at/bin/mirdc-read" "$at/bin/mirdc-rustc" "$at/lib/libmirdc.so.0" \
  "$at/include/mirdc.h" "$at/share/man/man1/mirdc.1" "$at/share/mirdc/crates/mirdc/src/lib.rs" >"$work/out" 2>&1
check "programs, libraries, header, manual and crates are installed" $?
export PATH=$at/bin:$(printf '%s' "$PATH" | tr ':' '\n' | grep -v "^$BUILD/bin\$" | paste -sd:)
export XDG_CACHE_HOME=$work/cache
mkdir "$work/elsewhere"
cp examples/saxpy/src/lib.rs "$work/elsewhere/saxpy.rs"
cd "$work/elsewhere" || exit 1
mirdc compile saxpy.rs -q >"$work/out" 2>&1 && mirdc-read --check saxpy.mirdc >"$work/out" 2>&1
check "a file compiles with the installed programs alone" $?
! grep -q "$SRC" saxpy.mirdc saxpy.record.json
check "no path of the source tree is in the artifacts" $?
mkdir -p app/src
cp saxpy.rs app/src/lib.rs
cat >app/Cargo.toml <<TOML
[package]
name = "app"
version = "0.1.0"
edition = "2021"
[dependencies]
mirdc = { path = "$at/share/mirdc/crates/mirdc" }
[workspace]
TOML
(cd app && cargo mirdc build --release --out-dir "$work/art" -q) >"$work/out" 2>&1 &&
  find "$work/art" -name '*.mirdc' | grep -q app.lib.app
check "a package compiles with cargo mirdc" $?
make -s -C "$SRC" uninstall B="$BUILD" DESTDIR="$work/root" prefix=/opt/mirdc >"$work/out" 2>&1
[ -z "$(find "$work/root" -type f -o -type l)" ]
check "make uninstall leaves no file" $?
exit $fail
