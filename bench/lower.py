#!/usr/bin/env python3
"""Time of lowering, verifying and printing against libNVVM's own on the same module: bench/lower.py

Dumps of 1,000 and 10,000 functions in chains of eight calls, eight functions to a kernel. The lowering is
the processor time of `mirdc compile --emit nvvm` less that of `mirdc check`; at -O3 it has the clean-up in
it. libNVVM compiles the text of -O0, which is the module before any clean-up, to PTX at the same level.
Limits: not more than libNVVM, and at most 13 times the time for 10 times the functions.
"""
import argparse, ctypes, os, resource, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from timing import SRC, environment


def cpu(argv, env, rounds):
    """The least processor time of a few runs."""
    best = None
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        p = subprocess.run(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if p.returncode != 0:
            sys.exit("%s failed:\n%s" % (" ".join(argv), p.stdout.decode()))
        t = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = t if best is None else min(best, t)
    return best


class Nvvm:
    def __init__(self):
        home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
        path = [os.path.join(home, d, "libnvvm.so.4") for d in ("lib64", "nvvm/lib64")]
        self.lib = ctypes.CDLL(next((p for p in path if os.path.exists(p)), "libnvvm.so.4"))
        self.lib.nvvmAddModuleToProgram.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t,
                                                    ctypes.c_char_p]

    def compile(self, text, opt):
        """Processor seconds to PTX."""
        program = ctypes.c_void_p()
        options = (ctypes.c_char_p * 2)(b"-arch=compute_90", b"-opt=%d" % opt)
        t0 = time.process_time()
        bad = (self.lib.nvvmCreateProgram(ctypes.byref(program))
               or self.lib.nvvmAddModuleToProgram(program, text, len(text), b"bench")
               or self.lib.nvvmCompileProgram(program, 2, options))
        t1 = time.process_time()
        self.lib.nvvmDestroyProgram(ctypes.byref(program))
        if bad:
            sys.exit("libNVVM refuses the module (%d)" % bad)
        return t1 - t0


def measure(work, n, nvvm, env, rounds):
    """For each level: seconds of the lowering, seconds of libNVVM."""
    dump = os.path.join(work, "demo.pmir.json")
    text = os.path.join(work, "demo.nvvm.ll")
    subprocess.run([sys.executable, os.path.join(SRC, "bench/gen_pmir.py"), str(n), "--kernels", str(n // 8),
                    "--chain", "8", "--out", dump], check=True)
    read = cpu(["mirdc", "check", dump], env, rounds)
    out = {}
    for opt in (0, 3):
        t = cpu(["mirdc", "compile", dump, "--emit", "nvvm", "-O%d" % opt, "--arch", "sm_90", "-o", text],
                env, rounds) - read
        if opt == 0:
            with open(text, "rb") as f:
                module = f.read()
        out[opt] = t, nvvm.compile(module, opt)
        print("%6d functions, %5.1f MB of text, -O%d: lowered in %7.3f s, libNVVM %7.3f s, ratio %.2f"
              % (n, len(module) / 1e6, opt, *out[opt], out[opt][0] / out[opt][1]), flush=True)
    return out


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--functions", default="1000,10000")
    ap.add_argument("--rounds", type=int, default=3)
    a = ap.parse_args()
    sizes = [int(n) for n in a.functions.split(",")]
    nvvm = Nvvm()
    bad = []
    with tempfile.TemporaryDirectory() as work:
        rows = [measure(work, n, nvvm, environment(), a.rounds) for n in sizes]
    for opt in (0, 3):
        for n, row in zip(sizes, rows):
            if row[opt][0] > row[opt][1]:
                bad.append("%d functions at -O%d take longer than in libNVVM" % (n, opt))
        growth = rows[-1][opt][0] / rows[0][opt][0]
        print("-O%d: %.1f times the functions, %.1f times the time" % (opt, sizes[-1] / sizes[0], growth))
        if growth > 1.3 * sizes[-1] / sizes[0]:
            bad.append("the time grows faster than the functions at -O%d" % opt)
    for b in bad:
        print("over the limit:", b)
    return 1 if bad else 0


sys.exit(main())
