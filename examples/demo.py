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
    failed, kernels, t_all = [], 0, time.time()
    for name, sweeps in index():
        if (args.names and name not in args.names) or "standard" not in sweeps:
            continue
        t0 = time.time()
        p, bundle = compile_package(name, out, env, "--release", "--arch", args.arch)
        took = time.time() - t0
        if p.returncode != 0 or not bundle:
            failed.append(name)
            print("== %s: FAILED\n%s" % (name, p.stdout))
            continue
        r = run(["mirdc-read", bundle], env, out)
        print("== %s (%.2f s)\n%s" % (name, took, r.stdout.rstrip()))
        if r.returncode != 0:
            failed.append(name)
        kernels += 1
    print("\n%d packages compiled for %s in %.1f s; bundles and records are in %s"
          % (kernels, args.arch, time.time() - t_all, os.path.relpath(out)))
    if failed:
        print("failed: " + ", ".join(failed))
    return 1 if failed or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
