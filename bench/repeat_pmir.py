#!/usr/bin/env python3
"""Makes a big dump of a real one: repeat_pmir.py DUMP COPIES [--out FILE]

Every table is repeated with its ids moved, symbols and kernels get the copy's number. So sizes grow and
proportions stay those of what rustc prints.
"""
import argparse, json, sys


class Copy:
    def __init__(self, dump, n):
        self.n = n
        self.base = {k: len(dump[k]) * n for k in
                     ("files", "spans", "types", "allocs", "statics", "externs", "fns")}

    def id(self, table, v):
        return None if v is None else v + self.base[table]

    def target(self, kind, v):
        return self.id({"alloc": "allocs", "static": "statics", "fn": "fns", "extern": "externs"}[kind], v)

    def ty(self, v):
        return self.id("types", v)

    def span(self, v):
        return self.id("spans", v)

    def symbol(self, s):
        return "%s_%d" % (s, self.n) if self.n else s

    def file_span(self, s):
        s = list(s)
        s[0] = self.id("files", s[0])
        if len(s) > 5:
            s[5] = self.span(s[5])
        return s

    def field(self, f):
        return dict(f, ty=self.ty(f["ty"]))

    def type(self, t):
        t = dict(t)
        for k in ("to", "ret", "elem", "discr_ty"):
            if k in t:
                t[k] = self.ty(t[k])
        if "args" in t:
            t["args"] = [self.ty(a) for a in t["args"]]
        if "fields" in t:
            t["fields"] = [self.field(f) for f in t["fields"]]
        if "variants" in t:
            t["variants"] = [dict(v, fields=[self.field(f) for f in v["fields"]]) for v in t["variants"]]
        return t

    def alloc(self, a):
        a = dict(a)
        if "relocs" in a:
            a["relocs"] = [[o, k, self.target(k, i), add] for o, k, i, add in a["relocs"]]
        return a

    def static(self, s):
        return dict(s, symbol=self.symbol(s["symbol"]), ty=self.ty(s["ty"]),
                    alloc=self.id("allocs", s["alloc"]), span=self.span(s["span"]))

    def extern(self, x):
        return dict(x, symbol=self.symbol(x["symbol"]), args=[self.ty(a) for a in x["args"]],
                    ret=self.ty(x["ret"]), span=self.span(x["span"]))

    def place(self, p):
        return [p[0]] + [["f", s[1], self.ty(s[2])] if s[0] == "f" else s for s in p[1:]]

    def operand(self, o):
        tag = o[0]
        if tag in "cm":
            return [tag, self.place(o[1])]
        o = [tag, self.ty(o[1])] + o[2:]
        if tag == "a":
            o[2] = self.id("allocs", o[2])
        if tag in "pw":
            o[3] = self.target(o[2], o[3])
        return o

    def rvalue(self, r):
        tag = r[0]
        ops = lambda l: [self.operand(o) for o in l]
        if tag in ("use", "rep"):
            return [tag, self.operand(r[1])] + r[2:]
        if tag in ("bin", "un"):
            return r[:2] + ops(r[2:])
        if tag == "cast":
            return [tag, r[1], self.operand(r[2]), self.ty(r[3])]
        if tag in ("ref", "raw"):
            return [tag, r[1], self.place(r[2])]
        if tag == "discr":
            return [tag, self.place(r[1])]
        if tag == "agg":
            return [tag, self.ty(r[1]), r[2], ops(r[3])]
        return [tag, self.ty(r[1])] + ops(r[2:])

    def statement(self, s):
        tag = s[0]
        if tag == "=":
            return [tag, self.place(s[1]), self.rvalue(s[2]), self.span(s[3])]
        if tag == "setv":
            return [tag, self.place(s[1]), s[2], self.span(s[3])]
        if tag in ("assume", "copy"):
            return [tag] + [self.operand(o) for o in s[1:-1]] + [self.span(s[-1])]
        return s

    def callee(self, c):
        tag = c[0]
        if tag == "fn":
            return [tag, self.id("fns", c[1])]
        if tag == "ext":
            return [tag, self.id("externs", c[1])]
        if tag == "intr":
            return [tag, c[1], [self.ty(t) for t in c[2]], c[3]]
        return [tag, self.operand(c[1])]

    def terminator(self, t):
        tag = t[0]
        ops = lambda l: [self.operand(o) for o in l]
        if tag == "switch":
            return [tag, self.operand(t[1])] + t[2:]
        if tag == "call":
            return [tag, self.callee(t[1]), ops(t[2]), self.place(t[3]), t[4], self.span(t[5])]
        if tag == "drop":
            return [tag, self.place(t[1]), self.id("fns", t[2]), t[3], self.span(t[4])]
        if tag == "assert":
            return [tag, self.operand(t[1]), t[2], t[3], ops(t[4]), t[5], self.span(t[6])]
        if tag == "trap":
            return t[:3] + [self.span(t[3])]
        if tag == "ptx":
            args = [a[:2] + [self.operand(x) if isinstance(x[0], str) else self.place(x)
                             for x in a[2:]] for a in t[2]]
            return [tag, t[1], args, t[3], t[4], self.span(t[5])]
        return t

    def local(self, l):
        return [self.ty(l[0]), l[1], self.span(l[2])] if isinstance(l, list) else self.ty(l)

    def fn(self, f):
        f = dict(f, symbol=self.symbol(f["symbol"]), span=self.span(f["span"]),
                 locals=[self.local(l) for l in f["locals"]],
                 blocks=[[[self.statement(s) for s in b[0]], self.terminator(b[1])]
                         for b in f["blocks"]])
        if "vars" in f:
            f["vars"] = [[v[0], self.place(v[1]), self.span(v[2])] for v in f["vars"]]
        return f

    def kernel(self, k):
        return dict(k, fn=self.id("fns", k["fn"]), name=self.symbol(k["name"]),
                    span=self.span(k["span"]),
                    params=[dict(p, ty=self.ty(p["ty"])) for p in k["params"]])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dump")
    p.add_argument("copies", type=int)
    p.add_argument("--out")
    a = p.parse_args()
    with open(a.dump, encoding="utf-8") as f:
        dump = json.load(f)
    out = open(a.out, "w", encoding="utf-8") if a.out else sys.stdout
    text = lambda v: json.dumps(v, separators=(",", ":"), ensure_ascii=False)
    copies = [Copy(dump, n) for n in range(a.copies)]
    parts = {"files": lambda c, x: dict(x, path="c%d/%s" % (c.n, x["path"])),
             "spans": Copy.file_span, "types": Copy.type, "allocs": Copy.alloc,
             "statics": Copy.static, "externs": Copy.extern, "fns": Copy.fn,
             "kernels": Copy.kernel}
    first = True
    for key, value in dump.items():
        out.write(("{" if first else ",\n") + text(key) + ":")
        first = False
        if key not in parts:
            out.write(text(value))
            continue
        out.write("[")
        for c in copies:
            if c.n and value:
                out.write(",\n")
            out.write(",".join(text(parts[key](c, x)) for x in value))
        out.write("]")
    out.write("}\n")


main()
