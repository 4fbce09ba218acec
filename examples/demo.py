#!/usr/bin/env python3
"""The main job on every example: `cargo mirdc build` in each package, then what the reader says.

  demo.py [--build DIR] [--arch LIST] [NAME…]
"""
import argparse, os, shutil, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHS = "sm_75,sm_80,sm_90,sm_100"


def index():
    """[(name, [category…])] in the order of INDEX."""
    rows = []
    with open(os.path.join(HERE, "INDEX"), encoding="utf-8") as f:
        for line in f:
            words = line.split("#")[0].split()
            if words:
                rows.append((words[0], words[1:]))
    return rows


def run(argv, env, cwd):
    return subprocess.run(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def environment(build):
    return dict(os.environ, PATH=os.path.join(build, "bin") + ":" + os.environ["PATH"])


def compile_package(name, out, env, *options):
    """`cargo mirdc build` of an example; the finished process and its bundle, or None."""
    p = run(["cargo-mirdc", "build", "--out-dir", out] + list(options), env, os.path.join(HERE, name))
    bundle = next((os.path.join(d, f) for d, _, fs in os.walk(out) for f in sorted(fs)
                   if f.endswith(".mirdc") and f.split(".")[0] == name), None)
    return p, bundle


def expect(name):
    """The lines of an example's EXPECT file."""
    with open(os.path.join(HERE, name, "EXPECT"), encoding="utf-8") as f:
        return [l.rstrip("\n") for l in f if l.strip() and not l.startswith("#")]


def refused(name, out, env):
    """An example that must be refused: says by what, or why not."""
    p, bundle = compile_package(name, out, env)
    code = expect(name)[0]
    first = next((l for l in p.stdout.split("\n") if l.startswith("error") and code in l), None)
    if first and p.returncode != 0 and not bundle:
        print("== %s: refused, as it must be\n   %s" % (name, first))
        return True
    print("== %s: FAILED, should be refused with %s\n%s" % (name, code, p.stdout))
    return False


def options(name, sweeps, archs, out):
    """Options for an example, or None if it cannot be compiled here."""
    archs = archs.split(",")
    if "compile-only" in sweeps:
        floor = int(expect(name)[0][3:])
        archs = [a for a in archs if int(a[3:].rstrip("af")) >= floor]
    given = ["--release", "--arch", ",".join(archs)]
    if "ffi" in sweeps:
        p = run([os.path.join(HERE, "common/build-native"), os.path.join(HERE, name), os.path.join(out, "native")],
                os.environ, HERE)
        if p.returncode != 0:
            return None
        given += [w for o in p.stdout.split() if o.endswith(".o") for w in ("--extern-lto", o)]
    return given if archs else None


def compiled(name, given, out, env):
    t0 = time.time()
    p, bundle = compile_package(name, out, env, *given)
    took = time.time() - t0
    if p.returncode != 0 or not bundle:
        print("== %s: FAILED\n%s" % (name, p.stdout))
        return False
    r = run(["mirdc-read", bundle], env, out)
    print("== %s (%.2f s)\n%s" % (name, took, r.stdout.rstrip()))
    return r.returncode == 0


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"))
    ap.add_argument("--arch", default=ARCHS)
    ap.add_argument("--out", help="folder for the artifacts (default: BUILD/examples)")
    ap.add_argument("names", nargs="*")
    args = ap.parse_args()
    build = os.path.abspath(args.build)
    out = os.path.abspath(args.out or os.path.join(build, "examples"))
    env = environment(build)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    done, failed, left_out, t_all = {"compiled": 0, "refused": 0}, [], [], time.time()
    for name, sweeps in index():
        if args.names and name not in args.names:
            continue
        if "error" in sweeps:
            what, good = "refused", refused(name, out, env)
        else:
            given = options(name, sweeps, args.arch, out)
            if given is None:
                left_out.append(name)
                continue
            what, good = "compiled", compiled(name, given, out, env)
        if good:
            done[what] += 1
        else:
            failed.append(name)
        sys.stdout.flush()
    print("\n%d packages compiled for %s and %d refused as they must be, in %.1f s; bundles and records are in %s"
          % (done["compiled"], args.arch, done["refused"], time.time() - t_all, os.path.relpath(out)))
    if left_out:
        print("not compiled: %s (no nvcc for native code, or no architecture that is new enough)" % ", ".join(left_out))
    if failed:
        print("failed: " + ", ".join(failed))
    return 1 if failed or not sum(done.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
