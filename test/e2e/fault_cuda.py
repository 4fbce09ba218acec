"""CUDA libraries that are missing, damaged, of another kind, that fail or that lie: one coded message that names
what was tried, and the artifacts of the run before stay."""
import json, os, shutil, subprocess, sys
from fault_lib import *

LIBS = ("libnvvm.so.4", "libnvJitLink.so.13")
FAKE = os.path.join(ROOT, "test/e2e/fault_fakecuda.c")


def real_parts(p):
    d = run([MIRDC, "doctor", "--message-format", "json"], env=p.env())
    return {x["name"]: x["path"] for x in json.loads(d.out)["parts"]}


def toolkit(p, name, nvvm, jit, device):
    """A toolkit made of links or copies; None leaves a part out."""
    root = os.path.join(p.dir, name)
    os.makedirs(os.path.join(root, "lib"))
    os.makedirs(os.path.join(root, "nvvm/libdevice"))
    for what, where in ((nvvm, "lib/" + LIBS[0]), (jit, "lib/" + LIBS[1]), (device, "nvvm/libdevice/libdevice.10.bc")):
        if what is not None:
            os.symlink(what, os.path.join(root, where))
    return root


def missing(p, parts, before):
    nvvm, jit, dev = parts["libNVVM"], parts["nvJitLink"], parts["libdevice"]
    empty = toolkit(p, "empty", None, None, None)
    for how, args, env in (("--cuda", ["--cuda", empty], {}), ("MIRDC_CUDA", [], {"MIRDC_CUDA": empty})):
        refused("an empty toolkit named by %s is refused with the place" % how, p.compile("--fmad", "off", *args, env=env),
                "MD0400", empty, before, p.out)
    refused("a toolkit that is a file is refused", p.compile("--cuda", p.dump), "MD0404", p.dump, before, p.out)
    refused("a toolkit that is nowhere is refused", p.compile("--cuda", p.dir + "/no"), "MD0404", p.dir + "/no", before, p.out)
    for name, kit in (("libNVVM", (None, jit, dev)), ("nvJitLink", (nvvm, None, dev)), ("libdevice", (nvvm, jit, None))):
        refused("a toolkit without %s is refused by that name" % name,
                p.compile("--fmad", "off", "--cuda", toolkit(p, "no " + name, *kit)), "MD0400", name, before, p.out)
    d = p.compile("--cuda", empty, "--emit", "llvm,nvvm,pmir")
    check("what needs no CUDA library is made without one", d.rc == 0, d)
    d = run([MIRDC, "check", p.dump, "-q"], env=p.env({"MIRDC_CUDA": empty}))
    check("`check` needs none", d.rc == 0, d)
    d = run([MIRDC, "doctor"], env=p.env({"MIRDC_CUDA": empty}))
    check("`doctor` says what is missing, with status 1", d.rc == 1 and "libNVVM" in d.out and "MISSING" in d.out, d)


def wrong(p, parts, before):
    nvvm, jit, dev = parts["libNVVM"], parts["nvJitLink"], parts["libdevice"]
    text, cut, other = (os.path.join(p.dir, n) for n in ("text.so", "cut.so", "other.so"))
    with open(text, "w") as f:
        f.write("not a library\n")
    with open(nvvm, "rb") as f, open(cut, "wb") as g:
        g.write(f.read(100000))
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", other, "-"], input=b"int nothing(void){return 0;}", check=True)
    for i, (name, lib) in enumerate((("text", text), ("half of a library", cut), ("a library without the functions", other))):
        refused("%s in place of libNVVM is refused" % name,
                p.compile("--fmad", "off", "--cuda", toolkit(p, "n%d" % i, lib, jit, dev)), "MD0402", "libnvvm.so", before, p.out)
        refused("%s in place of nvJitLink is refused" % name,
                p.compile("--fmad", "off", "--cuda", toolkit(p, "j%d" % i, nvvm, lib, dev)), "MD0402", "libnvJitLink.so", before, p.out)
    folder = os.path.join(p.dir, "folder.so")
    os.mkdir(folder)
    d = p.compile("--fmad", "off", "--cuda", toolkit(p, "nf", folder, jit, dev))
    check("a folder in place of libNVVM is refused", d.rc == 1 and len(d.codes) == 1 and snapshot(p.out) == before, d)
    math = os.path.join(ROOT, "test/e2e/fault_math.rs")
    kit = toolkit(p, "d0", nvvm, jit, text)
    d = run([MIRDC, "compile", math, "--out-dir", p.out, "--cuda", kit], env=p.env())
    check("text in place of libdevice is refused where it is needed", d.rc == 1 and len(d.codes) == 1
          and snapshot(p.out) == before, d)


def lying(p, parts, before):
    nvvm, jit, dev = parts["libNVVM"], parts["nvJitLink"], parts["libdevice"]
    fake = os.path.join(p.dir, "fake.so")
    if subprocess.run(["cc", "-shared", "-fPIC", "-o", fake, FAKE]).returncode != 0:
        check("the stand-in library builds", False)
        return
    kits = (("libNVVM", toolkit(p, "fn", fake, jit, dev)), ("nvJitLink", toolkit(p, "fj", nvvm, fake, dev)))
    modes = ["empty", "huge", "zeros", "garbage", "no size", "no product", "no program", "no module", "not compiled",
             "long log"]
    # What the stand-in does not return as an image is refused; nothing is kept in the cache.
    for which, kit in kits:
        for mode in modes + (["no version", "other version", "not verified"] if which == "libNVVM" else []):
            d = p.compile("--fmad", "off", "--cuda", kit, env={"FAKE_CUDA": mode})
            ok = d.rc == 1 and len(d.codes) == 1 and d.errors == 1 and d.out == "" and snapshot(p.out) == before
            check("a stand-in for %s (%s) is refused" % (which, mode), ok, d)


def replaced(p, parts):
    """Another library is another key: nothing that it made before is taken from the cache."""
    nvvm, jit, dev = parts["libNVVM"], parts["nvJitLink"], parts["libdevice"]
    fake = os.path.join(p.dir, "fake.so")
    root = toolkit(p, "swap", nvvm, jit, dev)
    d = p.compile("--cuda", root)
    check("a toolkit of links works", d.rc == 0, d)
    before = snapshot(p.out)
    os.remove(os.path.join(root, "lib", LIBS[1]))
    shutil.copy(fake, os.path.join(root, "lib", LIBS[1]))
    d = p.compile("--cuda", root, env={"FAKE_CUDA": "garbage"})
    check("a library replaced after a good run is used, not the cache", d.rc == 1 and len(d.codes) == 1
          and snapshot(p.out) == before, d)
    os.remove(os.path.join(root, "lib", LIBS[1]))
    os.symlink(jit, os.path.join(root, "lib", LIBS[1]))
    d = p.compile("--cuda", root)
    check("with the old library back the result is the old one", d.rc == 0 and snapshot(p.out, False) ==
          {k: (v[0], 0) for k, v in before.items()}, d)


def damaged_cache(p):
    """Whatever lies in the cache, the result is the same."""
    shutil.rmtree(p.cache)
    check("a fresh cache", p.compile("--emit", "bundle,ltoir,cubin").rc == 0)
    want = snapshot(p.out, False)
    bad = []
    files = [os.path.join(r, n) for r, _, names in os.walk(p.cache) for n in names]
    for damage in (b"", b"garbage", None):
        for f in files:
            if os.path.exists(f):
                with open(f, "rb") as fh:
                    old = fh.read()
                with open(f, "wb") as fh:
                    fh.write(damage if damage is not None else old[: len(old) // 2] + b"\x00" + old[len(old) // 2 + 1:])
        d = p.compile("--emit", "bundle,ltoir,cubin")
        if d.rc != 0 or snapshot(p.out, False) != want:
            bad.append((damage, str(d)))
    check("a damaged cache changes no result", not bad, bad)


def spoken(p, parts):
    """-v says which libraries were used and what came from the cache; -q says nothing at all."""
    args = ("--emit", "bundle,ptx", "--max-registers", "40")
    first, second = p.compile("-v", *args), p.compile("-v", *args)
    check("-v names the libraries", all("%s: %s (" % (n, parts[n]) in first.out for n in ("libNVVM", "nvJitLink")), first)
    check("-v says what was linked", "cubin for sm_90 linked, PTX for sm_90 linked" in first.out, first)
    check("-v says what came from the cache", "LTO-IR from the cache, cubin for sm_90 from the cache" in second.out, second)
    quiet = p.compile("-q", *args)
    check("-q says nothing", quiet.rc == 0 and quiet.out == quiet.err == "", quiet)


def own_library(p):
    """Programs of mirdc without their companions."""
    root = os.path.join(p.dir, "alone")
    os.makedirs(root + "/bin")
    shutil.copy(MIRDC, root + "/bin")
    alone = root + "/bin/mirdc"
    env = p.env({"PATH": "/nonexistent"})
    out = p.out + "-alone"
    d = run([alone, "compile", p.dump, "--out-dir", out], env=env)
    refused("mirdc without its lowering library says so", d, "MD0018", "libmirdc-lower.so")
    os.makedirs(root + "/lib")
    with open(root + "/lib/libmirdc-lower.so", "w") as f:
        f.write("text")
    refused("a lowering library that is text is refused", run([alone, "compile", p.dump, "--out-dir", out], env=env), "MD0018", "")
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", root + "/lib/libmirdc-lower.so", "-"],
                   input=b"int mirdc_lower_abi(void){return 9999;} int mirdc_lower; int mirdc_lower_free;", check=True)
    refused("a lowering library of another version is refused", run([alone, "compile", p.dump, "--out-dir", out], env=env), "MD0018",
            "another version")
    source = os.path.join(p.dir, "k.rs")
    with open(source, "w") as f:
        f.write("fn main() {}\n")
    refused("mirdc without the pass says so", run([alone, "compile", source, "--out-dir", out], env=env), "MD0017", "mirdc-rustc")
    with open(root + "/bin/mirdc-rustc", "w") as f:
        f.write("#!/bin/sh\nkill -9 $$\n")
    os.chmod(root + "/bin/mirdc-rustc", 0o755)
    refused("a pass that is killed is reported", run([alone, "compile", source, "--out-dir", out], env=env), "MD0017", "signal 9")
    with open(root + "/bin/mirdc-rustc", "w") as f:
        f.write("#!/bin/sh\nexit 0\n")
    refused("a pass that succeeds without a dump is reported", run([alone, "compile", source, "--out-dir", out], env=env),
            "MD0001", "dump.pmir.json")
    with open(root + "/bin/mirdc-rustc", "w") as f:
        f.write("no program\n")
    d = run([alone, "compile", source, "--out-dir", out], env=env)
    check("a pass that is no program is reported", d.rc == 1 and len(d.codes) == 1, d)
    check("and none of these made a folder", not os.path.exists(out))


def main():
    with Place() as p:
        check("the sound run", p.compile("--emit", "bundle,record,ltoir,cubin").rc == 0)
        before = snapshot(p.out)
        parts = real_parts(p)
        wrong(p, parts, before)
        if not SANITIZED:
            lying(p, parts, before)
            replaced(p, parts)
        missing(p, parts, snapshot(p.out))
        damaged_cache(p)
        spoken(p, parts)
        own_library(p)


main()
finish()
