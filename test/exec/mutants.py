#!/usr/bin/env python3
"""Can the differential tests fail? Plants faults in the lowering, one at a time, and wants each found.

  mutants.py [--only TEXT] [-j N]

Each fault is a change of one line of ir/, compiled into a copy of the test runner, or of the emulator's for
the clean-up behind the lowering, which the emulator must run at -O3; the dumps, the inputs and
the answers of rustc's own code are made once, by the sources that run.py compares. A fault that no
function finds is a hole in the tests and fails here; so does a row whose line is no longer there.
"""
# slow
import argparse, concurrent.futures, os, shlex, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run

# (file, what stands there, what the fault puts in its place)
FAULTS = [
    ("ll_int.c", "return is_signed ? LLVMBuildSExt(l->b, v, ll_int(l, bits), \"\")",
     "return !is_signed ? LLVMBuildSExt(l->b, v, ll_int(l, bits), \"\")"),
    ("ll_int.c", "r.flag = icmp(l, LLVMIntULT, sub ? a : r.value, sub ? b : a);",
     "r.flag = icmp(l, LLVMIntULE, sub ? a : r.value, sub ? b : a);"),
    ("ll_int.c", "ll_v y = LLVMBuildXor(l->b, sub ? a : b, sub ? b : r.value, \"\");",
     "ll_v y = LLVMBuildXor(l->b, b, r.value, \"\");"),
    ("ll_int.c", "r.flag = icmp(l, LLVMIntNE, ll_resize(l, r.value, 2 * w, is_signed), wide);",
     "r.flag = icmp(l, LLVMIntNE, ll_resize(l, r.value, 2 * w, false), wide);"),
    ("ll_int.c", "ll_v carry = icmp(l, LLVMIntULT, value, low);", "ll_v carry = icmp(l, LLVMIntUGT, value, low);"),
    ("ll_int.c", "ll_v over = LLVMBuildSelect(l->b, neg, icmp(l, LLVMIntUGT, m.value, limit),",
     "ll_v over = LLVMBuildSelect(l->b, neg, icmp(l, LLVMIntUGE, m.value, limit),"),
    ("ll_int.c", "n = LLVMBuildAnd(l->b, n, ll_k(a, w - 1), \"\");", "n = LLVMBuildAnd(l->b, n, ll_k(a, w), \"\");"),
    ("ll_int.c", "return is_signed ? LLVMBuildAShr(l->b, a, n, \"\") : LLVMBuildLShr(l->b, a, n, \"\");",
     "return LLVMBuildLShr(l->b, a, n, \"\");"),
    ("ll_int.c", "return sg ? LLVMBuildSRem(l->b, a, b, \"\") : LLVMBuildURem(l->b, a, b, \"\");",
     "return LLVMBuildURem(l->b, a, b, \"\");"),
    ("ll_int.c", "limit = LLVMBuildSelect(l->b, is_negative(l, a), wide_k(a, max + 1), wide_k(a, max), \"\");",
     "limit = LLVMBuildSelect(l->b, is_negative(l, b), wide_k(a, max + 1), wide_k(a, max), \"\");"),
    ("ll_int.c", "both = LLVMBuildSelect(l->b, icmp(l, LLVMIntEQ, first, ll_k(first, 0)), both, n1, \"\");",
     "both = LLVMBuildSelect(l->b, icmp(l, LLVMIntEQ, first, ll_k(first, 1)), both, n1, \"\");"),
    ("ll_int.c", "b = LLVMBuildLShr(l->b, LLVMBuildLShr(l->b, lo, one, \"\"), m, \"\");",
     "b = LLVMBuildLShr(l->b, lo, m, \"\");"),
    ("ll_rvalue.c", "return sg ? LLVMIntSLE : LLVMIntULE;", "return sg ? LLVMIntSLT : LLVMIntULE;"),
    ("ll_rvalue.c", "return LLVMRealUNE;", "return LLVMRealONE;"),
    ("ll_rvalue.c", "ll_v r = LLVMBuildSelect(l->b, equal, k[1], k[2], \"\");",
     "ll_v r = LLVMBuildSelect(l->b, equal, k[2], k[1], \"\");"),
    ("ll_rvalue.c", "return t->kind == PM_ARRAY ? i * ll_ty(l, t->elem)->size : agg_fields(l, rv, i)->off;",
     "return t->kind == PM_ARRAY ? (rv->n_ops - 1 - i) * ll_ty(l, t->elem)->size : agg_fields(l, rv, i)->off;"),
    ("ll_rvalue.c", "*byte = k & 0xff;\n", "*byte = k & 0x7f;\n"),
    ("ll_rvalue.c", "LLVMBuildICmp(l->b, LLVMIntULT, next, ll_usize(l, n), \"\"), body, done);",
     "LLVMBuildICmp(l->b, LLVMIntULT, next, ll_usize(l, n - 1), \"\"), body, done);"),
    ("ll_float.c", "ll_v low = LLVMBuildFCmp(l->b, LLVMRealULT, a, fmin, \"\");",
     "ll_v low = LLVMBuildFCmp(l->b, LLVMRealULT, a, LLVMConstReal(t, 0.0), \"\");"),
    ("ll_float.c", "return bits <= mantissa ? top - 1 : top - power_of_two(bits - mantissa);",
     "return bits <= mantissa ? top - 1 : top;"),
    ("ll_float.c", "return neg ? LLVMBuildSelect(l->b, neg, ll_fneg(l, r), r, \"\") : r;", "return r;"),
    ("ll_float.c", "r = is_signed ? LLVMBuildSIToFP(l->b, a, t, \"\") : LLVMBuildUIToFP(l->b, a, t, \"\");",
     "r = LLVMBuildSIToFP(l->b, a, t, \"\");"),
    ("ll_float.c", "return from_bits(l, LLVMBuildXor(l->b, b, sign_mask(b), \"\"), LLVMTypeOf(a));",
     "return LLVMBuildFSub(l->b, LLVMConstReal(LLVMTypeOf(a), 0.0), a, \"\");"),
    ("ll_enum.c", "return LLVMBuildICmp(l->b, LLVMIntEQ, tag, lo, \"\");",
     "return LLVMBuildICmp(l->b, LLVMIntULE, tag, lo, \"\");"),
    ("ll_enum.c", "return ll_resize(l, tag, bits, is_signed);", "return ll_resize(l, tag, bits, false);"),
    ("ll_enum.c", "val->v[k] = ll_const_bits(l, &s->leaf[k], set_bits(&v->sets[i]));",
     "val->v[k] = ll_const_bits(l, &s->leaf[k], v->sets[i].lo & 0xff);"),
    ("ll_place.c", "i = LLVMBuildSub(fc->l->b, length_of(fc, p), i, \"\");",
     "i = LLVMBuildSub(fc->l->b, length_of(fc, p), ll_usize(fc->l, s->x + (s->x > 1)), \"\");"),
    ("ll_place.c", "p->meta = LLVMBuildSub(fc->l->b, end, ll_usize(fc->l, s->x), \"\");", "p->meta = end;"),
    ("ll_place.c", "return t->fields[0].off <= t->fields[1].off ? ll_two(l, ty, a, b) : ll_two(l, ty, b, a);",
     "return ll_two(l, ty, b, a);"),
    ("ll_ssa.c", "if (rv->kind == PM_DISCR)", "if (false)"),
    ("ll_term.c", "LLVMBuildCondBr(fc->l->b, v, to[1], to[0]);", "LLVMBuildCondBr(fc->l->b, v, to[0], to[1]);"),
    ("ll_term.c", "uint64_t w[] = {c->lo, c->hi};", "uint64_t w[] = {c->lo, 0};"),
    ("ll_term.c", "if (l->m->unit.overflow_checks)\n    return false;", "if (!l->m->unit.overflow_checks)\n    return false;"),
    ("ll_term.c", "ll_emit_call(fc, ll_want_fn(l, id), &s, &v, NULL);", "(void)v, (void)ll_want_fn(l, id);"),
    ("ll_helper.c", "LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntUGT, d, s, \"\"), down, up);",
     "LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, d, s, \"\"), down, up);"),
    ("ll_helper.c", "LLVMBuildICmp(l->b, LLVMIntUGE, raw, ll_usize(l, 1023 + (is_signed ? 127 : 128)), \"\");",
     "LLVMBuildICmp(l->b, LLVMIntUGE, raw, ll_usize(l, 1023 + 128), \"\");"),
    ("ll_global.c", "r |= (u128)a->bytes[off + i] << (8 * i);", "r |= (u128)a->bytes[off + n - 1 - i] << (8 * i);"),
    ("ll_global.c", "return add == 0 ? base : LLVMConstGEP2(l->i8, base, &off, 1);", "(void)off; return base;"),
    ("ll_mem.c", "LLVMBuildMul(l->b, n, ll_usize(l, size), \"\"), align, overlap);", "n, align, overlap);"),
    ("ll_call.c", "ll_v part = r.n == 1 ? c : LLVMBuildExtractValue(l->b, c, i, \"\");",
     "ll_v part = r.n == 1 ? c : LLVMBuildExtractValue(l->b, c, r.n - 1 - i, \"\");"),
]

# Behind the lowering.
LATE = [
    ("ll_legal.c", "if (LLVMIsPoison(LLVMGetOperand(v, (unsigned)i)))", "if (LLVMIsAConstantInt(LLVMGetOperand(v, (unsigned)i)))"),
    ("ll_legal.c", "return *with != NULL;", "*with = LLVMGetOperand(v, 0); return true;"),
]

# The sources that are asked, with a setting of the overflow checks.
SETS = [("each_int_u8", "on"), ("each_int_i64", "off"), ("data", "on"), ("enums", "on"), ("numbers", "on"),
        ("floats", "on"), ("language", "on"), ("drops", "on"), ("each_int_i8", "on"), ("each_int_i128", "on"),
        ("each_int_u128", "on"), ("each_int_i32", "off"), ("each_signed_i64", "on"), ("private_enums", "on"),
        ("iterators", "on"), ("captures", "on"), ("programs", "on"), ("everyday", "off"), ("found", "on"), ("corners", "on"),
        ("mono", "on"), ("named_consts", "on"), ("string_consts", "on")]


def materials(work):
    """(name, dump, input lines, answers) of each source."""
    texts = {n: t for f in sorted(os.listdir(run.HERE)) if f.endswith(".rs")
             for n, t in run.instances(os.path.join(run.HERE, f))}
    for name, checks in SETS:
        if name not in texts:
            raise SystemExit("not ok no source is called %s" % name)
        folder = os.path.join(work, name)
        os.mkdir(folder)
        pmir, lines, want, _, _ = run.material(name, texts[name], checks, folder, 60)
        yield name, pmir, lines, want


def runner(work, number, fault, emulated):
    """The test runner with one line changed; without a fault the unchanged one."""
    exe = os.path.join(work, "runner%d" % number)
    main = "run_emulator.c" if emulated else "run_pmir.c"
    llvm = ["-I" + subprocess.check_output(["llvm-config-14", "--includedir"], text=True).strip()]
    flags = ["gcc", "-std=c17", "-O1", "-w", "-fPIC", "-I" + run.SRC, "-D_GNU_SOURCE",
             '-DMIRDC_VERSION="0"'] + llvm
    objects = [os.path.join(run.OBJ, "ir", f[:-2] + ".o") for f in sorted(os.listdir(os.path.join(run.SRC, "ir")))
               if f.startswith("ll") and f.endswith(".c") and not (fault and f == fault[0])]
    if fault:
        name, old, new = fault
        with open(os.path.join(run.SRC, "ir", name), encoding="utf-8") as f:
            text = f.read()
        if text.count(old) != 1:
            raise RuntimeError("the line stands there %d times" % text.count(old))
        changed = os.path.join(work, "m%d.c" % number)
        with open(changed, "w", encoding="utf-8") as f:
            f.write(text.replace(old, new))
        run.run(flags + ["-c", "-o", changed[:-1] + "o", changed])
        objects.append(changed[:-1] + "o")
    libs = shlex.split(subprocess.check_output(["llvm-config-14", "--ldflags", "--libs"], text=True))
    archives = [os.path.join(run.OBJ, "lib%s.a" % a) for a in ("ir", "base")]
    if emulated:
        emulator = os.path.join(run.OBJ, "emulator")
        objects += [os.path.join(emulator, f) for f in sorted(os.listdir(emulator)) if f.endswith(".o")]
    run.run(flags + ["-o", exe, os.path.join(run.SRC, "test", "exec", main)] + objects + archives + libs
            + ["-lcjson", "-lcrypto", "-lzstd", "-ldl", "-lpthread", "-lm"])
    return exe


def found_by(exe, sets, emulated):
    """The first function that tells the fault, or that the runner does not survive it."""
    for name, pmir, lines, want in sets:
        try:
            failed = run.replay(exe, pmir, "-O3" if emulated else "-O0", lines, want)
        except (RuntimeError, subprocess.TimeoutExpired) as e:
            return "%s: %s" % (name, str(e).split("\n")[0][-60:])
        if failed:
            return "%s %s" % (name, sorted(failed)[0])
    return ""


def attempt(work, number, fault, sets):
    what = "%s: %s" % (fault[0], " ".join(fault[2].split()))
    late = fault in LATE
    try:
        exe = runner(work, number, fault, late)
        by = found_by(exe, sets, late)
        os.unlink(exe)
    except RuntimeError as e:
        return "not ok %s: %s" % (what, e)
    return "ok %s (%s)" % (what, by) if by else "not ok %s: nothing finds it" % what


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--only", default="")
    ap.add_argument("-j", type=int, default=2)
    args = ap.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        sets = list(materials(work))
        for emulated in (False, True):
            by = found_by(runner(work, 0, None, emulated), sets, emulated)
            print("not ok the unchanged lowering: %s" % by if by else "ok the unchanged lowering is clean", flush=True)
            bad += by != ""
        todo = [(i + 1, f) for i, f in enumerate(FAULTS + LATE) if args.only in " ".join(f)]
        with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
            for said in pool.map(lambda t: attempt(work, t[0], t[1], sets), todo):
                bad += said.startswith("not ok")
                print(said, flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
