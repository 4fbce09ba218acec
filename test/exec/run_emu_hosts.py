#!/usr/bin/env python3
"""Whole programs in the emulator: the host programs of the examples, which compare with the CPU, and those of
test/gpu, which compare with the simulator, run with a libmirdc that launches kernels in the emulator.

  run_emu_hosts.py [NAME…]
"""
# slow
import os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(SRC, "build")))
OBJ = os.environ.get("OBJ", os.path.join(BUILD, "obj", "release"))
LIB = os.path.join(os.path.abspath(OBJ), "exec", "emulated")
ENV = dict(os.environ, PATH=os.path.join(BUILD, "bin") + ":" + os.environ["PATH"], MIRDC_LIB_DIR=LIB,
           RUSTFLAGS="-Clink-arg=-Wl,-rpath," + LIB)
# What the emulator has to say to programs that a GPU runs without complaint: (checks on, text).
EXPECTED = {
    "ffi_cpp": [(None, "[MD0800]"), (None, "terrain_sample")],  # calls CUDA C++
    "ops": [(None, "[MD0801]"),                                 # inline PTX
            (True, "an atomic with `Scope::Block` is one only among the threads of a block")],
}
FAILURES = {"ffi_cpp": {True: None, False: None}, "ops": {True: 2, False: 1}}


def call(argv, cwd=SRC, env=ENV):
    p = subprocess.run(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, timeout=600)
    return p.returncode, p.stdout


def need(argv, cwd=SRC, env=ENV):
    rc, out = call(argv, cwd, env)
    if rc != 0:
        raise RuntimeError("%s\n%s" % (" ".join(argv), out[-3000:]))


def find(folder, end):
    return next(os.path.join(d, f) for d, _, fs in os.walk(folder) for f in sorted(fs) if f.endswith(end))


def programs():
    with open(os.path.join(SRC, "examples", "INDEX"), encoding="utf-8") as f:
        rows = [l.split("#")[0].split() for l in f]
    return [(r[0], os.path.join("examples", r[0])) for r in rows if "gpu" in r[1:]] + [
        (n, os.path.join("test", "gpu", n)) for n in ("ops", "abi_rust", "ulp")]


def prepare_file(name, folder, work):
    """The same of two files beside each other."""
    dump, out = os.path.join(work, name + ".pmir.json"), os.path.join(work, name)
    need(["mirdc", "compile", folder + ".rs", "--arch", "sm_90", "--emit", "pmir", "-o", dump, "-q", "--", "-O"])
    compile_host(folder + ".c", out)
    return dump, out


def compile_host(host, out):
    need([os.environ.get("CC", "cc"), "-std=c17", "-O1", "-I.", "-D_GNU_SOURCE", "-o", out, host,
          "examples/common/mirdc_host.c", os.path.join(LIB, "libmirdc.so.0"), "-Wl,-rpath," + LIB, "-lm", "-lcrypto"])


def prepare(name, folder, work):
    """The dump and the program."""
    if os.path.exists(os.path.join(SRC, folder + ".rs")):
        return prepare_file(name, folder, work)
    need(["cargo-mirdc", "build", "--manifest-path", os.path.join(folder, "Cargo.toml"), "--lib", "--release", "--emit",
          "pmir", "--out-dir", os.path.join(work, "dump"), "-q"])
    host, out = os.path.join(folder, "host.c"), os.path.join(work, name)
    if os.path.exists(os.path.join(SRC, host)):
        compile_host(host, out)
    else:
        target = os.path.join(work, "target")
        need(["cargo", "build", "-q", "--offline", "--release", "--manifest-path", os.path.join(folder, "Cargo.toml"),
              "--target-dir", target])
        out = os.path.join(target, "release", name)
    return find(os.path.join(work, "dump"), ".pmir.json"), out


def judge(name, checks, rc, out):
    """Why not, or an empty string."""
    missing = [t for c, t in EXPECTED.get(name, []) if c in (None, checks) and t not in out]
    if missing:
        return "does not say `%s`\n%s" % (missing[0], out[-2000:])
    failures = FAILURES.get(name, {}).get(checks, 0)
    if failures is None:
        return "" if rc != 0 else "ran"
    if "%d failed" % failures not in out or (rc == 0) != (failures == 0):
        return out[-3000:]
    return "" if out.count("\nok ") > 0 else "nothing was compared\n" + out


def main():
    failed = 0
    for name, folder in programs():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as work:
            try:
                dump, program = prepare(name, folder, work)
                for opt, checks in (("0", True), ("3", False)):
                    rc, out = call([program, dump], env=dict(ENV, EMU_OPT=opt, EMU_CHECKS="15" if checks else "0"))
                    why = judge(name, checks, rc, out)
                    failed += bool(why)
                    print("%s %s, -O%s, checks %s%s" % ("not ok" if why else "ok", name, opt, "on" if checks else "off",
                                                        ": " + why if why else ""), flush=True)
            except (RuntimeError, subprocess.TimeoutExpired, StopIteration) as e:
                failed += 1
                print("not ok %s: %s" % (name, e), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
