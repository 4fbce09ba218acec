#!/usr/bin/env python3
"""The sweeps over examples/: one for each category of examples/INDEX.

Without arguments the quick ones; --slow the others: what takes every package, and the GPU build.
"""
import functools, hashlib, json, os, re, shutil, subprocess, sys, tempfile

SRC = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(SRC, "build")))
EXAMPLES = os.path.join(SRC, "examples")
sys.path.insert(0, EXAMPLES)
import demo
from demo import expect

ENV = demo.environment(BUILD)
# The device crate is compiled once for all packages.
ENV.update(CARGO_NET_OFFLINE="true", NO_COLOR="1", CARGO_TARGET_DIR=os.path.join(BUILD, "sweeps"))
for name in ("MIRDC_DIR", "RUSTC", "RUSTC_WRAPPER", "MIRDC_RECORD_DIR"):
    ENV.pop(name, None)
failures = 0


def check(name, ok, why=""):
    global failures
    print("%s %s" % ("ok" if ok else "not ok", name), flush=True)
    if not ok:
        failures += 1
        print("  " + str(why)[-3000:].replace("\n", "\n  "), flush=True)
    return ok


def run(*argv, cwd=SRC, env=None):
    p = subprocess.run(argv, cwd=cwd, env=dict(ENV, **(env or {})), stdin=subprocess.DEVNULL, text=True,
                       errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    return p.returncode, p.stdout


def build(name, work, *options):
    """Status, output and bundle of `cargo mirdc build` into an empty folder."""
    out = tempfile.mkdtemp(dir=work)
    p, bundle = demo.compile_package(name, out, ENV, *options)
    return p.returncode, p.stdout, bundle


def described(path):
    rc, out = run("mirdc-read", "--json", path)
    return json.loads(out.split("\n")[0]) if rc == 0 else {}


def record(bundle):
    with open(bundle[:-len("mirdc")] + "record.json", encoding="utf-8") as f:
        return json.load(f)


def cubin(bundle, arch, work):
    path = os.path.join(work, "x.cubin")
    rc, out = run("mirdc-read", "--extract", "cubin:" + arch, "-o", path, bundle)
    with open(path, "rb") as f:
        return path, f.read()


def nvcc():
    return shutil.which("nvcc") or shutil.which(os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc"))


@functools.cache
def native(name, work):
    """Objects of a package's CUDA C++; None where there is no nvcc."""
    rc, out = run(os.path.join(EXAMPLES, "common/build-native"), os.path.join(EXAMPLES, name), os.path.join(work, name))
    if rc == 3:
        return None
    check("%s: its native code is compiled" % name, rc == 0, out)
    return [l for l in out.split("\n") if l.endswith(".o")]


def extern(files):
    return [w for f in files for w in ("--extern-lto", f)]


def index_faults(rows, folders, sweeps):
    """What is wrong with an index, as texts."""
    bad = ["%s is in no sweep" % n for n, cats in rows if not cats]
    bad += ["%s: there is no sweep `%s`" % (n, c) for n, cats in rows for c in cats if c not in sweeps]
    names = [n for n, _ in rows]
    bad += ["%s is listed twice" % n for n in sorted(set(names)) if names.count(n) > 1]
    bad += ["%s is not in INDEX" % f for f in folders if f not in names]
    bad += ["%s is listed and not there" % n for n in names if n not in folders]
    bad += ["no example is in sweep `%s`" % s for s in sweeps if not any(s in c for _, c in rows)]
    return bad


def index_agrees(rows):
    folders = sorted(f for f in os.listdir(EXAMPLES)
                     if f not in ("common", "__pycache__") and os.path.isdir(os.path.join(EXAMPLES, f)))
    bad = index_faults(rows, folders, SWEEPS)
    check("every example is in a sweep, and every sweep has an example", not bad, "\n".join(bad))
    some = [("a", ["standard"]), ("b", [])]
    seen = index_faults(some, ["a", "c"], {"standard": 0, "gpu": 0})
    want = ["b is in no sweep", "c is not in INDEX", "b is listed and not there", "no example is in sweep `gpu`"]
    check("an index with faults is found out", seen == want, seen)
    for files, cats in ((["EXPECT"], ("error", "compile-only")), (["host.c", "src/main.rs"], ("gpu",)), (["native"], ("ffi", "lto"))):
        wrong = [n for n, c in rows
                 if sum(os.path.exists(os.path.join(EXAMPLES, n, f)) for f in files) != bool(set(cats) & set(c))]
        check("%s stands in the examples that need it and in no other" % " or ".join(files), not wrong, " ".join(wrong))


def standard(names, work):
    for n in names:
        rc, out, bundle = build(n, work, "--release", "--arch", demo.ARCHS)
        if not check("%s is compiled for %s" % (n, demo.ARCHS), rc == 0 and bundle, out):
            continue
        rc, out = run("mirdc-read", "--check", bundle)
        check("%s: the reader finds the bundle sound" % n, rc == 0, out)
        have = {r["arch"] for k in described(bundle)["bundles"][0]["manifest"]["kernels"] for r in k["resources"]}
        check("%s: each architecture has its kernels" % n, have == set(demo.ARCHS.split(",")), have)


def host_tests(names):
    for n in names:
        rc, out = run("cargo", "test", "-q", "--offline", cwd=os.path.join(EXAMPLES, n))
        passed = sum(int(p) for p in re.findall(r"(\d+) passed", out))
        check("%s: its tests pass on the host" % n, rc == 0 and passed > 0, out)


def error(names, work):
    for n in names:
        want = expect(n)
        rc, out, bundle = build(n, work)
        says = re.search(r"^error(\[%s\]|: .*\[%s\])" % (want[0], want[0]), out, re.M)
        missing = [t for t in want[1:] if t not in out]
        check("%s is refused with %s" % (n, want[0]), rc == 101 and says and not missing, "%s missing\n%s" % (missing, out))
        target = tempfile.mkdtemp(dir=work)
        rc, out = run("mirdc", "compile", "src/lib.rs", "--out-dir", target, cwd=os.path.join(EXAMPLES, n))
        check("%s: mirdc itself ends with 1" % n, rc == 1 and want[0] in out and want[1] in out, out)
        check("%s: nothing was written" % n, not bundle and not os.listdir(target), (bundle, os.listdir(target)))


def ffi(names, work):
    for n in names:
        objects = native(n, work)
        if objects is None:
            print("# skip ffi %s: there is no nvcc here" % n)
            continue
        rc, out, bundle = build(n, work, "--arch", "sm_75,sm_90", *extern(objects))
        if check("%s: Rust and CUDA C++ are linked" % n, rc == 0 and bundle, out):
            rc, out = run("mirdc-read", "--check", bundle)
            check("%s: the reader finds the bundle sound" % n, rc == 0, out)
        rc, out, bundle = build(n, work)
        declared = re.search(r'unsafe extern "C" \{\s*fn (\w+)', read(n, "src/lib.rs")).group(1)
        check("%s: without the C++ its function is missed" % n, rc == 101 and not bundle and
              "error[MD0425]: device symbol `%s` is not defined" % declared in out and "--> src/lib.rs:" in out, out)


def read(*path):
    with open(os.path.join(EXAMPLES, *path), encoding="utf-8") as f:
        return f.read()


def lto(names, work):
    for n in names:
        objects = native(n, work)
        if objects is None:
            print("# skip lto %s: there is no nvcc here" % n)
            continue
        bare = []
        for o in objects:
            source = os.path.join(EXAMPLES, n, "native", os.path.basename(o)[:-2] + ".cu")
            bare.append(o[:-2] + ".ltoir")
            rc, out = run(nvcc(), "-arch=sm_75", "-dc", "-dlto", "-ltoir", "-o", bare[-1], source)
            check("%s: nvcc makes bare LTO-IR" % n, rc == 0, out)
        one = linked(n, work, "objects", objects)
        two = linked(n, work, "bare LTO-IR", bare)
        check("%s: both forms give the same code" % n, one and one == two)
        other = os.path.join(work, "other.cu")
        with open(other, "w", encoding="utf-8") as f:
            f.write("__device__ int nobody_calls_this() { return 1; }\n")
        rc, out = run(nvcc(), "-arch=sm_75", "-dc", "-dlto", "-o", other[:-2] + "o", other)
        check("%s: an object that nothing needs" % n, rc == 0, out)
        linked(n, work, "with it in front", [other[:-2] + "o"] + objects)
        linked(n, work, "with it behind", objects + [other[:-2] + "o"])


def linked(n, work, what, files):
    """Links a package with files; its cubin. The record must hold exactly them, in order."""
    rc, out, bundle = build(n, work, "--release", *extern(files))
    if not check("%s: linked, %s" % (n, what), rc == 0 and bundle, out):
        return None
    want = []
    for i, f in enumerate(files):
        with open(f, "rb") as fh:
            want.append((i + 1, os.path.basename(f), hashlib.sha256(fh.read()).hexdigest()))
    have = [(i["order"], i["name"], i["digest"]) for i in record(bundle)["inputs"] if i["role"] == "extern-lto"]
    check("%s: recorded in order with their digests, %s" % (n, what), have == want, "%s\n%s" % (have, want))
    return cubin(bundle, "sm_90", work)[1]


def debug(names, work):
    for n in names:
        objects = native(n, work)
        if objects is None:
            print("# skip debug %s: there is no nvcc here" % n)
            continue
        for option, wanted in (("-g", (".debug_info", ".debug_line", ".debug_abbrev")), ("--line-info", (".debug_line",)),
                               (None, ())):
            rc, out, bundle = build(n, work, "--release", *(extern(objects) + ([option] if option else [])))
            if not check("%s is compiled %s" % (n, "with " + option if option else "without"), rc == 0 and bundle, out):
                continue
            path, data = cubin(bundle, "sm_90", work)
            have = {s["name"]: s["size"] for s in described(path)["sections"]}
            full = [s for s in (".debug_info", ".debug_line", ".debug_abbrev") if have.get(s, 0) > 0]
            check("%s: ... and has %s" % (n, " ".join(wanted) or "no debug section"), sorted(full) == sorted(wanted), have)
            check("%s: ... %s the Rust source" % (n, "which names" if wanted else "naming not"),
                  (b"lib.rs" in data) == bool(wanted))


def compile_only(names, work):
    archs = demo.ARCHS.split(",")
    for n in names:
        floor, code, texts = expect(n)[0], expect(n)[1], expect(n)[2:]
        rc, out, bundle = build(n, work, "--arch", ",".join(archs[archs.index(floor):]))
        if check("%s is compiled from %s on" % (n, floor), rc == 0 and bundle, out):
            rc, out = run("mirdc-read", "--check", bundle)
            check("%s: the reader finds the bundle sound" % n, rc == 0, out)
        rc, out, bundle = build(n, work, "--arch", archs[archs.index(floor) - 1])
        check("%s is refused below with %s" % (n, code), rc == 101 and not bundle and "error[%s]" % code in out
              and all(t in out for t in texts), out)


def gpu_syntax(names, work):
    bad = []
    for n in names:
        if os.path.exists(os.path.join(EXAMPLES, n, "src/main.rs")):  # built with the package
            bad += ["%s: main.rs launches nothing" % n] if "launch!(" not in read(n, "src/main.rs") else []
            continue
        rc, out = run("cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I.", "-D_GNU_SOURCE",
                      "examples/%s/host.c" % n)
        bad += [out] if rc != 0 else []
        bad += ["%s: host.c launches nothing" % n] if not re.search(r"LAUNCH\(|TIME\(", read(n, "host.c")) else []
    check("%d host programs for the GPU are sound C" % len(names), names and not bad, "\n".join(bad))


def gpu(names, work):
    out_dir = os.path.join(work, "gpu")
    rc, out = run("sh", "test/gpu/build.sh", env={"OUT": out_dir, "BUILD": BUILD})
    if not check("the GPU script's programs are built", rc == 0, out):
        return
    for n in names:
        if "not built: " + n in out:
            print("# skip gpu %s: its native code needs nvcc" % n)
            continue
        have = [os.path.exists(os.path.join(out_dir, f)) for f in (n, n + ".mirdc")]
        check("%s has its program and its bundle" % n, all(have), have)


def quick(work):
    rows = demo.index()
    index_agrees(rows)
    pick = lambda c: [n for n, cats in rows if c in cats]
    standard(pick("standard")[:1], work)
    for category in ("error", "ffi", "lto", "debug", "compile-only"):
        SWEEPS[category](pick(category), work)
    gpu_syntax(pick("gpu"), work)


def slow(work):
    rows = demo.index()
    pick = lambda c: [n for n, cats in rows if c in cats]
    standard(pick("standard"), work)
    host_tests([n for n, cats in rows if "error" not in cats])
    gpu(pick("gpu"), work)


SWEEPS = {"standard": standard, "error": error, "ffi": ffi, "lto": lto, "debug": debug, "gpu": gpu,
          "compile-only": compile_only}


def main():
    with tempfile.TemporaryDirectory() as work:
        slow(work) if "--slow" in sys.argv else quick(work)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
