#!/usr/bin/env python3
"""The emulator's engine: what each device operation computes, how launches end, and that an object can be
used after every end. Kernels are in emu/engine.rs; what they must compute is written down here once more."""
import math, os, re, struct, subprocess, sys, tempfile

import emu_lib
from emu_lib import FINDINGS, OK, REFUSED, STOPPED, Emulator

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "emu", "engine.rs")
M32 = 0xffffffff


def u32s(b):
    return list(struct.unpack("<%dI" % (len(b) // 4), b))


def pack(fmt, *v):
    return struct.pack("<" + fmt, *v)


def same(what, got, want):
    if got != want:
        raise AssertionError("%s: got %s, want %s" % (what, got, want))


def line_of(text):
    """The number of the only line that contains the text."""
    with open(SOURCE, encoding="utf-8") as f:
        hits = [i for i, l in enumerate(f, 1) if text in l]
    same("lines with `%s`" % text, len(hits), 1)
    return hits[0]


def clean(e, name, *a, **k):
    status = e.run(name, *a, **k)
    same(name + " " + e.messages(), status, OK)


# ---- results ----
def test_indices_of_any_shape(e):
    grid, block = (3, 2, 2), (5, 7, 3)
    n, per = 12 * 105, 105
    out = e.buffer("out", bytes(16 * n))
    clean(e, "shape", grid, block, pack("Q", out))
    got = u32s(e.read(out, 16 * n))
    for i in range(n):
        t = i % per
        same("thread %d" % i, got[4 * i:4 * i + 4],
             [t % 5 | t // 5 % 7 << 10 | t // 35 << 20, t % 32, t // 32, 0])


def test_an_elementwise_kernel(e):
    n = 1000
    x = e.buffer("x", pack("%df" % n, *range(n)), writable=False)
    y = e.buffer("y", pack("%df" % n, *[1.0] * n))
    same("offsets", [p[3] for p in e.params("saxpy")], [0, 8, 16, 24])
    clean(e, "saxpy", 4, 256, pack("fxxxxQQQ", 2.0, x, y, n))
    same("y", list(struct.unpack("<%df" % n, e.read(y, 4 * n))), [2.0 * i + 1 for i in range(n)])


def test_barriers_and_dynamic_shared_memory(e):
    for threads in (1, 33, 1024):
        x = e.buffer("x", pack("%dI" % (3 * threads), *range(3 * threads)))
        clean(e, "reverse", 3, threads, pack("Q", x), shared=4 * threads)
        want = [b * threads + threads - t for b in range(3) for t in range(threads)]
        same("x", u32s(e.read(x, 12 * threads)), want)
        e.release(x)


def test_barriers_that_count(e):
    out = e.buffer("out", bytes(12 * 70))
    clean(e, "barriers", 1, 70, pack("Q", out))
    same("out", u32s(e.read(out, 12 * 70)), [24, 1, 1] * 70)
    out = e.buffer("out", bytes(12 * 71))
    clean(e, "barriers", 1, 71, pack("Q", out))
    same("out", u32s(e.read(out, 12 * 71)), [24, 0, 1] * 71)


def test_operations_of_a_warp(e):
    x = [(i * 37 + 11) % 997 for i in range(64)]
    x[32:] = [500] * 32
    inp, out = e.buffer("x", pack("64I", *x)), e.buffer("out", bytes(64 * 128))
    clean(e, "warp", 1, 64, pack("QQ", inp, out))
    got = u32s(e.read(out, 64 * 128))
    for t in range(64):
        base, l = t & ~31, t & 31
        v = x[base:base + 32]
        mask = lambda f: sum(1 << i for i in range(32) if f(i))
        s = lambda d: d & M32
        fold = lambda f, vs: __import__("functools").reduce(f, vs)
        signed = [i - 500 for i in v]
        group = range(16) if l < 16 else range(16, 32)
        one = len(set(v)) == 1
        want = [v[5], v[l & 24 | 5], v[l - 3 if l >= 3 else l], v[l - 3 if l % 16 >= 3 else l],
                v[l + 3 if l + 3 < 32 else l], v[l + 1 if l % 4 < 3 else l], v[l ^ 16], v[l ^ 4 if l & 4 else l],
                int(all(i % 2 == 0 for i in v)), int(any(i % 2 == 0 for i in v)), 1, mask(lambda i: v[i] % 3 == 0),
                mask(lambda i: v[i] % 5 == v[l] % 5), mask(lambda i: v[i] % 4 == v[l] % 4), M32, 1,
                M32 if one else 0, int(one), s(sum(v)), min(v), max(v), fold(lambda a, b: a & b, v),
                fold(lambda a, b: a | b, v), fold(lambda a, b: a ^ b, v), s(min(signed)), s(max(signed)),
                s(sum(v[i] for i in group)), 0x55555555 << (l & 1), v[2 + (l & 1)], M32]
        same("lane %d" % t, got[32 * t:32 * t + 30], want)


def test_lanes_that_ended_are_not_waited_for(e):
    out = e.buffer("out", bytes(4 * 32))
    clean(e, "ended_lanes", 1, 32, pack("Q", out))
    same("out", u32s(e.read(out, 128)), [0x155 if t % 2 == 0 else 0 for t in range(32)])


def test_statics_keep_their_values(e):
    out = e.buffer("out", bytes(4 * 8))
    per_launch = sum([3, 0, 24][i % 3] for i in range(7))
    for launch in (1, 2):
        clean(e, "statics", 1, 7, pack("Q", out))
        sums = [[3, 0, 24][i % 3] for i in range(7)]
        want = [v + 1 if i % 2 == 0 else v * 2 for i, v in enumerate(sums)]
        same("out", u32s(e.read(out, 32)), want + [1000 + launch * per_launch])


def test_pointers_to_functions(e):
    out = e.buffer("out", pack("I", 20))
    for call, want in ((None, 21), (1, 42), (0, 43)):
        if call is not None:
            clean(e, "set_hook", 1, 1, pack("I", call))
        clean(e, "call_hook", 1, 1, pack("Q", out))
        same("out", u32s(e.read(out, 4)), [want])
    for i, want in enumerate((82, 72, 385, 15, 2, 5, 77, 72, 77, 5)):
        clean(e, "many_steps", 1, 1, pack("IxxxxQ", i, out))
        same("step %d" % i, u32s(e.read(out, 4)), [want])
    ends(e, "no_function", "MD0809", "*out = f(1, 2)", 1, 1, pack("QQ", 0x123456, out), said="0x123456")


def test_threads_wait_in_loops(e):
    words, by = e.buffer("words", bytes(16)), e.buffer("bytes", bytes(3))
    clean(e, "spin", 1, 40, pack("QQ", words, by))
    order = 0
    for me in range(40):
        order = (order * 2 + (me & 1)) & M32
    same("words", u32s(e.read(words, 16)), [0, 40, 40 * 39 // 2, order])
    same("bytes", list(e.read(by, 3)), [14, 13, 13])


def half(f):
    return struct.unpack("<H", struct.pack("<e", f))[0]


def half_exact(num):
    """A fraction rounded once to half precision."""
    from fractions import Fraction
    best = None
    for bits in range(0x7c00):
        v = Fraction(struct.unpack("<e", struct.pack("<H", bits))[0])
        d = abs(v - abs(num))
        if best is None or d < best[0] or (d == best[0] and bits % 2 == 0):
            best = (d, bits)
    return best[1] | (0x8000 if num < 0 else 0)


def test_floats_and_halves(e):
    from fractions import Fraction
    x = [0.1, 1.0, 2.5, 100.25, 0.333, 6e-6, 2048.5, 3.14159]
    bits = [struct.unpack("<f", struct.pack("<f", v))[0] for v in x]
    inp, out = e.buffer("x", pack("8f", *x)), e.buffer("out", bytes(40 * 8))
    clean(e, "floats", 1, 8, pack("QQ", inp, out))
    got = u32s(e.read(out, 320))
    f32 = lambda v: struct.unpack("<I", struct.pack("<f", v))[0]
    near = lambda a, b: abs(a - b) <= 2
    for i, v in enumerate(bits):
        g = got[10 * i:10 * i + 10]
        h = half(v)
        hv = struct.unpack("<e", struct.pack("<H", h))[0]
        third = struct.unpack("<e", struct.pack("<H", 0x3555))[0]
        c = struct.unpack("<e", struct.pack("<H", 0x3c01))[0]
        same("half %g" % v, g[:4], [h, half_exact(Fraction(hv) * Fraction(c) + Fraction(2) ** -24), half(hv + third),
                                    f32(hv)])
        for k, want in ((4, 1 / math.sqrt(v)), (5, 1 / v), (6, math.sin(v))):
            if not near(g[k], f32(want)):
                raise AssertionError("float %d of %g: %x, want about %x" % (k, v, g[k], f32(want)))
        if v < 128 and not near(g[7], f32(2 ** v)):
            raise AssertionError("ex2 of %g: %x" % (v, g[7]))
        same("casts of %g" % v, g[8:], [int(v), min(int(v), 127)])


def test_printing(e):
    clean(e, "talk", 2, 1, pack("ixxxxd", -5, 2.5))
    same("text", e.printed(), "x=   -5|1099511627776|2.50|lane|0x2a|-3|100%\n6\n" * 2)


def test_printing_without_end(e):
    same("status", e.run("endless_talk", 1, 1, limit=1500), STOPPED)
    same("size", 60 << 20 < len(e.printed()) < 65 << 20, True)


def test_clocks(e):
    out = e.buffer("out", bytes(16))
    clean(e, "clocks", 1, 1, pack("Q", out))
    same("out", list(struct.unpack("<2Q", e.read(out, 16))), [1, 1])


# ---- ends ----
def ends(e, name, code, text, *a, where=None, said="", **k):
    status = e.run(name, *a, **k)
    same(name + " " + e.messages(), status, STOPPED)
    f = e.findings()[-1]
    same(name, (f[0], f[1], f[4]), (code, line_of(text) if text else 0, True))
    if where:
        same(name, f[2:4], where)
    if said not in e.messages() or code not in e.messages():
        raise AssertionError("%s says %s" % (name, e.messages()))
    test_an_elementwise_kernel(e)  # the object is as good as before


def test_endless_loops(e):
    x = e.buffer("x", bytes(4))
    ends(e, "endless", "MD0805", "x.read_volatile()", 1, 3, pack("Q", x), limit=50)
    ends(e, "endless_empty", "MD0805", "fn endless_empty", 1, 3, limit=50)
    ends(e, "tree", "MD0805", "fn wide(x: u64)", 1, 1, pack("Q", e.buffer("o", bytes(8))), limit=50)
    same("grid", e.run("saxpy", (0x7fffffff, 100), 64, pack("fxxxxQQQ", 1.0, x, x, 0), limit=50), STOPPED)
    same("grid", e.findings()[-1][0], "MD0805")


def test_stack_overflow(e):
    ends(e, "recursion", "MD0806", "fn deep(x: u32)", 1, 2, pack("Q", e.buffer("o", bytes(4))))


def test_traps(e):
    out = e.buffer("out", bytes(4))
    ends(e, "index", "MD0803", "a[(i + tid_x()) as usize]", 1, 8, pack("IxxxxQ", 1, out), where=((0, 0, 0), (2, 0, 0)),
         said="index out of bounds")
    ends(e, "index", "MD0803", "a[(i + tid_x()) as usize]", 1, 1, pack("IxxxxQ", M32, out), said="index out of bounds")
    ends(e, "index", "MD0803", "a[(i + tid_x()) as usize]", 1, 2, pack("IxxxxQ", M32, out), said="index out of bounds")
    ends(e, "says_no", "MD0804", "assert_fail(b", 2, 64, pack("I", 33), where=((0, 0, 0), (33, 0, 0)),
         said="x is not the thread")
    if e.checks or e.opt == 0:  # otherwise the optimiser may take it for what does not happen, as for a GPU
        ends(e, "cannot_be", "MD0809", "fn cannot_be", 1, 1, pack("IxxxxQ", 2, out))


def test_misaligned_accesses(e):
    p = e.buffer("p", bytes(64))
    clean(e, "misaligned", 1, 1, pack("QI", p, 32))
    same("sum", struct.unpack("<Q", e.read(p + 40, 8))[0], 5)
    if e.checks:
        ends(e, "misaligned", "MD0810", "as *const AtomicU32)).fetch_add(1", 1, 1, pack("QI", p, 34), said="multiple of 4")
        ends(e, "misaligned", "MD0810", ".cast::<u64>() += 5", 1, 1, pack("QI", p, 28), said="multiple of 8")


def test_threads_that_wait_for_each_other(e):
    ends(e, "stuck", "MD0808", "syncwarp(!0)", 1, 32,
         pack("Q", e.buffer("out", bytes(4))))


def test_a_wild_pointer_without_checks(e):
    if e.checks:
        same("status", e.run("wild", 1, 1, pack("Q", 0x123456789000)), FINDINGS)
        same("line", e.findings()[0][1], line_of("*p = 1"))
    else:
        ends(e, "wild", "MD0807", None, 1, 1, pack("Q", 0x123456789000), said="0x123456789000")
        ends(e, "wild", "MD0807", None, 1, 1, pack("Q", 8), said="0x8")


# ---- what is refused ----
def refused(e, code, name, *a, said="", **k):
    same(name, e.run(name, *a, **k), REFUSED)
    if code not in e.messages() or said not in e.messages():
        raise AssertionError("%s says %s" % (name, e.messages()))


def test_refusals(e):
    p = pack("Q", e.buffer("out", bytes(64)))
    refused(e, "MD0800", "calls_outside", 1, 1, p, said="outside_of_the_dump")
    refused(e, "MD0801", "inline_ptx", 1, 1, p, said="inline PTX")
    refused(e, "MD0802", "shape", 1, 1025, p, said="1025")
    refused(e, "MD0802", "shape", 1, (1, 1, 65), p)
    refused(e, "MD0802", "shape", (1, 65536), 1, p)
    refused(e, "MD0802", "shape", 0, 1, p)
    refused(e, "MD0802", "shape", 1, (32, 32, 2), p, said="2048")
    refused(e, "MD0802", "shape", 1, 1, b"1234", said="8 bytes of parameters, not 4")
    refused(e, "MD0802", "reverse", 1, 1, p, shared=232449)
    refused(e, "MD0802", "there is no such kernel", 1, 1, p)


def test_a_damaged_file_is_refused(e):
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "cut.pmir.json")
        with open(path, "wb") as f:
            f.write(e.text[:len(e.text) // 2])
        x = Emulator(path)
        same("status", x.status, REFUSED)
        same("kernels", x.kernel("saxpy"), M32)
        if "MD02" not in x.messages():
            raise AssertionError(x.messages())
        x.close()


def test_no_memory(e):
    script = ("import resource, sys; sys.path.insert(0, %r); import emu_lib; lib = emu_lib.library()\n"
              "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
              "x = emu_lib.Emulator(%r); print(x.status, x.messages())" % (HERE, e.path))
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60).stdout
    if "MD0813" not in out or not out.startswith("3"):
        raise AssertionError(out)


def test_objects_side_by_side(e):
    """Two threads, an object each; a fault in one is no business of the other's."""
    import threading
    wrong = []

    def work(opt):
        try:
            x = Emulator(e.path, opt, e.checks)
            for _ in range(3):
                test_barriers_that_count(x)
                test_stack_overflow(x)
                test_statics_again(x)
            x.close()
        except AssertionError as why:
            wrong.append(str(why))

    def test_statics_again(x):
        out = x.buffer("out", bytes(32))
        clean(x, "statics", 1, 7, pack("Q", out))

    crew = [threading.Thread(target=work, args=(o,)) for o in (0, 2)]
    for t in crew:
        t.start()
    for t in crew:
        t.join()
    same("wrong", wrong, [])


def compile_kernels(out):
    with open(SOURCE, encoding="utf-8") as f:
        names = re.findall(r"^pub unsafe fn (\w+)\(", f.read(), re.M)
    argv = [os.path.join(emu_lib.BUILD, "bin", "mirdc-rustc"), "-o", out]
    for n in names:
        argv += ["--entry", n]
    p = subprocess.run(argv + [SOURCE, "--", "--edition=2024", "-Coverflow-checks=on"], capture_output=True, text=True)
    if p.returncode != 0:
        raise SystemExit("not ok compiling the kernels: " + p.stderr[-3000:])


def main():
    tests = [(n[5:].replace("_", " "), f) for n, f in globals().items() if n.startswith("test_")]
    failed = 0
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "engine.pmir.json")
        compile_kernels(path)
        for opt, checks in ((0, 0), (3, 0), (0, emu_lib.ALL), (2, emu_lib.ALL)):
            for name, f in tests:
                e = Emulator(path, opt, checks)
                e.path, e.opt, e.checks = path, opt, checks
                try:
                    f(e)
                    print("ok %s, -O%d, checks %s" % (name, opt, "on" if checks else "off"))
                except AssertionError as why:
                    failed += 1
                    print("not ok %s, -O%d, checks %s: %s" % (name, opt, "on" if checks else "off", why))
                e.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
