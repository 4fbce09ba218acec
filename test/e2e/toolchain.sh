#!/bin/bash
# The CUDA parts as wheels: fetched from a local index made of the installed toolkit, unpacked,
# found and used; a wheel with another digest is refused.
# slow
set -u
cd "$SRC" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail=0
check() {
  if [ "$2" = 0 ]; then echo "ok $1"; else echo "not ok $1"; fail=1; fi
}
lib=$(mirdc doctor --message-format json | /usr/bin/python3 -c '
import json, sys
for p in json.load(sys.stdin)["parts"]:
    print(p["name"] + "=" + (p["path"] or ""))')
path_of() { printf '%s\n' "$lib" | sed -n "s/^$1=//p"; }
/usr/bin/python3 - "$work" "$(path_of libNVVM)" "$(path_of nvJitLink)" "$(path_of libdevice)" <<'PY'
import hashlib, os, sys, zipfile
work, nvvm, link, dev = sys.argv[1:]
os.mkdir(work + "/index")
def wheel(name, files):
    path = "%s/index/%s-13.0.88-py3-none-manylinux2014_x86_64.whl" % (work, name.replace("-", "_"))
    info = name.replace("-", "_") + "-13.0.88.dist-info/"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as z:
        for src, dst in files:
            z.write(os.path.realpath(src), dst)
        z.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: %s\nVersion: 13.0.88\n" % name)
        z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-manylinux2014_x86_64\n")
        z.writestr(info + "RECORD", "")
    return hashlib.sha256(open(path, "rb").read()).hexdigest()
rows = [("nvidia-nvvm", [(nvvm, "nvidia/cu13/lib/libnvvm.so.4"),
                         (dev, "nvidia/cu13/nvvm/libdevice/libdevice.10.bc")]),
        ("nvidia-nvjitlink", [(link, "nvidia/cu13/lib/libnvJitLink.so.13")])]
with open(work + "/req.txt", "w") as good, open(work + "/bad.txt", "w") as bad:
    for name, files in rows:
        digest = wheel(name, files)
        good.write("%s==13.0.88 --hash=sha256:%s\n" % (name, digest))
        bad.write("%s==13.0.88 --hash=sha256:%s\n" % (name, digest[::-1]))
PY
linkers/toolchain/fetch.sh "$work/cuda" "$work/req.txt" --no-index --find-links "$work/index" >"$work/out" 2>&1
check "wheels are fetched and unpacked" $?
linkers/toolchain/fetch.sh "$work/bad" "$work/bad.txt" --no-index --find-links "$work/index" >"$work/out" 2>&1
[ $? != 0 ] && [ ! -e "$work/bad" ] && grep -q 'could not be fetched' "$work/out"
check "a wheel with another digest is refused and nothing is left" $?
MIRDC_CUDA=$work/cuda mirdc doctor | grep -q "$work/cuda/nvidia/cu13/lib/libnvvm.so.4"
check "the doctor finds the fetched parts" $?
MIRDC_CUDA=$work/cuda mirdc compile examples/saxpy/src/lib.rs --target-name saxpy --cache-dir "$work/cache" \
  --out-dir "$work/o" -q
check "saxpy compiles with the fetched parts alone" $?
exit $fail
