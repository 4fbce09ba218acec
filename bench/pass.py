#!/usr/bin/env python3
"""Time of the pass against `rustc --emit=metadata` of the same unit, for each example package: both
as whole processes, in turns, dependencies built before. Prints the ratio of medians and how many
times rustc was started.

  bench/pass.py [--rounds N] [NAME…]
"""
import argparse, os, statistics, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from timing import SRC, environment, run
sys.path.insert(0, os.path.join(SRC, "examples"))
import demo


def counting_rustc(work):
    """A rustc that writes a line for each start; calls for the version are not counted."""
    real = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True).stdout.strip()
    path = os.path.join(work, "rustc")
    with open(path, "w") as f:
        f.write("#!/bin/sh\ncase \"$*\" in *-vV*|*--print*|*--version*) ;; *) echo x >> %s/count;; esac\n"
                "exec %s/bin/rustc \"$@\"\n" % (work, real))
    os.chmod(path, 0o755)
    return path


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("names", nargs="*")
    args = ap.parse_args()
    env = environment()
    work = tempfile.mkdtemp(prefix="mirdc-bench-")
    env["CARGO_TARGET_DIR"] = os.path.join(work, "target")
    ratios = []
    for name, sweeps in demo.index():
        if (args.names and name not in args.names) or "error" in sweeps:
            continue
        cwd = os.path.join(SRC, "examples", name)
        lib = os.path.join(cwd, "src/lib.rs")
        run(["cargo", "build", "-q", "--release"], env, cwd)
        deps = os.path.join(work, "target/release/deps")
        rlib = sorted(f for f in os.listdir(deps) if f.startswith("libmirdc-") and f.endswith(".rmeta"))[0]
        meta = ["rustc", "--crate-name", name, "--edition=2021", "--crate-type=lib", "--emit=metadata", "-O",
                "--out-dir", work, "--extern", "mirdc=" + os.path.join(deps, rlib), "-L", deps, lib]
        mine = ["mirdc-rustc", "--out", os.path.join(work, "o.pmir.json"), lib, "--", "-O"]
        count = dict(env, RUSTC=counting_rustc(work))
        run(mine, count, cwd)
        open(os.path.join(work, "count"), "w").close()
        run(mine, count, cwd)
        starts = sum(1 for _ in open(os.path.join(work, "count")))
        a, b = [], []
        for _ in range(args.rounds):
            a.append(run(mine, env, cwd)[0])
            b.append(run(meta, env, cwd)[0])
        ma, mb = statistics.median(a), statistics.median(b)
        ratios.append(ma / mb)
        print("%-14s pass %6.0f ms, metadata %6.0f ms, ratio %.1f, %d runs of rustc"
              % (name, ma * 1e3, mb * 1e3, ma / mb, starts), flush=True)
    print("median ratio %.1f" % statistics.median(ratios))


if __name__ == "__main__":
    main()
