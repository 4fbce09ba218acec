#!/usr/bin/env python3
"""The differential tests in all ways of compiling: run.py's files and probes.py's, native, by mirdc at -O0 and -O3
and in the emulator, with each toolchain that is installed and with rustc's options of both profiles of cargo.

  matrix.py [--only TEXT] [--fast] [--pairs N] [--probes FOLDER] [--toolchain NAME]

Prints the differences, and a line for each combination.
"""
# slow
import argparse, os, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.path.dirname(os.path.dirname(HERE))


def toolchains():
    """(name, rustc) of what is installed."""
    for name in ("stable", "nightly"):
        p = subprocess.run(["rustup", "which", "--toolchain", name, "rustc"], capture_output=True, text=True)
        if p.returncode == 0:
            yield name, p.stdout.strip()
    web = os.path.join(SRC, ".toolchain", "rustc-web", "bin", "rustc")
    if os.access(web, os.X_OK):
        yield "rustc-web", web


def run(name, rustc, profile, script, options):
    p = subprocess.run([sys.executable, os.path.join(HERE, script), "--profile", profile] + options, text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, RUSTC=rustc))
    lines = p.stdout.split("\n")
    bad = [l for l in lines if l and not l.startswith(("ok ", "# "))]
    good = sum(l.startswith("ok ") for l in lines)
    what = "%s %s %s" % (script, name, profile)
    print("\n".join("%s: %s" % (what, l) for l in bad), end="\n" if bad else "")
    ok = p.returncode == 0 and good > 0 and not any(l.startswith("not ok") for l in bad)
    print("%s %s: %d comparisons of a file" % ("ok" if ok else "not ok", what, good), flush=True)
    return ok


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--only", default="")
    ap.add_argument("--fast", action="store_true")
    ap.add_argument("--pairs", default="40")
    ap.add_argument("--probes", default="")
    ap.add_argument("--toolchain", default="")
    args = ap.parse_args()
    bad = seen = 0
    common = ["--only", args.only, "--pairs", args.pairs]
    for name, rustc in toolchains():
        if args.toolchain not in ("", name):
            continue
        for profile in ("dev", "release"):
            seen += 1
            bad += not run(name, rustc, profile, "run.py", common + (["--fast"] if args.fast else []))
            bad += not run(name, rustc, profile, "probes.py", common + ([args.probes] if args.probes else []))
    return 0 if seen and not bad else 1


if __name__ == "__main__":
    sys.exit(main())
