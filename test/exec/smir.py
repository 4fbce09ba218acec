#!/usr/bin/env python3
"""Writes a prepared dump in the form of stable-mir-json, with all that this form leaves out: layouts of
closures, types of function items and pointers, names of fields, what is a kernel. What comes back from
the reader of such dumps must compute the same.

  test/exec/smir.py FILE.pmir.json FILE.smir.json      prints the functions that the form can say

A function that the form cannot say (vtables, addresses of functions in memory, inline PTX) is left out,
and so is what reaches it."""
import json, sys

PANIC = "core::panicking::panic"
INT = {(8, True): "I8", (16, True): "I16", (32, True): "I32", (64, True): "I64", (128, True): "I128",
       (8, False): "U8", (16, False): "U16", (32, False): "U32", (64, False): "U64", (128, False): "U128"}
CASTS = {"IntToInt": "IntToInt", "IntToFloat": "IntToFloat", "FloatToInt": "FloatToInt",
         "FloatToFloat": "FloatToFloat", "PtrToPtr": "PtrToPtr", "Transmute": "Transmute",
         "PtrToInt": "PointerExposeAddress", "IntToPtr": "PointerWithExposedProvenance",
         "Unsize": {"PointerCoercion": "Unsize"}}
TRAPS = {"add_overflow": "Add", "sub_overflow": "Sub", "mul_overflow": "Mul", "div_overflow": "Div",
         "rem_overflow": "Rem", "shl_overflow": "Shl", "shr_overflow": "Shr"}
FLOATS = set("fabs sqrt floor ceil trunc round round_ties_even copysign fma fmuladd minnum maxnum minimum maximum sin "
             "cos exp exp2 log log2 log10 pow powi".split())
LIBM = set("tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh expm1 log1p cbrt hypot fdim tgamma lgamma "
           "erf erfc".split())
RENAMED = {"funnel_shl": "unchecked_funnel_shl", "funnel_shr": "unchecked_funnel_shr", "atomic_add": "atomic_xadd",
           "atomic_sub": "atomic_xsub", "atomic_cas": "atomic_cxchg", "typed_swap": "typed_swap_nonoverlapping",
           "compiler_fence": "atomic_singlethreadfence"}
ORDERS = ["relaxed", "acquire", "release", "acqrel", "seqcst"]
NO_SPAN = 1


class Unsayable(Exception):
    pass


def bits(n):
    return {"num_bits": n * 8}


def scalar(n, signed=False):
    return {"Initialized": {"value": {"Int": {"length": "I%d" % n, "signed": signed}},
                            "valid_range": {"start": 0, "end": (1 << n) - 1}}}


def layout(size, align, fields, variants=None, abi=None):
    return {"fields": fields, "variants": variants or {"Single": {"index": 0}},
            "abi": abi or {"Aggregate": {"sized": True}}, "abi_align": align, "size": bits(size)}


def arbitrary(offs):
    return {"Arbitrary": {"offsets": [bits(o) for o in offs]}}


class Writer:
    def __init__(self, dump):
        self.d = dump
        self.types, self.functions, self.allocs, self.spans = {}, {}, {}, {NO_SPAN: ["no-location", 0, 0, 0, 0]}
        self.statics, self.items = {}, {}
        self.tuples, self.panics = {}, {}
        self.callees, self.next_fn = {}, 900000
        self.state, self.count = {}, 0

    # ---- types: sparse ids, in no order ----
    def ty(self, t):
        i = 3 * t + 7
        if self.d["types"][t]["kind"] not in ("fndef", "fnptr", "closure"):
            self.once(self.types, i, lambda: self.type_row(self.d["types"][t]))
        return i

    def once(self, table, i, make):
        """What cannot be said once cannot be said the next time; None: it is being made."""
        if table.get(i) == "unsayable":
            raise Unsayable("something that was left out before")
        if i in table:
            return
        table[i] = None
        try:
            table[i] = make()
        except Unsayable:
            table[i] = "unsayable"
            raise

    def fields(self, fs):
        return [self.ty(f["ty"]) for f in fs]

    def type_row(self, t):
        k, size, align = t["kind"], t["size"], t["align"]
        adt = {"name": t["name"], "adt_def": 5}
        if k == "int":
            sized = {"usize": {"Uint": "Usize"}, "isize": {"Int": "Isize"}}.get(t["name"])
            return {"PrimitiveType": sized or {"Int" if t["signed"] else "Uint": INT[t["bits"], t["signed"]]}}
        if k == "float":
            return {"PrimitiveType": {"Float": "F%d" % t["bits"]}}
        if k in ("bool", "char", "str"):
            return {"PrimitiveType": k.capitalize()}
        if k == "never":
            return "VoidType"
        if k == "ptr":
            row = {"pointee_type": self.ty(t["to"]), "layout": layout(size, align, "Primitive")}
            if t["mut"] or len(t["name"]) % 2:
                row["mutability"] = "Mut" if t["mut"] else "Not"  # older versions do not say it
            else:
                row["mutability"] = "Not"
            return {"RefType" if t["ref"] else "PtrType": row}
        if k in ("array", "slice"):
            n = {"kind": {"Value": [1, self.bytes_of((t["len"]).to_bytes(8, "little"), 8)]}, "id": 1} if k == "array" else None
            shape = {"Array": {"stride": bits(0), "count": t.get("len", 0)}}
            return {"ArrayType": {"elem_type": self.ty(t["elem"]), "size": n, "layout": layout(size, align, shape)}}
        if k == "tuple":
            return {"TupleType": {"types": self.fields(t["fields"]),
                                  "layout": layout(size, align, arbitrary(f["off"] for f in t["fields"]))}}
        if k == "struct":
            adt.update(fields=self.fields(t["fields"]), layout=layout(size, align, arbitrary(f["off"] for f in t["fields"])))
            return {"StructType": adt}
        if k == "opaque":
            bytes_ = 600001 + 2 * size
            self.types[600000] = {"PrimitiveType": {"Uint": "U8"}}
            n = {"kind": {"Value": [1, self.bytes_of(size.to_bytes(8, "little"), 8)]}, "id": 1}
            self.types[bytes_] = {"ArrayType": {"elem_type": 600000, "size": n,
                                                "layout": layout(size, 1, {"Array": {"stride": bits(1), "count": size}})}}
            adt.update(fields=[bytes_], layout=layout(size, align, arbitrary([0])))
            return {"StructType": adt}
        if k == "union":
            adt.update(fields=self.fields(t["fields"]), layout=layout(size, align, {"Union": max(1, len(t["fields"]))}))
            return {"UnionType": adt}
        if k == "dyn":
            return {"DynType": {"name": t["name"], "layout": None}}
        return {"EnumType": self.enum_row(t)}

    def enum_row(self, t):
        vs, get = t["variants"], t["get"]
        row = {"name": t["name"], "adt_def": 5, "discriminants": [int(v["discr"], 16) for v in vs],
               "fields": [self.fields(v["fields"]) for v in vs]}
        one = lambda v, i: layout(t["size"], t["align"], arbitrary(f["off"] for f in v["fields"]), {"Single": {"index": i}},
                                  "Uninhabited" if v.get("uninhabited") else None)
        if "variant" in get:
            i = get["variant"]
            row["layout"] = layout(t["size"], t["align"], arbitrary(f["off"] for f in vs[i]["fields"]), {"Single": {"index": i}})
            return row
        if "invalid" in get:
            row["layout"] = layout(t["size"], t["align"], arbitrary([]), {"Single": {"index": 0}}, "Uninhabited")
            if vs:
                raise Unsayable("an enum without values")
            return row
        width = get["bits"]
        tags = {v: int(s["set"][0][2], 16) for v, s in enumerate(vs) if s["set"]}
        untagged = [v for v, s in enumerate(vs) if not s["set"] and not s.get("uninhabited")]
        signed = self.d["types"][t["discr_ty"]]["signed"]
        direct = "invalid" in get["else"] and not untagged and all(
            tags[v] == int(vs[v]["discr"], 16) & ((1 << width) - 1) for v in tags)
        if direct:
            enc = "Direct"
            row["discriminants"] = [int(v["discr"], 16) & ((1 << width) - 1) for v in vs]
        elif len(untagged) == 1 and tags:
            lo, hi = min(tags), max(tags)
            start = tags[lo]
            if any((start + v - lo) % (1 << width) != tags[v] for v in tags):
                raise Unsayable("a niche with holes")
            enc = {"Niche": {"untagged_variant": untagged[0], "niche_variants": {"start": lo, "end": hi}, "niche_start": start}}
        else:
            raise Unsayable("tags of another kind")
        multiple = {"tag": scalar(width, signed), "tag_encoding": enc, "tag_field": 0,
                    "variants": [one(v, i) for i, v in enumerate(vs)]}
        row["layout"] = layout(t["size"], t["align"], arbitrary([get["at"]]), {"Multiple": multiple})
        return row

    def tuple_of(self, tys):
        """A tuple type for the arguments or captures of a closure."""
        key = tuple(tys)
        if key not in self.tuples:
            i = 500000 + 2 * len(self.tuples)
            self.tuples[key] = i
            at, align, offs = 0, 1, []
            for t in tys:
                r = self.d["types"][t]
                at = -(-at // r["align"]) * r["align"]
                offs.append(at)
                at, align = at + r["size"], max(align, r["align"])
            self.types[i] = {"TupleType": {"types": [self.ty(t) for t in tys],
                                           "layout": layout(-(-at // align) * align, align, arbitrary(offs))}}
        return self.tuples[key]

    # ---- memory ----
    def bytes_of(self, b, align=1, prov=(), mut="Mut", init=None):
        return {"bytes": [v if init is None or init[i] else None for i, v in enumerate(b)],
                "provenance": {"ptrs": list(prov)}, "align": align, "mutability": mut}

    def alloc_id(self, kind, n):
        if kind == "static":
            i = 20001 + 2 * n
            self.once(self.statics, n, lambda: self.static(n))
            self.allocs[i] = {"Static": 300 + n}
        elif kind == "alloc":
            i = 20000 + 2 * n
            self.once(self.allocs, i, lambda: {"Memory": self.allocation(self.d["allocs"][n])})
        else:
            raise Unsayable("the address of a %s in memory" % kind)
        return i

    def allocation(self, a, lo=0, hi=None, align=None):
        data = bytearray.fromhex(a["bytes"])
        hi = len(data) if hi is None else hi
        init = [not a.get("init")] * len(data)
        for x, y in a.get("init") or []:
            init[x:y] = [True] * (y - x)
        prov = []
        for off, kind, n, add in a.get("relocs") or []:
            if lo <= off < hi:
                data[off:off + 8] = (int(str(add), 0) % (1 << 64)).to_bytes(8, "little")
                init[off:off + 8] = [True] * 8
                prov.append([off - lo, self.alloc_id(kind, n)])
        mut = "Mut" if a.get("mut") else "Not"
        return self.bytes_of(data[lo:hi], align or a["align"], prov, mut, init[lo:hi])

    def static(self, n):
        s = self.d["statics"][n]
        if s["alloc"] is None:
            raise Unsayable("a static without a value")
        a = dict(self.d["allocs"][s["alloc"]], mut=s["mut"])
        return {"symbol_name": "_ZN4test%d%s17h%016xE" % (len(s["symbol"]), s["symbol"], n), "details": None,
                "mono_item_kind": {"MonoItemStatic": {"name": s["name"], "id": 300 + n, "allocation": self.allocation(a)}}}

    # ---- operands ----
    def const(self, t, kind):
        return {"Constant": {"span": NO_SPAN, "user_ty": None, "const_": {"kind": kind, "ty": t, "id": 0}}}

    def value(self, t, b, prov=(), init=None):
        return self.const(self.ty(t), {"Allocated": self.bytes_of(b, self.d["types"][t]["align"], prov, init=init)})

    def place(self, p):
        return {"local": p[0], "projection": [self.step(s) for s in p[1:]]}

    def step(self, s):
        if s == "*":
            return "Deref"
        if s[0] == "f":
            return {"Field": [s[1], self.ty(s[2])]}
        if s[0] == "v":
            return {"Downcast": s[1]}
        if s[0] == "i":
            return {"Index": s[1]}
        if s[0] == "c":
            return {"ConstantIndex": {"offset": s[1], "min_length": s[2], "from_end": s[3]}}
        return {"Subslice": {"from": s[1], "to": s[2], "from_end": s[3]}}

    def operand(self, o):
        form = o[0]
        if form in "cm":
            return {"Copy" if form == "c" else "Move": self.place(o[1])}
        t = self.d["types"][o[1]]
        if form == "z":
            return self.const(self.ty(o[1]), "ZeroSized")
        if form == "u":
            return self.value(o[1], bytes(t["size"]), init=[False] * t["size"])
        if form == "k":
            return self.value(o[1], int(o[2], 16).to_bytes(t["size"], "little"))
        if form == "a":
            return self.const(self.ty(o[1]), {"Allocated": self.allocation(self.d["allocs"][o[2]], o[3], o[3] + t["size"],
                                                                           t["align"])})
        add = (int(str(o[4]), 0) % (1 << 64)).to_bytes(8, "little")
        if form == "w":
            add += int(o[5], 16).to_bytes(8, "little")
        return self.value(o[1], add, [[0, self.alloc_id(o[2], o[3])]])

    # ---- functions ----
    def span(self, s):
        if s is None:
            return NO_SPAN
        r = self.d["spans"][s]
        self.spans[10 + s] = [self.d["files"][r[0]]["path"]] + r[1:5]
        return 10 + s

    def callee(self, key, row):
        if key not in self.callees:
            self.callees[key] = self.next_fn
            self.functions[self.next_fn] = row
            self.next_fn += 2
        return self.const(self.callees[key], "ZeroSized")

    def symbol(self, n):
        f = self.d["fns"][n]
        return "_ZN4test%d%s17h%016xE" % (len(f["symbol"]), f["symbol"], n)

    def fn_value(self, n):
        self.needs.add(n)
        return self.callee(("fn", n), {"NormalSym": self.symbol(n)})

    def panic(self, name, text=""):
        path = name.split("::")
        sym = "_ZN" + "".join("%d%s" % (len(p), p) for p in path) + "17h0123456789abcdefE"
        args = []
        if text:
            i = 60001 + 2 * len(self.panics)
            self.panics[i] = text
            self.allocs[i] = {"Memory": self.bytes_of(text.encode(), mut="Not")}
            self.types[700001] = {"RefType": {"pointee_type": 700003, "layout": layout(16, 8, "Primitive"), "mutability": "Not"}}
            self.types[700003] = {"PrimitiveType": "Str"}
            args = [self.const(700001, {"Allocated": self.bytes_of(bytes(8) + len(text.encode()).to_bytes(8, "little"), 8, [[0, i]])})]
        return {"Call": {"func": self.callee(("panic", name), {"NormalSym": sym}), "args": args,
                         "destination": {"local": 0, "projection": []}, "target": None, "unwind": "Continue"}}

    def rvalue(self, rv):
        k = rv[0]
        if k == "use":
            o = rv[1]
            if o[0] == "p" and o[2] == "fn":
                return {"Cast": [{"PointerCoercion": "ReifyFnPointer"}, self.fn_value(o[3]), self.ty(o[1])]}
            return {"Use": self.operand(o)}
        if k == "bin":
            name = rv[1]
            if name.endswith("WithOverflow"):
                return {"CheckedBinaryOp": [name[:-12], self.operand(rv[2]), self.operand(rv[3])]}
            return {"BinaryOp": [name, self.operand(rv[2]), self.operand(rv[3])]}
        if k == "un":
            if rv[1] == "PtrMetadata" and rv[2][0] == "c" and self.is_slice(rv[2][1]):
                self.count += 1
                if self.count % 2:
                    return {"Len": self.place(rv[2][1] + ["*"])}
            return {"UnaryOp": [rv[1], self.operand(rv[2])]}
        if k == "cast":
            return {"Cast": [CASTS[rv[1]], self.operand(rv[2]), self.ty(rv[3])]}
        if k == "ref":
            return {"Ref": [{"kind": "ReErased"}, {"Mut": {"kind": "Default"}} if rv[1] else "Shared", self.place(rv[2])]}
        if k == "raw":
            return {"AddressOf": ["Mut" if rv[1] else "Not", self.place(rv[2])]}
        if k == "discr":
            return {"Discriminant": self.place(rv[1])}
        if k == "rep":
            n = {"kind": {"Value": [1, self.bytes_of(rv[2].to_bytes(8, "little"), 8)]}, "id": 1}
            return {"Repeat": [self.operand(rv[1]), n]}
        if k == "rawfat":
            return {"Aggregate": [{"RawPtr": [self.ty(self.d["types"][rv[1]]["to"]), "Not"]},
                                  [self.operand(rv[2]), self.operand(rv[3])]]}
        t = self.d["types"][rv[1]]
        self.ty(rv[1])
        kind = "Tuple"
        if t["kind"] == "array":
            kind = {"Array": self.ty(t["elem"])}
        elif t["kind"] == "closure":
            kind = {"Closure": [3, [{"Lifetime": {"kind": "ReErased"}}, {"Type": self.tuple_of([f["ty"] for f in t["fields"]])}]]}
        elif t["kind"] == "union":
            kind = {"Adt": [5, 0, [], None, rv[2]]}
        elif t["kind"] != "tuple":
            kind = {"Adt": [5, rv[2], [], None, None]}
        return {"Aggregate": [kind, [self.operand(o) for o in rv[3]]]}

    def is_slice(self, place):
        t = self.place_ty(place)
        return t is not None and t["kind"] == "ptr" and self.d["types"][t["to"]]["kind"] == "slice"

    def place_ty(self, place):
        """Of a place that is a local; others are not looked at."""
        return self.d["types"][self.local_ty(place[0])] if len(place) == 1 else None

    def local_ty(self, n):
        l = self.fn["locals"][n]
        return l if isinstance(l, int) else l[0]

    def stmt(self, s):
        k = s[0]
        if k in ("live", "dead"):
            return {"kind": {"StorageLive" if k == "live" else "StorageDead": s[1]}, "span": NO_SPAN}
        span = self.span(s[-1])
        if k == "=":
            body = {"Assign": [self.place(s[1]), self.rvalue(s[2])]}
        elif k == "setv":
            body = {"SetDiscriminant": {"place": self.place(s[1]), "variant_index": s[2]}}
        elif k == "assume":
            body = {"Intrinsic": {"Assume": self.operand(s[1])}}
        else:
            body = {"Intrinsic": {"CopyNonOverlapping": dict(zip(("dst", "src", "count"), map(self.operand, s[1:4])))}}
        return {"kind": body, "span": span}

    def intrinsic(self, c, args):
        name = RENAMED.get(c[1], c[1])
        if c[1] in LIBM:
            single = self.d["types"][c[2][0]]["bits"] == 32
            return self.callee(("libm", c[1], single), {"NormalSym": c[1] + "f" * single})
        if name in FLOATS:
            name += "f%d" % self.d["types"][c[2][0]]["bits"]
        if c[1] == "slice_get_unchecked" or c[1] == "carrying_mul_add" and c[2][0] != c[2][1]:
            raise Unsayable("the intrinsic " + c[1])
        name += "".join("_" + ORDERS[o] for o in c[3])
        return self.callee(("intr", name), {"IntrinsicSym": name})

    def call(self, t, stmts):
        c, args = t[1], t[2]
        if c[0] == "fn" and self.d["fns"][c[1]]["kind"] == "closure" and args:
            tys = [self.arg_ty(c[1], i) for i in range(1, len(args))]
            self.extra.append(self.tuple_of(tys))
            tmp = {"local": len(self.fn["locals"]) + len(self.extra) - 1, "projection": []}
            stmts.append({"kind": {"Assign": [tmp, {"Aggregate": ["Tuple", [self.operand(a) for a in args[1:]]]}]}, "span": NO_SPAN})
            func, ops = self.fn_value(c[1]), [self.operand(args[0]), {"Move": tmp}]
        else:
            ops = [self.operand(a) for a in args]
            if c[0] == "fn":
                func = self.fn_value(c[1])
            elif c[0] == "ext":
                sym = self.d["externs"][c[1]]["symbol"]
                func = self.callee(("ext", sym), {"NormalSym": sym})
            elif c[0] == "ptr":
                func = self.operand(c[1])
            else:
                func = self.intrinsic(c, args)
        return {"Call": {"func": func, "args": ops, "destination": self.place(t[3]), "target": t[4], "unwind": "Continue"}}

    def arg_ty(self, fn, i):
        l = self.d["fns"][fn]["locals"][1 + i]
        return l if isinstance(l, int) else l[0]

    def term(self, t, stmts, n_blocks):
        k = t[0]
        if k == "goto":
            return {"Goto": {"target": t[1]}}, None
        if k == "ret":
            return "Return", None
        if k == "unreach":
            return "Unreachable", None
        if k == "switch":
            other = n_blocks if t[3] is None else t[3]
            return {"SwitchInt": {"discr": self.operand(t[1]), "targets": {"branches": [[int(v, 16), b] for v, b in t[2]],
                                                                          "otherwise": other}}}, None
        if k == "call":
            return self.call(t, stmts), t[-1]
        if k == "drop":
            if t[2] is not None:
                self.needs.add(t[2])
            return {"Drop": {"place": self.place(t[1]), "target": t[3], "unwind": "Continue"}}, t[-1]
        if k == "assert":
            return {"Assert": {"cond": self.operand(t[1]), "expected": t[2], "msg": self.message(t[3], t[4]), "target": t[5],
                               "unwind": "Continue"}}, t[-1]
        if k == "trap":
            if t[1] == "abort":
                return {"Call": {"func": self.callee("abort", {"IntrinsicSym": "abort"}), "args": [], "target": None,
                                 "destination": {"local": 0, "projection": []}, "unwind": "Continue"}}, t[-1]
            name = PANIC
            if t[1].endswith(("overflow", "zero")):
                name = "core::panicking::panic_const::panic_const_" + t[1].replace("div_zero", "div_by_zero").replace(
                    "rem_zero", "rem_by_zero")
            elif t[1] == "bounds":
                name = "core::panicking::panic_bounds_check"
            elif t[1] != "panic":
                raise Unsayable("a trap for " + t[1])
            return self.panic(name, t[2]), t[-1]
        raise Unsayable(k)

    def message(self, code, ops):
        ops = [self.operand(o) for o in ops]
        if code in TRAPS:
            return {"Overflow": [TRAPS[code]] + (ops * 2)[:2]}  # here one may be left out
        simple = {"neg_overflow": "OverflowNeg", "div_zero": "DivisionByZero", "rem_zero": "RemainderByZero"}
        if code in simple:
            return {simple[code]: ops[0]}
        if code == "bounds":
            return {"BoundsCheck": {"len": ops[0], "index": ops[1]}}
        if code == "misaligned":
            return {"MisalignedPointerDereference": {"required": ops[0], "found": ops[1]}}
        raise Unsayable("an assertion about " + code)

    def body(self, n):
        self.fn, self.extra, self.needs = self.d["fns"][n], [], set()
        f, blocks = self.fn, []
        for stmts, term in f["blocks"]:
            out = [self.stmt(s) for s in stmts]
            kind, span = self.term(term, out, len(f["blocks"]))
            blocks.append({"statements": out, "terminator": {"kind": kind, "span": self.span(span)}})
        blocks.append({"statements": [], "terminator": {"kind": "Unreachable", "span": NO_SPAN}})
        # A block that only unwinding reaches, as real dumps have them.
        blocks.append({"statements": [], "terminator": {"kind": "Resume", "span": NO_SPAN}})
        types = [self.local_ty(i) for i in range(len(f["locals"]))]
        spans = [self.span(l[2]) if not isinstance(l, int) else NO_SPAN for l in f["locals"]]
        for t in types:
            self.ty(t)
        local = [{"ty": self.ty(t), "span": s, "mutability": "Mut"} for t, s in zip(types, spans)]
        local += [{"ty": t, "span": NO_SPAN, "mutability": "Mut"} for t in self.extra]
        info = [{"name": v[0], "source_info": {"span": self.span(v[2]), "scope": 0}, "composite": None,
                 "value": {"Place": self.place(v[1])},
                 "argument_index": v[1][0] if len(v[1]) == 1 and 1 <= v[1][0] <= f["n_args"] else None} for v in f.get("vars") or []]
        name = f["name"]
        if f["kind"] == "glue":
            name = "core::ptr::drop_in_place::<%s>" % self.d["types"][self.d["types"][self.local_ty(1)]["to"]]["name"]
        return {"symbol_name": self.symbol(n), "details": None, "mono_item_kind": {"MonoItemFn": {
            "name": name, "id": n, "body": {"blocks": blocks, "locals": local, "arg_count": f["n_args"],
                                            "var_debug_info": info, "spread_arg": None, "span": self.span(f["span"])}}}}

    def functions_of(self):
        """Names of the exported functions all of which could be written."""
        needs, bad = {}, {}
        for n in range(len(self.d["fns"])):
            try:
                self.items[n] = self.body(n)
                needs[n] = self.needs
            except Unsayable as e:
                bad[n] = str(e)
        changed = True
        while changed:
            changed = False
            for n in list(needs):
                hit = [m for m in needs[n] if m in bad]
                if hit:
                    bad[n] = bad[hit[0]]
                    del needs[n]
                    changed = True
        for n in bad:
            self.items.pop(n, None)
        said = [n for n in needs if self.d["fns"][n].get("export")]
        return said, {self.d["fns"][n]["name"]: why for n, why in bad.items()}

    def text(self):
        unit = 800001
        self.types[unit] = {"TupleType": {"types": [], "layout": layout(0, 1, arbitrary([]))}}
        nothing = {"symbol_name": "_ZN4test7nothing17h0000000000000000E", "details": None, "mono_item_kind": {"MonoItemFn": {
            "name": "nothing", "id": 99999, "body": {"blocks": [{"statements": [], "terminator": {"kind": "Return", "span": NO_SPAN}}],
                                                     "locals": [{"ty": unit, "span": NO_SPAN, "mutability": "Mut"}], "arg_count": 0,
                                                     "var_debug_info": [], "spread_arg": None, "span": NO_SPAN}}}}
        made = lambda table: [(i, v) for i, v in sorted(table.items()) if v and v != "unsayable"]
        items = sorted(list(self.items.values()) + [v for _, v in made(self.statics)] + [nothing], key=lambda i: i["symbol_name"])
        return {"name": self.d["unit"]["crate"], "crate_id": 4383339030477112872,
                "allocs": [{"alloc_id": i, "ty": 0, "global_alloc": a} for i, a in made(self.allocs)],
                "functions": sorted([i, f] for i, f in self.functions.items()), "uneval_consts": [], "items": items,
                "types": sorted(([i, t] for i, t in made(self.types)), key=lambda r: str(r[1])),
                "spans": sorted([i, s] for i, s in self.spans.items()), "debug": None,
                "machine": {"endian": "Little", "pointer_width": {"num_bits": 64}}}


def convert(dump):
    """The text, the names of exported functions in it, and why others are not."""
    w = Writer(dump)
    said, bad = w.functions_of()
    return json.dumps(w.text(), separators=(",", ":")), [dump["fns"][n]["name"] for n in said], bad


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        text, names, bad = convert(json.load(f))
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write(text)
    print(" ".join(names))
    for name, why in sorted(bad.items()):
        print("# left out: %s: %s" % (name, why), file=sys.stderr)


if __name__ == "__main__":
    main()
