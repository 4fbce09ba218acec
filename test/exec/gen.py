#!/usr/bin/env python3
"""Random programs against rustc: writes crates of random functions and runs each as rustc compiles
it, at two levels, and through the pass, the lowering and the emulator, as run.py does.

  gen.py [--seed N] [--count FUNCTIONS] [--crates N] [--pairs N] [--keep DIR] [--print] [--runner EXE]
         [--checks both|on|off|turns] [--shrink NAME [--seconds N]]

The programs depend on the seed alone, which is printed. Functions of which rustc's own two levels
differ are named and not counted against mirdc. --shrink makes the function NAME of the seed's crate
smaller as long as it still goes wrong; --runner is another program in place of run_pmir and the emulator.
"""
# slow
import argparse, os, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen_program, gen_shrink, run

RUNNERS = [(os.path.join(run.OBJ, "exec", r), level) for r, level in run.RUNNERS]


def native(text, work, level, flags):
    src, exe = os.path.join(work, "nat%s.rs" % level), os.path.join(work, "nat" + level)
    with open(src, "w", encoding="utf-8") as f:
        f.write(run.NATIVE + text)
    run.run([run.RUSTC, "-Copt-level=" + level, "-o", exe, src] + flags)
    return exe


def goes_wrong(text, name, checks, work, pairs):
    """Does the function still differ, with rustc's two levels of one mind? What is no Rust does not."""
    flags, lines = run.flags_for(checks), run.inputs([name], pairs)
    if not re.search(r"^ *%s\(" % name, text, re.M):
        return False
    try:
        want = list(run.native_lines(run.run([native(text, work, "0", flags)], lines)))
        left, refused = run.prepare(os.path.join(work, "t.pmir.json"), os.path.join(work, "dev.rs"), text, flags)
        if refused:
            return False
        wrong = any(run.replay(r, os.path.join(work, "t.pmir.json"), level, lines, want) for r, level in RUNNERS)
        return wrong and want == list(run.native_lines(run.run([native(text, work, "3", flags)], lines)))
    except (RuntimeError, subprocess.TimeoutExpired):
        return False


def shrink(args):
    whole = gen_program.crate(args.seed, args.count)
    head, _, tests = whole.partition("tests! {\n")
    mine = [l for l in tests.split("\n") if l.split("(")[0].strip() == args.shrink]
    text = head + "tests! {\n" + "\n".join(mine) + "\n}\n"
    with tempfile.TemporaryDirectory() as work:
        checks = "off" if args.checks == "off" else "on"
        judge = lambda t: goes_wrong(t, args.shrink, checks, work, args.pairs)
        if not mine or not judge(text):
            print("not ok %s of seed %d does not go wrong by itself" % (args.shrink, args.seed))
            return 1
        print(gen_shrink.shrink(text, judge, args.seconds))
    return 0


def check(seed, count, checks, work, pairs):
    flags = run.flags_for(checks)
    text = gen_program.crate(seed, count)
    pmir = os.path.join(work, "t.pmir.json")
    text, refused = run.prepare(pmir, os.path.join(work, "dev.rs"), text, flags)
    names = [n for n in ("t%d" % i for i in range(count)) if n not in refused]
    lines = run.inputs(names, pairs)
    want = list(run.native_lines(run.run([native(text, work, "0", flags)], lines)))
    third = list(run.native_lines(run.run([native(text, work, "3", flags)], lines)))
    what = "seed %d checks=%s" % (seed, checks)
    if refused:
        print("# %s: refused by the pass: %s" % (what, " ".join(refused)))
    odd = {w.split(" ")[0] for w, t in zip(want, third) if w != t}
    if odd:
        print("# %s: rustc's own levels differ: %s" % (what, " ".join(sorted(odd))))
    bad = 0
    if len(names) * 4 < count * 3:
        bad += 1
        print("not ok %s: only %d of %d functions are taken" % (what, len(names), count))
    for runner, level in RUNNERS:
        got = list(run.native_lines(run.run([runner, pmir] + level.split(), lines)))
        level = os.path.basename(runner) + " " + level
        wrong = [(g, w) for g, w in zip(got, want) if g != w and w.split(" ")[0] not in odd]
        if len(got) != len(want):
            wrong.append(("%d lines" % len(got), "%d lines" % len(want)))
        bad += len(wrong)
        first = {}
        for g, w in wrong:
            first.setdefault(g.split(" ")[0], (g, w))
        for g, w in first.values():
            print("not ok %s %s; got `%s`, want `%s`" % (what, level, g, w))
        if not wrong:
            print("ok %s %s: %d functions, %d calls" % (what, level, len(names), len(want) - 1))
    return bad


def main():
    global RUNNERS
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=60)
    ap.add_argument("--crates", type=int, default=1)
    ap.add_argument("--pairs", type=int, default=40)
    ap.add_argument("--keep", default="")
    ap.add_argument("--print", action="store_true")
    ap.add_argument("--runner")
    ap.add_argument("--shrink", default="")
    ap.add_argument("--checks", default="both", help="overflow checks; turns: on for odd seeds, off for even ones")
    ap.add_argument("--seconds", type=int, default=600)
    args = ap.parse_args()
    if args.runner:
        RUNNERS = [(args.runner, level) for level in ("-O0", "-O2")]
    if args.shrink:
        return shrink(args)
    if args.print:
        print(gen_program.crate(args.seed, args.count))
        return 0
    bad = 0
    for seed in range(args.seed, args.seed + args.crates):
        turn = "on" if seed % 2 else "off"
        for checks in {"both": ("on", "off"), "turns": (turn,)}.get(args.checks, (args.checks,)):
            with tempfile.TemporaryDirectory() as work:
                work = args.keep or work
                try:
                    bad += check(seed, args.count, checks, work, args.pairs)
                except (RuntimeError, subprocess.TimeoutExpired) as e:
                    bad += 1
                    print("not ok seed %d checks=%s: %s" % (seed, checks, e))
            sys.stdout.flush()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
