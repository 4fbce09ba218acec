#!/usr/bin/env python3
"""Speed, memory and linearity of the reader of prepared MIR: bench/reader.py [--copies DUMP]

Builds bench/reader.c on the release archives, makes dumps of 1,000 and 10,000 functions (and, with
--copies, of a real dump repeated 100 and 1,000 times), and compares with the limits: 100 MB/s on one
core, 4 bytes of memory a byte of text, at most 13 times the time and memory for 10 times the dump.
"""
import argparse, os, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.path.dirname(HERE)
BUILD = os.environ.get("BUILD", os.path.join(SRC, "build"))


def build(work):
    obj = os.path.join(BUILD, "obj", "release")
    libs = [os.path.join(obj, n) for n in ("libir.a", "libbase.a")]
    subprocess.run(["make", "-s", "MODE=release", "B=" + BUILD] + libs, cwd=SRC, check=True)
    exe = os.path.join(work, "reader")
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c17", "-O2", "-D_GNU_SOURCE", "-I.", "-o", exe,
                    "bench/reader.c"] + libs + ["-lcjson", "-lcrypto", "-lzstd", "-ldl", "-lpthread", "-lm"],
                   cwd=SRC, check=True)
    return exe


def measure(exe, path):
    out = subprocess.run([exe, path, "7", "parts"], check=True, stdout=subprocess.PIPE).stdout.decode()
    sys.stdout.write(out)
    mb, s, speed, memory = map(float, re.search(
        r"([\d.]+) MB: .* in ([\d.]+) s, ([\d.]+) MB/s; ([\d.]+) bytes", out).groups())
    return mb, s, speed, memory


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--copies", metavar="DUMP")
    a = p.parse_args()
    bad = []
    with tempfile.TemporaryDirectory() as work:
        exe = build(work)
        sets = [("functions", "gen_pmir.py", [], (1000, 10000))]
        if a.copies:
            sets.append(("copies", "repeat_pmir.py", [a.copies], (100, 1000)))
        for what, script, args, sizes in sets:
            rows = []
            for n in sizes:
                path = os.path.join(work, "dump")
                subprocess.run([sys.executable, os.path.join(HERE, script)] + args
                               + [str(n), "--out", path], check=True)
                print("%d %s" % (n, what))
                rows.append(measure(exe, path))
            (mb0, s0, _, m0), (mb1, s1, speed, memory) = rows
            growth = mb1 / mb0
            print("%.1f times the text: %.1f times the time, %.1f times the memory" %
                  (growth, s1 / s0, memory * mb1 / (m0 * mb0)))
            bad += ["%s: %s" % (what, w) for w, ok in [
                ("%.0f MB/s, less than 100" % speed, speed >= 100),
                ("%.2f bytes a byte, more than 4" % memory, memory <= 4),
                ("time grows faster than the text", s1 / s0 <= 1.3 * growth)] if not ok]
    for b in bad:
        print("over the limit:", b)
    return 1 if bad else 0


sys.exit(main())
