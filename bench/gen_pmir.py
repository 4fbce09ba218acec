#!/usr/bin/env python3
"""Writes a big valid dump: gen_pmir.py FUNCTIONS [--kernels K] [--chain C] [--out FILE]

The functions look like what rustc prints for numeric kernels: bounds checks, arithmetic on slices,
an Option, calls, names and spans of realistic length. Each calls the next one; with --chain, the last of
each C functions calls itself instead. The same arguments give the same bytes.
"""
import argparse, json, sys

F32, SLICE, REF, USIZE, BOOL, UNIT, U32, PAIR, OPT, ISIZE, PTR = range(11)


def types():
    def t(kind, name, size, align, **more):
        return {"kind": kind, "name": name, "size": size, "align": align, "src": "layout", **more}
    leaf = [["0x0", "0x0", {"variant": 0}], ["0x1", "0x1", {"variant": 1}]]
    return [
        t("float", "f32", 4, 4, bits=32),
        t("slice", "[f32]", 0, 4, elem=F32),
        t("ptr", "&mut [f32]", 16, 8, to=SLICE, mut=True, ref=True, meta="len"),
        t("int", "usize", 8, 8, bits=64, signed=False),
        t("bool", "bool", 1, 1),
        t("tuple", "()", 0, 1, fields=[]),
        t("int", "u32", 4, 4, bits=32, signed=False),
        t("tuple", "(u32, bool)", 8, 4, fields=[{"name": "0", "ty": U32, "off": 0},
                                                {"name": "1", "ty": BOOL, "off": 4}]),
        t("enum", "core::option::Option<u32>", 8, 4, discr_ty=ISIZE, variants=[
            {"name": "None", "discr": "0x0", "fields": [], "set": [[0, 32, "0x0"]]},
            {"name": "Some", "discr": "0x1", "fields": [{"name": "0", "ty": U32, "off": 4}],
             "set": [[0, 32, "0x1"]]}],
          get={"at": 0, "bits": 32, "cases": leaf, "else": {"invalid": True}}),
        t("int", "isize", 8, 8, bits=64, signed=True),
        t("ptr", "*const f32", 8, 8, to=F32, mut=False, ref=False, meta="none"),
    ]


def local_types(n):
    """Structs as generic code makes them: many, small."""
    return [{"kind": "struct", "name": "demo::state::State<%d, f32>" % i, "size": 16, "align": 8,
             "src": "debuginfo", "fields": [{"name": "at", "ty": PTR, "off": 0},
                                            {"name": "left", "ty": U32, "off": 8}]}
            for i in range(n)]


def function(i, callee, span, state):
    s = span
    blocks = [
        [[["=", [6], ["un", "PtrMetadata", ["c", [2]]], s],
          ["=", [7], ["bin", "Lt", ["c", [3]], ["c", [6]]], s + 1]],
         ["assert", ["m", [7]], True, "bounds", [["m", [6]], ["c", [3]]], 1, s + 1]],
        [[["=", [8], ["use", ["c", [2, "*", ["i", 3]]]], s + 2],
          ["=", [9], ["bin", "Mul", ["c", [8]], ["c", [1]]], s + 2],
          ["=", [2, "*", ["i", 3]], ["bin", "Add", ["m", [9]], ["k", F32, "0x3f800000"]], s + 3],
          ["=", [10], ["bin", "AddWithOverflow", ["c", [4]], ["k", U32, "0x1"]], s + 4]],
         ["assert", ["c", [10, ["f", 1, BOOL]]], False, "add_overflow", [["c", [4]]], 2, s + 4]],
        [[["=", [11], ["use", ["m", [10, ["f", 0, U32]]]], s + 4],
          ["=", [12], ["agg", OPT, 1, [["c", [11]]]], s + 5],
          ["=", [13], ["discr", [12]], s + 6],
          ["=", [14], ["raw", False, [2, "*", ["i", 3]]], s + 6],
          ["=", [15], ["agg", state, 0, [["c", [14]], ["c", [11]]]], s + 6]],
         ["switch", ["m", [13]], [["0x0", 3], ["0x1", 4]], None]],
        [[], ["goto", 5]],
        [[["=", [4], ["use", ["c", [12, ["v", 1], ["f", 0, U32]]]], s + 7]],
         ["call", ["fn", callee], [["c", [1]], ["c", [2]], ["c", [3]], ["c", [4]]], [5], 5, s + 8]],
        [[["=", [0], ["use", ["z", UNIT]], s + 9]], ["ret"]],
    ]
    return {"name": "demo::kernels::stage%d::<f32, %d>" % (i % 97, i),
            "symbol": "_RINvNtCs_4demo7kernels5stageKj%x_E" % i, "kind": "item", "abi": "rust",
            "n_args": 4,
            "locals": [UNIT, [F32, "scale", s], [REF, "out", s], [USIZE, "i", s], [U32, "count", s],
                       UNIT, USIZE, BOOL, F32, F32, PAIR, U32, OPT, ISIZE, PTR, state],
            "blocks": blocks, "vars": [["scale", [1], s], ["next", [11], s + 4]], "span": s}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("functions", type=int)
    p.add_argument("--kernels", type=int, default=1)
    p.add_argument("--chain", type=int, metavar="C")
    p.add_argument("--out")
    a = p.parse_args()
    n = max(a.functions, a.kernels)
    out = open(a.out, "w") if a.out else sys.stdout
    dump = lambda v: json.dumps(v, separators=(",", ":"))
    states = max(1, n // 4)
    table = types() + local_types(states)
    out.write('{"schema":"pmir","version":1,"requires":[],\n"producer":%s,\n' % dump(
        {"tool": "mirdc-rustc 0.1.0", "rustc": "1.95.0 (59807616e 2026-04-14)",
         "flags": ["-Copt-level=3"]}))
    out.write('"target":{"ptr_bits":64,"endian":"little"},\n"unit":%s,\n' % dump(
        {"crate": "demo", "edition": "2024", "opt_level": "3", "overflow_checks": True,
         "debug_assertions": False, "cfgs": ["unix"], "features": []}))
    out.write('"files":[{"path":"src/lib.rs"},{"path":"src/kernels.rs"}],\n"spans":[\n')
    for i in range(n):
        base = i * 10
        rows = [[1, i + 10 + k, 5, i + 10 + k, 5 + 13 * k] for k in range(9)]
        rows.append([0, 20 + i % 50, 9, 20 + i % 50, 33, base, "core::slice::index::get_mut"])
        out.write(",\n".join(dump(r) for r in rows) + (",\n" if i + 1 < n else "\n"))
    out.write('],\n"types":[\n' + ",\n".join(dump(t) for t in table) + "\n],\n")
    allocs = [{"size": 64, "align": 8, "bytes": "%02x" % (i % 256) * 64} for i in range(n // 10)]
    out.write('"allocs":[\n' + ",\n".join(dump(t) for t in allocs) + '],\n"statics":[],\n"externs":[],\n')
    out.write('"fns":[\n')
    for i in range(n):
        last = i + 1 == n or (a.chain and (i + 1) % a.chain == 0)
        callee = i if last else i + 1
        state = len(types()) + i % states
        out.write(dump(function(i, callee, i * 10, state)) + (",\n" if i + 1 < n else "\n"))
    scalar = lambda name, ty, size: {"name": name, "ty": ty, "pass": "scalar", "size": size,
                                     "align": size, "fields": []}
    kernels = [{"fn": i * (n // a.kernels), "name": "kernel_%d" % i, "path": "demo::kernel_%d" % i,
                "span": 0, "protocol": 1, "launch": {}, "params": [
                    scalar("scale", F32, 4),
                    {"name": "out", "ty": REF, "pass": "slice", "size": 16, "align": 8, "fields": []},
                    scalar("i", USIZE, 8), scalar("count", U32, 4)]} for i in range(a.kernels)]
    out.write('],\n"kernels":[\n' + ",\n".join(dump(k) for k in kernels) + "\n]}\n")


main()
