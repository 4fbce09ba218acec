#!/usr/bin/env python3
"""How many runs of rustc the pass makes for each file of test/exec: a table, the most first.

$RUSTC names the toolchain. --only TEXT as in run.py; --bound N ends with an error when a unit takes more than N.
"""
# slow
import argparse, concurrent.futures, os, re, subprocess, sys, tempfile

import run

HERE = os.path.dirname(os.path.abspath(__file__))


def count(name, text, checks, debug):
    """(runs, their kinds, code of the refusal or "") for each time that the pass is started."""
    with tempfile.TemporaryDirectory() as work:
        dev, pmir = os.path.join(work, "dev.rs"), os.path.join(work, "t.json")
        with open(dev, "w", encoding="utf-8") as f:
            f.write(run.device_source(text))
        entries = [a for n in run.test_names(text) for a in ("--entry", "emu::%s=emu_%s" % (n, n))]
        env = dict(os.environ, RUSTC_BOOTSTRAP="1")
        p = subprocess.run([os.path.join(run.BUILD, "bin", "mirdc-rustc"), "-v", "--out", pmir, *(["-g"] if debug else []),
                            *entries, dev, "--"] + run.flags_for(checks, text), stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, timeout=600, env=env)
        codes = " ".join(sorted(set(re.findall(r"^error\[(MD\d+)\]", p.stdout, re.M))))
        found = re.findall(r"^mirdc-rustc: (\d+) rustc runs, \d+ ms: (.*)", p.stdout, re.M)
        return [(int(n), name, checks + (" -g" if debug else ""), kinds, codes) for n, kinds in found]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--only", default="")
    ap.add_argument("--bound", type=int, default=1000)
    ap.add_argument("-j", type=int, default=2)
    args = ap.parse_args()
    files = [f for f in sorted(os.listdir(HERE)) if f.endswith(".rs")]
    units = [i for f in files for i in run.instances(os.path.join(HERE, f)) if args.only in i[0]]
    jobs = [(name, text, checks, debug) for name, text in units for checks, debug in
            (("on", False), ("off", False), ("on", True)) if not text.startswith("// gpu:")]
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        rows = sorted((r for rows in pool.map(lambda j: count(*j), jobs) for r in rows), reverse=True)
    for n, name, how, kinds, codes in rows:
        print("%2d  %-20s %-6s %s%s" % (n, name, how, kinds, "  " + codes if codes else ""))
    print("# %d units, %d runs, at most %d" % (len(rows), sum(r[0] for r in rows), rows[0][0] if rows else 0))
    return 1 if not rows or rows[0][0] > args.bound else 0


if __name__ == "__main__":
    sys.exit(main())
