#!/bin/sh
# Fetches the CUDA parts that mirdc uses from PyPI and unpacks them into a folder.
#
#   fetch.sh [DEST [REQUIREMENTS [PIP-ARGS…]]]
#
# DEST is .toolchain/cuda of the source tree unless given. Each wheel's digest is pinned in
# requirements.txt; pip refuses anything else. PIP-ARGS are passed on, for instance
# --no-index --find-links DIR for a local index.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dest=${1:-$here/../../.toolchain/cuda}
req=${2:-$here/requirements.txt}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] && shift
python=${PYTHON:-/usr/bin/python3}
"$python" -m pip --version >/dev/null 2>&1 || {
  echo "fetch.sh: python3 with pip is needed to fetch the CUDA parts (Debian: python3-pip)" >&2
  exit 1
}
mkdir -p "$(dirname "$dest")"
tmp=$(mktemp -d "$(dirname "$dest")/.fetch-XXXXXX")
trap 'rm -rf "$tmp"' EXIT INT TERM
if ! "$python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
  --only-binary=:all: --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 \
  --platform manylinux2010_x86_64 --platform manylinux_2_12_x86_64 --platform any \
  -d "$tmp/wheels" -r "$req" "$@" >"$tmp/log" 2>&1; then
  cat "$tmp/log" >&2
  cat >&2 <<'MSG'
fetch.sh: the CUDA parts could not be fetched.
  Install the CUDA toolkit 13.0 and set CUDA_HOME to its folder, or let this machine reach PyPI.
MSG
  exit 1
fi
mkdir "$tmp/tree"
for wheel in "$tmp"/wheels/*.whl; do
  "$python" - "$wheel" "$tmp/tree" <<'PY'
import os, sys, zipfile
wheel, dest = sys.argv[1:]
with zipfile.ZipFile(wheel) as z:
    for i in z.infolist():
        name = os.path.normpath(i.filename)
        if name.startswith(("/", "..")):
            sys.exit("fetch.sh: %s holds a path outside of itself: %s" % (wheel, i.filename))
        z.extract(i, dest)
        mode = i.external_attr >> 16 & 0o777
        if mode and not i.is_dir():
            os.chmod(os.path.join(dest, name), mode | 0o600)
PY
done
for f in libnvvm.so.4 libnvJitLink.so.13 libdevice.10.bc; do
  [ -n "$(find "$tmp/tree" -name "$f")" ] || {
    echo "fetch.sh: the wheels lack $f" >&2
    exit 1
  }
done
rm -rf "$dest"
mv "$tmp/tree" "$dest"
echo "CUDA parts are in $dest"
