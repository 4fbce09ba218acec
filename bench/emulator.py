#!/usr/bin/env python3
"""Speed of the emulator: bench/emulator.py [--rounds N]

Builds bench/emulator.c for the cost of a switch between threads. Then each kernel runs in a fresh object, so
the time is that of everything: reading the dump, lowering, LLVM, and the launch. Limits: 50 ns for a switch,
1 s for an element-wise kernel over a million elements, 2 s for a million threads with three barriers
and all checks on. The best of the rounds counts, in processor time, which other programs disturb less.
"""
import argparse, os, struct, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(SRC, "test", "exec"))
import emu_lib, run_emu

MILLION = 1 << 20


def switches(work, rounds):
    exe = os.path.join(work, "switch")
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c17", "-O2", "-D_GNU_SOURCE", "-I.", "-o", exe, "bench/emulator.c",
                    "emulator/fiber.c"], cwd=SRC, check=True)
    best = {}
    for _ in range(rounds):
        for line in subprocess.run([exe], check=True, capture_output=True, text=True).stdout.splitlines():
            name, ns = line.split()
            best[name] = min(best.get(name, 1e9), float(ns))
    return best


def saxpy(e):
    x = e.buffer("x", bytes(4 * MILLION), writable=False)
    y = e.buffer("y", bytes(4 * MILLION))
    return e.run("saxpy", MILLION // 256, 256, struct.pack("<fxxxxQQQ", 2.0, x, y, MILLION))


def reverse(e):
    x = e.buffer("x", bytes(4 * MILLION))
    return e.run("reverse", MILLION // 1024, 1024, struct.pack("<Q", x), shared=4096)


def measure(path, launch, opt, checks, rounds):
    """(processor time of everything, of it compiling, running by the clock), in ms."""
    rows = []
    for _ in range(rounds):
        t0 = time.process_time()
        e = emu_lib.Emulator(path, opt, checks)
        status = launch(e)
        dt = time.process_time() - t0
        if status != emu_lib.OK:
            raise SystemExit(e.messages())
        rows.append((dt * 1e3,) + tuple(t / 1e6 for t in e.times()))
        e.close()
    return min(rows)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=5)
    a = p.parse_args()
    bad = []
    with tempfile.TemporaryDirectory() as work:
        print("| a switch among | ns |\n|---|---|")
        for name, ns in switches(work, a.rounds).items():
            print("| %s | %.1f |" % (name, ns))
            bad += ["a switch takes %.1f ns" % ns] if ns > 50 else []
        path = os.path.join(work, "engine.pmir.json")
        run_emu.compile_kernels(path)
        print("\n| kernel | -O | checks | all, ms | compiling | running |\n|---|---|---|---|---|---|")
        for name, launch, limit in (("saxpy", saxpy, 1000), ("reverse", reverse, 2000)):
            for opt, checks in ((0, 0), (2, 0), (3, 0), (0, emu_lib.ALL), (2, emu_lib.ALL)):
                row = measure(path, launch, opt, checks, a.rounds)
                print("| %s | %d | %s | %.0f | %.0f | %.0f |" % ((name, opt, "on" if checks else "off") + row), flush=True)
                bad += ["%s took %.0f ms" % (name, row[0])] if row[0] > limit else []
    for b in bad:
        print("too slow: " + b)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
