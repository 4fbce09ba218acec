"""The command line of `mirdc emulate`: arguments of every kind, statics, files, bundles; and kernels that never end
well: each is a coded finding at its line, within the time limit."""
import json, os, re, shutil, sys
from fault_lib import *

SOURCE = os.path.join(ROOT, "test/e2e/emulate/kernels.rs")
LINES = open(SOURCE, encoding="utf-8").read().split("\n")


def line_of(text):
    return next(i for i, line in enumerate(LINES, 1) if text in line)


def emulate(p, *args, **kw):
    return run([MIRDC, "emulate", p.dump] + list(args), cwd=p.dir, timeout=120, **kw)


def says(name, d, rc, out="", err=""):
    check(name, d.rc == rc and out in d.out and err in d.err, str(d))


def arguments(p):
    mixed = ["--kernel", "mixed", "--arg", "cam={u8:9; f32:1,2,3; f64:0.5}", "--arg", "flag=true", "--arg", "letter='k'",
             "--arg", "big=0x10000000000000000", "--arg", "p=u16:10,20,30,40",
             "--arg", "out={f64[4]; u64:4; u64:4}", "--out", "out.0"]
    d = emulate(p, *mixed)
    says("arguments of every kind", d, 0, "id 9 flag 1 letter 107 big 1\nout.0 = [11.5, 23, 34.5, 44.5]\n")
    d = emulate(p, *mixed, "--static", "TABLE=u32[4]:100", "--out", "CALLS", "--out", "TABLE")
    says("statics are set, and read back", d, 0, "CALLS = [9, 0, 0, 0]\nTABLE = [100, 100, 100, 100]\n")
    d = emulate(p, *[a.replace("p=u16:10,20,30,40", "p=null") for a in mixed])
    says("a null pointer", d, 0, "out.0 = [1.5, 3, 4.5, 4.5]")
    d = emulate(p, *[a.replace("{u8:9; f32:1,2,3; f64:0.5}", "hex:" + "00" * 23) for a in mixed])
    says("a struct of another size", d, 1, err="error[MD0841]: `cam=hex:%s` gives 23 bytes, and 24 are wanted" % ("00" * 23))
    d = emulate(p, *[a.replace("u64:4; u64:4}", "u64:4; u64:4; u64:4}") for a in mixed])
    says("a part too many", d, 1, err="part 3 goes beyond the parameter's 24 bytes")
    d = emulate(p, *[a.replace("big=0x1", "big=0x1000000000000000000") for a in mixed])
    says("a number out of range", d, 2, err="not a value of type u128")
    d = emulate(p, *mixed, "--out", "out.0=o.bin", "--static", "TABLE=hex:01")
    says("a static of another size", d, 1, err="gives 1 byte, and 16 are wanted")
    d = emulate(p, *mixed, "--out", "out.0=o.bin")
    check("a buffer goes to a file", d.rc == 0 and os.path.getsize(p.dir + "/o.bin") == 32, str(d))
    d = emulate(p, *[a.replace("{f64[4];", "{file:o.bin;") for a in mixed])
    says("and comes back", d, 0, "out.0 = [")
    d = emulate(p, "--kernel", "foreign_local", "--checks", "off", "--arg", "x=u64[33]", "--out", "x", "--message-format",
                "json")
    check("json has the values", d.rc == 0 and json.loads(d.out)["out"][0]["name"] == "x", str(d))
    d = emulate(p, "--kernel", "address_only", "--block", "2", "--arg", "y=f32[3]", "--out", "y")
    says("a slice whose length nobody reads", d, 0, "y = [1, 1, 0]")
    d = emulate(p, "--kernel", "length_only", "--block", "1", "--arg", "y=u64[6]", "--arg", "_unused=u16[1]", "--arg",
                "n=u32[1]", "--out", "n")
    says("a slice whose elements nobody reads", d, 0, "n = [3]")
    d = emulate(p, "--kernel", "fixed_shared", "--block", "2", "--arg", "out=u32[2]", "--out", "out")
    says("shared memory that the kernel fixes", d, 0, "out = [64, 64]")
    d = emulate(p, "--kernel", "float_atomics", "--block", "4", "--arg", "x=f32:1,7", "--arg", "y=f64[1]", "--arg", "seen=f32[4]",
                "--out", "x", "--out", "y", "--out", "seen")
    says("atomics of floats", d, 0, "x = [7, -0]\ny = [-1]\nseen = [7, -0, -0, -0]")


def bad_ends(p):
    cases = [("never_ends", "while x.atomic(0)", "MD0805", ["--time-limit", "1"]),
             ("never_ends_alone", "while n != 1", "MD0805", ["--time-limit", "1"]),
             ("wild", "*(p as *const u32)", "MD0827", []),
             ("null", "p.add(1).write(1)", "MD0826", []),
             ("stack_overflow", "", "MD0806", []),
             ("deadlock", "warp::sync(3)", "MD0808", []),
             ("foreign_local", "*(x.get(0) as *mut u32) = 7", "MD0828", []),
             ("read_only", "p.add(x.get(0) as usize).write(1)", "MD0829", []),
             ("wrong_mask", "warp::sync(if t < 2", "MD0835", [])]
    for name, line, code, more in cases:
        arg = "p=null" if name == "null" else "x=u64[33]" if name == "foreign_local" else "x=u32[32]"
        block = [] if re.search(r"block = \d+\)\]\s*pub fn %s\(" % name, "\n".join(LINES)) else ["--block", "1"]
        d = emulate(p, "--kernel", name, "--arg", arg, "--message-format", "json", *block, *more)
        found = []
        for row in d.out.split("\n"):
            if '"emulation"' in row:
                found = json.loads(row)["findings"]
        hit = [f for f in found if f["code"] == code and (not line or f["line"] == line_of(line))]
        check("%s is %s" % (name, code), d.rc == 1 and hit, str(d))
    for name, arg in (("wild", "x=u32[32]"), ("null", "p=null")):
        d = emulate(p, "--kernel", name, "--block", "1", "--arg", arg, "--checks", "off")
        says("%s without checks" % name, d, 1, err="error[MD0807]")


def bundles(p):
    d = run([MIRDC, "compile", p.dump, "--embed-dump", "-o", p.dir + "/k.mirdc", "-q"], env=p.env(), timeout=300)
    check("a bundle with its dump", d.rc == 0, str(d))
    args = ["--kernel", "fixed_shared", "--block", "2", "--arg", "out=u32[2]", "--out", "out"]
    says("a bundle is emulated", run([MIRDC, "emulate", p.dir + "/k.mirdc"] + args), 0, "out = [64, 64]")
    d = run([READ, "list", p.dir + "/k.mirdc"])
    check("the reader shows it", "pmir" in d.out, str(d))


def sources(p):
    src = os.path.join(p.dir, "one.rs")
    with open(src, "w") as f:
        f.write("#![no_std]\npub fn twice(x: *mut u32) { unsafe { *x = *x * 2 } }\n")
    d = run([MIRDC, "emulate", src, "--entry", "twice", "--block", "1", "--arg", "x=u32:21", "--out", "x"], env=p.env(),
            timeout=300)
    says("Rust source", d, 0, "x = [42]")


def library(p):
    alone = os.path.join(p.dir, "alone", "bin")
    os.makedirs(alone)
    shutil.copy(MIRDC, alone)
    d = run([alone + "/mirdc", "emulate", p.dump, "--block", "1"])
    says("no library", d, 1, err="error[MD0846]: cannot open `libmirdc-emu.so`")


def main():
    with Place() as p:
        p.dump = os.path.join(p.dir, "kernels.pmir.json")
        shutil.copy(SOURCE, p.dir)
        d = run([MIRDC, "compile", p.dir + "/kernels.rs", "--emit", "pmir", "-q", "--out-dir", p.dir], env=p.env(),
                timeout=300)
        if check("the kernels compile", d.rc == 0, str(d)):
            for part in (arguments, bad_ends, bundles, sources, library):
                part(p)
    return finish()


sys.exit(main())
