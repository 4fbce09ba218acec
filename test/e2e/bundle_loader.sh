#!/bin/sh
# libmirdc against a stand-in for the CUDA driver, with no driver, and with one that has no device.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
lib=${LIB:-${BUILD:-$root/build}/lib}
files=$root/test/golden/read/_files
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$root" || exit 1
# A library built with sanitizers needs a program that has them too.
SANITIZE=
if nm -D "$lib/libmirdc.so.0" | grep -q __asan_init; then
  SANITIZE=-fsanitize=address,undefined
fi
${CC:-cc} -std=c17 -O1 -g -Wall -Wextra $SANITIZE -shared -fPIC -o "$tmp/libcuda.so.1" \
  test/e2e/fake_libcuda.c || exit 1
${CC:-cc} -std=c17 -O1 -g -Wall -Wextra $SANITIZE -I. -o "$tmp/loader" test/e2e/bundle_loader.c \
  "$lib/libmirdc.so.0" -Wl,-rpath,"$lib" || exit 1
set -- "$files/full.mirdc" "$files/plain.mirdc" "$files/host.o" "$files/short.mirdc"
status=0
MIRDC_LIBCUDA=$tmp/libcuda.so.1 "$tmp/loader" "$@" || status=1
MIRDC_LIBCUDA=$tmp/none.so NO_DRIVER="cannot be opened" "$tmp/loader" "$@" | sed 's/^ok/ok without a driver:/' >"$tmp/out"
grep -q 'all good' "$tmp/out" && echo "ok listing works without a driver" || { cat "$tmp/out"; echo "not ok listing works without a driver"; status=1; }
FAKE_NO_DEVICE=1 MIRDC_LIBCUDA=$tmp/libcuda.so.1 NO_DRIVER="CUDA_ERROR_NO_DEVICE" "$tmp/loader" "$@" >"$tmp/out"
grep -q 'all good' "$tmp/out" && echo "ok a driver without a device is reported" || { cat "$tmp/out"; echo "not ok a driver without a device is reported"; status=1; }

# A program that carries its bundle and opens itself, from C and from C++.
printf '.section mirdc_bundle,"a"\n.balign 16\n.incbin "%s"\n.section .note.GNU-stack,"",@progbits\n' "$files/full.mirdc" >"$tmp/embed.s"
cat >"$tmp/self.c" <<'END'
#include "bundles/mirdc.h"
int main(void) {
  mirdc_bundle *b = 0;
  mirdc_error err;
  int good = mirdc_open_self(&b, &err) == MIRDC_OK && mirdc_kernel_count(b) == 2;
  mirdc_close(b);
  return good ? 0 : 1;
}
END
cp "$tmp/self.c" "$tmp/self.cc"
for source in self.c self.cc; do
  compiler=${CC:-cc}
  [ $source = self.cc ] && compiler=${CXX:-c++}
  if $compiler -Wall -Wextra -Wpedantic -Werror $SANITIZE -I. -c -o "$tmp/self.o" "$tmp/$source" &&
    ${CC:-cc} -c -o "$tmp/embed.o" "$tmp/embed.s" &&
    $compiler $SANITIZE -o "$tmp/self" "$tmp/self.o" "$tmp/embed.o" "$lib/libmirdc.so.0" -Wl,-rpath,"$lib" &&
    strip -s "$tmp/self" && "$tmp/self"; then
    echo "ok a program opens its own bundle ($source)"
  else
    echo "not ok a program opens its own bundle ($source)"
    status=1
  fi
done

# What is exported may grow but not shrink, and nothing of the inside may be seen.
nm -D --defined-only "$lib/libmirdc.so.0" | sed -n 's/.* [TDBR] //p' | sed 's/@.*//' | grep -v '^LIBMIRDC_' | sort >"$tmp/now"
if comm -23 bundles/libmirdc.symbols "$tmp/now" | grep . || grep -v '^mirdc_' "$tmp/now"; then
  echo "not ok the exported symbols are kept"
  status=1
else
  echo "ok the exported symbols are kept"
fi
exit $status
