"""Random Rust functions of two u64, that the borrow checker takes: every value is Copy, and what
is borrowed is out of reach meanwhile. Used by gen.py."""
import random

COMMON = """
trait Hash { fn hash(&self, s: &mut u64); }
macro_rules! hash_int { ($($t:ty)*) => { $( impl Hash for $t { fn hash(&self, s: &mut u64) { *s = s.rotate_left(7).wrapping_mul(0x9E3779B97F4A7C15) ^ *self as u64; } } )* } }
hash_int!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize bool char);
impl Hash for u128 { fn hash(&self, s: &mut u64) { (*self as u64).hash(s); ((*self >> 64) as u64).hash(s); } }
impl Hash for i128 { fn hash(&self, s: &mut u64) { (*self as u128).hash(s); } }
impl Hash for f32 { fn hash(&self, s: &mut u64) { if *self != *self { 5u32 } else { self.to_bits() }.hash(s); } }
impl Hash for f64 { fn hash(&self, s: &mut u64) { if *self != *self { 5u64 } else { self.to_bits() }.hash(s); } }
impl Hash for () { fn hash(&self, s: &mut u64) { *s ^= 1; } }
impl<T: Hash, const N: usize> Hash for [T; N] { fn hash(&self, s: &mut u64) { for x in self { x.hash(s); } } }
impl<T: Hash> Hash for Option<T> { fn hash(&self, s: &mut u64) { match self { Some(x) => { x.hash(s); 1u8.hash(s) } None => 0u8.hash(s) } } }
impl<T: Hash, E: Hash> Hash for Result<T, E> { fn hash(&self, s: &mut u64) { match self { Ok(x) => x.hash(s), Err(e) => { e.hash(s); 7u8.hash(s) } } } }
impl<A: Hash, B: Hash> Hash for (A, B) { fn hash(&self, s: &mut u64) { self.0.hash(s); self.1.hash(s); } }
impl<A: Hash, B: Hash, C: Hash> Hash for (A, B, C) { fn hash(&self, s: &mut u64) { self.0.hash(s); self.1.hash(s); self.2.hash(s); } }
impl Hash for core::num::NonZeroU32 { fn hash(&self, s: &mut u64) { self.get().hash(s); } }
impl Hash for core::cmp::Ordering { fn hash(&self, s: &mut u64) { (*self as i8).hash(s); } }
type Log = core::cell::Cell<u64>;
struct Dr<'a>(&'a Log, u64);
impl Drop for Dr<'_> { fn drop(&mut self) { self.0.set(self.0.get().rotate_left(5).wrapping_mul(31) ^ self.1); } }
fn pass<T>(x: T) -> T { x }
#[inline(never)] fn keep<T>(x: T) -> T { x }
#[inline(never)] fn fold<T: Copy, A, F: FnMut(A, T) -> A>(v: &[T], a: A, mut f: F) -> A { let mut a = a; let mut i = 0; while i < v.len() { a = f(a, v[i]); i += 1; } a }
#[inline(never)] fn twice<T, F: Fn(T) -> T>(f: F, x: T) -> T { f(f(x)) }
#[inline(never)] fn times<F: FnMut(u64)>(n: u64, mut f: F) { for i in 0..n { f(i) } }
"""

UNSIGNED = ["u8", "u16", "u32", "u64", "u128", "usize"]
SIGNED = ["i8", "i16", "i32", "i64", "i128", "isize"]
INTS = UNSIGNED + SIGNED
FLOATS = ["f32", "f64"]
BITS = {t: 64 if t.endswith("size") else int(t[1:]) for t in INTS}


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.items, self.structs, self.enums, self.helpers = [], [], [], []
        self.n = 0
        self.scope = []
        self.fuel = 0
        self.loops = []
        self.log = None
        self.ret = None

    # -- names and types

    def name(self, p):
        self.n += 1
        return "%s%d" % (p, self.n)

    def text(self, t):
        if isinstance(t, str):
            return t
        k = t[0]
        if k == "arr":
            return "[%s; %d]" % (self.text(t[1]), t[2])
        if k == "tup":
            return "(%s)" % ", ".join(self.text(x) for x in t[1])
        if k == "opt":
            return "Option<%s>" % self.text(t[1])
        if k == "res":
            return "Result<%s, %s>" % (self.text(t[1]), self.text(t[2]))
        return t[1]

    def scalar(self):
        return self.r.choice(INTS * 3 + ["u64", "u32", "i32"] * 4 + FLOATS * 4 + ["bool", "bool", "char"])

    def type(self, depth=2):
        k = self.r.random()
        if depth == 0 or k < 0.5:
            return self.scalar()
        if k < 0.62:
            return ("arr", self.type(depth - 1), self.r.choice([1, 2, 3, 4, 5, 7, 8]))
        if k < 0.72:
            return ("tup", tuple(self.type(depth - 1) for _ in range(self.r.choice([2, 2, 3]))))
        if k < 0.80:
            return ("opt", self.type(depth - 1))
        if k < 0.84:
            return ("res", self.type(depth - 1), self.r.choice([self.type(depth - 1), "()"]))
        if k < 0.92 and self.structs:
            return self.r.choice(self.structs)
        if self.enums:
            return self.r.choice(self.enums)
        return self.scalar()

    def fields_of(self, t):
        """Parts of a value that a place can name: (suffix, type)."""
        if isinstance(t, str):
            return []
        if t[0] == "tup":
            return [(".%d" % i, x) for i, x in enumerate(t[1])]
        if t[0] == "st":
            return [("." + f, x) for f, x in t[2]]
        return []

    # -- items

    def add_struct(self):
        n = self.name("S")
        fs = [("f%d" % i, self.type(1)) for i in range(self.r.randint(1, 5))]
        rep = self.r.choice(["", "", "", "#[repr(C)] ", "#[repr(align(16))] "])
        self.items.append("#[derive(Clone, Copy, PartialEq)] %sstruct %s { %s }" % (rep, n, ", ".join(
            "%s: %s" % (f, self.text(t)) for f, t in fs)))
        self.items.append("impl Hash for %s { fn hash(&self, s: &mut u64) { %s } }" % (n, " ".join(
            "self.%s.hash(s);" % f for f, _ in fs)))
        self.structs.append(("st", n, fs))

    def add_enum(self):
        n = self.name("E")
        vs = []
        for i in range(self.r.choice([1, 2, 2, 3, 4, 5, 9])):
            k = self.r.random()
            vs.append(("V%d" % i, [self.type(1) for _ in range(0 if k < 0.35 else 1 if k < 0.75 else self.r.randint(2, 3))]))
        plain = all(not p for _, p in vs)
        rep = self.r.choice(["", "", "", "#[repr(u8)] ", "#[repr(i16)] ", "#[repr(u64)] "]) if len(vs) > 1 else ""
        disc = plain and len(vs) > 1 and self.r.random() < 0.6
        head = []
        for i, (v, p) in enumerate(vs):
            d = " = %d" % (i * i * 3 + i) if disc else ""
            head.append(v + ("(%s)" % ", ".join(self.text(t) for t in p) if p else "") + d)
        self.items.append("#[derive(Clone, Copy, PartialEq)] %senum %s { %s }" % (rep, n, ", ".join(head)))
        arms = []
        for i, (v, p) in enumerate(vs):
            xs = ["x%d" % j for j in range(len(p))]
            arms.append("%s::%s%s => { %du8.hash(s); %s }" % (n, v, "(%s)" % ", ".join(xs) if p else "", i, " ".join(
                x + ".hash(s);" for x in xs)))
        self.items.append("impl Hash for %s { fn hash(&self, s: &mut u64) { match self { %s } } }" % (n, ", ".join(arms)))
        self.enums.append(("en", n, vs, plain and len(vs) > 1))

    def add_helper(self):
        n = self.name("h")
        ps = [(self.name("p"), self.type(2)) for _ in range(self.r.randint(1, 4))]
        rt = self.type(2)
        body = self.function([(p, t, False) for p, t in ps], rt, self.r.randint(2, 5))
        never = "#[inline(never)] " if self.r.random() < 0.5 else ""
        self.items.append("%sfn %s(%s) -> %s { %s }" % (never, n, ", ".join(
            "%s: %s" % (p, self.text(t)) for p, t in ps), self.text(rt), body))
        self.helpers.append((n, [t for _, t in ps], rt))

    def function(self, params, rt, stmts):
        saved = (self.scope, self.fuel, self.loops, self.log, self.ret)
        self.scope, self.fuel, self.loops, self.log = list(params), 90, [], None
        self.ret = rt
        body = " ".join(self.stmt(3) for _ in range(stmts))
        body += " " + self.expr(rt, 3)
        self.scope, self.fuel, self.loops, self.log, self.ret = saved
        return body

    def test(self, name):
        self.scope, self.fuel, self.loops = [("a", "u64", False), ("b", "u64", False)], 160, []
        self.ret = "u64"
        self.log = None
        head = ""
        if self.r.random() < 0.4:
            self.log = self.name("log")
            head = "let %s = Log::new(a); " % self.log
        body = " ".join(self.stmt(4) for _ in range(self.r.randint(4, 9)))
        end = "let mut s = a ^ 1; " + " ".join("%s.hash(&mut s);" % n for n, t, m in self.scope)
        if self.log:
            end += " s ^= %s.get();" % self.log
        return "    %s(a, b) { %s%s %s s }" % (name, head, body, end)

    # -- places

    def places(self, mutable=False):
        """All (text, type) that the scope offers, with some indexing."""
        out = []
        for n, t, m in self.scope:
            if mutable and not m:
                continue
            out.append((n, t))
            for s, ft in self.fields_of(t):
                out.append((n + s, ft))
                for s2, ft2 in self.fields_of(ft):
                    out.append((n + s + s2, ft2))
        return out

    def arrays(self):
        return [(p, t) for p, t in self.places() if not isinstance(t, str) and t[0] == "arr"]

    def index(self, n, d):
        k = self.r.random()
        if k < 0.4:
            return str(self.r.randrange(n))
        if k < 0.97:
            return "(%s) as usize %% %d" % (self.expr(self.r.choice(["u8", "u32", "u64", "usize"]), d - 1), n)
        return "(%s) as usize %% %d" % (self.expr("u8", d - 1), n + 1)

    def place_of(self, t, d, mutable=False):
        fit = [p for p, pt in self.places(mutable) if pt == t]
        at = [(p, pt) for p, pt in self.places(mutable) if not isinstance(pt, str) and pt[0] == "arr" and pt[1] == t]
        if fit and (not at or self.r.random() < 0.7):
            return self.r.choice(fit)
        if at:
            p, pt = self.r.choice(at)
            return "%s[%s]" % (p, self.index(pt[2], d))
        return None

    # -- expressions

    def lit(self, t):
        r = self.r
        if t in INTS:
            n = BITS[t]
            lo, hi = (-(1 << n - 1), (1 << n - 1) - 1) if t[0] == "i" else (0, (1 << n) - 1)
            v = r.choice([0, 1, 2, 3, 5, 7, lo, hi, hi - 1, lo + 1, hi // 3, r.randint(lo, hi), r.randint(0, 20), -1, 1 << n // 2 - 1])
            v = max(lo, min(hi, v))
            return "%s::MIN" % t if v == lo else ("(%d%s)" if v < 0 else "%d%s") % (v, t)
        if t in FLOATS:
            return self.flit(t)
        if t == "bool":
            return r.choice(["true", "false"])
        if t == "char":
            return r.choice(["'a'", "'\\0'", "'Z'", "'\\u{e9}'", "'\\u{10ffff}'", "'7'", "'\\u{d7ff}'"])
        return "()"

    def flit(self, t):
        v = self.r.choice(["0.0", "1.0", "-1.5", "0.1", "1e10", "3.5", "1e-40", "255.5", "-0.0", "1e30", "-2147483648.0", "INF", "NAN",
                           "MAX", "EPS"])
        names = {"INF": "INFINITY", "NAN": "NAN", "MAX": "MAX", "EPS": "EPSILON"}
        return "%s::%s" % (t, names[v]) if v in names else "(%s_%s)" % (v, t)

    def leaf(self, t):
        p = self.place_of(t, 0) if self.r.random() < 0.8 else None
        if p:
            return p
        if isinstance(t, str):
            if t in INTS and self.r.random() < 0.5:
                return "(%s as %s)" % (self.r.choice([n for n, x, _ in self.scope if x in INTS] or ["1u8"]), t)
            return self.lit(t)
        return self.make(t, 0)

    def make(self, t, d):
        """A value built of its parts."""
        r = self.r
        if isinstance(t, str):
            return self.expr(t, d - 1) if d > 0 else self.leaf(t)
        k = t[0]
        sub = lambda x: self.expr(x, d - 1) if d > 0 else self.leaf(x)
        if k == "arr":
            if r.random() < 0.3:
                return "[%s; %d]" % (sub(t[1]), t[2])
            return "[%s]" % ", ".join(sub(t[1]) for _ in range(t[2]))
        if k == "tup":
            return "(%s)" % ", ".join(sub(x) for x in t[1])
        if k == "opt":
            return "None::<%s>" % self.text(t[1]) if r.random() < 0.3 else "Some(%s)" % sub(t[1])
        if k == "res":
            w = "Err::<%s, %s>(%s)" if r.random() < 0.4 else "Ok::<%s, %s>(%s)"
            return w % (self.text(t[1]), self.text(t[2]), sub(t[2] if w[0] == "E" else t[1]))
        if k == "st":
            return "%s { %s }" % (t[1], ", ".join("%s: %s" % (f, sub(x)) for f, x in r.sample(t[2], len(t[2]))))
        v, p = r.choice(t[2])
        return "%s::%s" % (t[1], v) + ("(%s)" % ", ".join(sub(x) for x in p) if p else "")

    def expr(self, t, d):
        self.fuel -= 1
        if d <= 0 or self.fuel <= 0:
            return self.leaf(t)
        k = self.r.random()
        if k < 0.12:
            return self.leaf(t)
        if k < 0.20:
            return "(if %s { %s } else { %s })" % (self.cond(d - 1), self.inner(t, d - 1), self.inner(t, d - 1))
        if k < 0.28:
            return self.match(t, d - 1)
        if k < 0.32:
            return "{ %s }" % self.inner(t, d - 1, True)
        if k < 0.37:
            c = self.call(t, d)
            if c:
                return c
        if k < 0.42:
            return self.closure_call(t, d - 1)
        if k < 0.45:
            return "%s(%s)" % (self.r.choice(["pass", "keep"]), self.expr(t, d - 1))
        if k < 0.50:
            o = self.unwrap(t, d)
            if o:
                return o
        if isinstance(t, str):
            return self.arith(t, d)
        return self.make(t, d)

    def cond(self, d):
        return self.expr("bool", d)

    def guard(self, d):
        """A condition that writes nothing: pattern guards may not."""
        saved = self.scope
        self.scope = [(v, t, False) for v, t, _ in saved]
        c = self.cond(d)
        self.scope = saved
        return c

    def inner(self, t, d, lets=False):
        """Statements and a value, in a scope of their own."""
        saved = list(self.scope)
        s = ""
        if lets or (self.r.random() < 0.3 and d > 0 and self.fuel > 0):
            s = " ".join(self.stmt(d) for _ in range(self.r.randint(1, 2))) + " "
        s += self.expr(t, d)
        self.scope = saved
        return s

    def call(self, t, d):
        fit = [h for h in self.helpers if h[2] == t]
        if not fit:
            return None
        n, ps, _ = self.r.choice(fit)
        return "%s(%s)" % (n, ", ".join(self.expr(p, d - 2) for p in ps))

    def lambda_body(self, t, d, params):
        """A value in a closure, which captures but does not change what is around it."""
        saved = self.scope, self.loops, self.ret
        self.scope = [(v, vt, False) for v, vt, _ in self.scope] + [(p, pt, False) for p, pt in params]
        self.loops, self.ret = [], None
        body = self.inner(t, d)
        self.scope, self.loops, self.ret = saved
        return body

    def closure_call(self, t, d):
        r = self.r
        if r.random() < 0.5 and t != "()":
            x, pt = self.name("c"), self.type(1)
            body = self.lambda_body(t, d, [(x, pt)])
            move = "" if self.log or any(v.startswith("(") for v, _, _ in self.scope) else r.choice(["", "move "])
            y = self.name("c")
            return "{ let %s = %s; (%s|%s: %s| -> %s { %s })(%s) }" % (
                y, self.expr(pt, d - 1), move, x, self.text(pt), self.text(t), body, y)
        arrs = self.arrays()
        if arrs and r.random() < 0.6:
            p, at = r.choice(arrs)
            x, s = self.name("c"), self.name("c")
            body = self.lambda_body(t, d, [(x, at[1]), (s, t)])
            y, init = self.name("c"), self.expr(t, d - 1)
            if r.random() < 0.5:
                return "{ let %s = %s; fold(&%s, %s, |%s, %s| { %s }) }" % (y, init, p, y, s, x, body)
            how = r.choice(["", ".rev()", ".skip(1)", ".take(2)"])
            return "{ let %s = %s; %s.iter()%s.fold(%s, |%s, &%s| { %s }) }" % (y, init, p, how, y, s, x, body)
        x = self.name("c")
        body = self.lambda_body(t, d, [(x, t)])
        y = self.name("c")
        return "{ let %s = %s; twice(|%s: %s| -> %s { %s }, %s) }" % (
            y, self.expr(t, d - 1), x, self.text(t), self.text(t), body, y)

    def unwrap(self, t, d):
        """Out of an Option or a Result that exists, or of one made here."""
        r = self.r
        fit = [(p, pt) for p, pt in self.places() if not isinstance(pt, str) and pt[0] in ("opt", "res") and pt[1] == t]
        if fit and r.random() < 0.8:
            p, pt = r.choice(fit)
            return self.unwrap_text(p, pt, t, d)
        if t in INTS and r.random() < 0.5:
            m = r.choice(["checked_add", "checked_sub", "checked_mul", "checked_div", "checked_rem"])
            return "%s.%s(%s).unwrap_or(%s)" % (self.expr(t, d - 1), m, self.expr(t, d - 1), self.expr(t, d - 1))
        return None

    def unwrap_text(self, p, pt, t, d):
        good = "Some" if pt[0] == "opt" else "Ok"
        k = self.r.randrange(4)
        e = self.expr(t, d - 1)
        if k == 0:
            return "%s.unwrap_or(%s)" % (p, e)
        if k == 1:
            return "%s.unwrap_or_else(|%s| %s)" % (p, "" if pt[0] == "opt" else "_", e)
        if k == 2:
            return "(match %s { %s(x) if %s => x, _ => %s })" % (p, good, self.guard(d - 1), e)
        return "(if let %s(x) = %s { x } else { %s })" % (good, p, e)

    def pattern(self, t, d):
        """(pattern, bindings, always matches)"""
        r = self.r
        k = r.random()
        if k < 0.15 or d == 0 and k < 0.5:
            return "_", [], True
        if k < 0.35:
            n = self.name("m")
            return n, [(n, t, False)], True
        if t in INTS:
            lo = -(1 << BITS[t] - 1) if t[0] == "i" else 0
            hi = lo + (1 << BITS[t]) - 1
            x, y = sorted([r.choice([lo, 0, 1, 5, 100, hi, r.randint(lo, hi)]) for _ in range(2)])
            p = r.choice(["%d..=%d" % (x, y), "%d" % x, "%d.." % y if y < hi else "%d" % x, "%d | %d" % (x, y)])
            return "(%s)" % p, [], False
        if t == "bool":
            return r.choice(["true", "false"]), [], False
        if t == "char":
            return r.choice(["'a'..='z'", "'\\0'", "'A' | 'Z'"]), [], False
        if isinstance(t, str) or d == 0:
            return "_", [], True
        if t[0] == "tup":
            ps = [self.pattern(x, d - 1) for x in t[1]]
            return "(%s)" % ", ".join(p[0] for p in ps), sum((p[1] for p in ps), []), all(p[2] for p in ps)
        if t[0] == "st":
            fs = r.sample(t[2], r.randint(1, len(t[2])))
            ps = [self.pattern(x, d - 1) for _, x in fs]
            return "%s { %s, .. }" % (t[1], ", ".join("%s: %s" % (f[0], p[0]) for f, p in zip(fs, ps))), \
                sum((p[1] for p in ps), []), all(p[2] for p in ps)
        if t[0] == "opt":
            if r.random() < 0.4:
                return "None", [], False
            p, b, _ = self.pattern(t[1], d - 1)
            return "Some(%s)" % p, b, False
        if t[0] == "res":
            g = r.random() < 0.6
            p, b, _ = self.pattern(t[1] if g else t[2], d - 1) if (t[1] if g else t[2]) != "()" else ("_", [], True)
            return "%s(%s)" % ("Ok" if g else "Err", p), b, False
        if t[0] == "en":
            v, ps = r.choice(t[2])
            qs = [self.pattern(x, d - 1) for x in ps]
            return "%s::%s" % (t[1], v) + ("(%s)" % ", ".join(q[0] for q in qs) if qs else ""), sum((q[1] for q in qs), []), False
        if t[0] == "arr" and t[2] >= 2:
            p, b, al = self.pattern(t[1], d - 1)
            q, b2, al2 = self.pattern(t[1], d - 1)
            return r.choice(["[%s, .., %s]", "[%s, %s, ..]", "[.., %s, %s]"]) % (p, q), b + b2, al and al2
        return "_", [], True

    def subject(self, d):
        t = self.r.choice([self.scalar(), self.type(2), self.type(2), ("tup", (self.type(1), self.type(1)))])
        while t in FLOATS:
            t = self.type(2)
        fit = [(p, pt) for p, pt in self.places() if not isinstance(pt, str)]
        if fit and self.r.random() < 0.5:
            return self.r.choice(fit)
        return self.expr(t, d), t

    def match(self, t, d):
        s, st = self.subject(d)
        arms, whole = [], False
        for _ in range(self.r.randint(1, 4)):
            p, bind, whole = self.pattern(st, 2)
            saved = list(self.scope)
            self.scope += bind
            guard = ""
            if self.r.random() < 0.25:
                guard, whole = " if " + self.guard(d - 1), False
            arms.append("%s%s => { %s }" % (p, guard, self.inner(t, d - 1)))
            self.scope = saved
            if whole:
                break
        if not whole:
            arms.append("_ => { %s }" % self.inner(t, d - 1))
        return "(match %s { %s })" % ("{ %s }" % s if s.startswith(("S", "E")) else s, ", ".join(arms))

    def arith(self, t, d):
        if t in INTS:
            return self.int_expr(t, d - 1)
        if t in FLOATS:
            return self.float_expr(t, d - 1)
        if t == "bool":
            return self.bool_expr(d - 1)
        if t == "char":
            return self.r.choice([lambda: "char::from_u32(%s).unwrap_or(%s)" % (self.expr("u32", d - 1), self.leaf("char")),
                                  lambda: "(%s as char)" % self.expr("u8", d - 1),
                                  lambda: "%s.to_ascii_uppercase()" % self.expr("char", d - 1)])()
        return self.leaf(t)

    def int_expr(self, t, d):
        r, e = self.r, self.expr
        n = BITS[t]
        k = r.randrange(20)
        if k < 4:
            return "(%s %s %s)" % (e(t, d), r.choice("&|^"), e(t, d))
        if k < 7:
            m = r.choice(["wrapping_add", "wrapping_sub", "wrapping_mul"] * 3 + ["saturating_add", "saturating_sub", "saturating_mul", "min", "max"])
            return "%s.%s(%s)" % (e(t, d), m, e(t, d))
        if k == 7:
            return "(%s %s %s)" % (e(t, d), r.choice("+-*"), e(t, d))
        if k == 8:
            return "(%s %s (%s | 1))" % (e(t, d), r.choice("/%"), e(t, d))
        if k == 9:
            return "%s.%s(%s)" % (e(t, d), r.choice(["wrapping_shl", "wrapping_shr", "rotate_left", "rotate_right"]), e("u32", d))
        if k == 10:
            s = r.choice(INTS)
            return "(%s %s (%s & %d))" % (e(t, d), r.choice(["<<", ">>"]), e(s, d), min(n, 64) - 1)
        if k == 11:
            return "%s.%s()" % (e(t, d), r.choice(["swap_bytes", "reverse_bits", "wrapping_neg"] + (["wrapping_abs", "signum"] if t[0] == "i" else [])))
        if k == 12:
            return "(%s.%s() as %s)" % (e(r.choice(INTS), d), r.choice(["leading_zeros", "trailing_zeros", "count_ones", "leading_ones"]), t)
        if k == 13:
            return "(!%s)" % e(t, d)
        if k == 14 and t[0] == "i":
            return r.choice(["%s.wrapping_rem_euclid(%s | 1)", "%s.wrapping_div_euclid(%s | 1)"]) % (e(t, d), e(t, d))
        if k == 15:
            m = r.choice(["overflowing_add", "overflowing_sub", "overflowing_mul"])
            return "{ let (x, o) = %s.%s(%s); if o { !x } else { x } }" % (e(t, d), m, e(t, d))
        if k == 16:
            return "%s.wrapping_pow(%s & 7)" % (e(t, d), e("u32", d))
        if k == 17:
            enums = [x for x in self.enums if x[3]]
            if enums:
                return "(%s as %s)" % (e(r.choice(enums), d), t)
        if k == 18:
            return "(%s as %s)" % (e(r.choice(FLOATS), d), t)
        if k == 19 and t in ("u8", "u32"):
            return "(%s as u32 as %s)" % (e("char", d), t)
        return "(%s as %s)" % (e(r.choice(INTS + ["bool"]), d), t)

    def float_expr(self, t, d):
        r, e = self.r, self.expr
        k = r.randrange(10)
        if k < 5:
            return "(%s %s %s)" % (e(t, d), r.choice("+-**/"), e(t, d))
        if k == 5:
            return "(-%s)" % e(t, d)
        if k == 6:
            return "(%s.%s(%s) + 0.0)" % (e(t, d), r.choice(["min", "max"]), e(t, d))
        if k == 7:
            return "(%s as %s)" % (e(r.choice(FLOATS), d), t)
        if k == 8:
            return "%s::from_bits(%s)" % (t, e("u32" if t == "f32" else "u64", d))
        return "(%s as %s)" % (e(r.choice(INTS), d), t)

    def bool_expr(self, d):
        r, e = self.r, self.expr
        k = r.randrange(10)
        if k < 5:
            t = r.choice(INTS + FLOATS + ["char", "bool"])
            return "(%s %s %s)" % (e(t, d), r.choice(["<", "<=", ">", ">=", "==", "!="]), e(t, d))
        if k < 7:
            return "(%s %s %s)" % (e("bool", d), r.choice(["&&", "||", "^", "&"]), e("bool", d))
        if k == 7:
            return "(!%s)" % e("bool", d)
        if k == 8:
            fit = [(p, t) for p, t in self.places() if not isinstance(t, str)]
            if fit:
                p, t = r.choice(fit)
                pat, bind, _ = self.pattern(t, 2)
                return "matches!(%s, %s)" % (p, pat)
        t = self.type(1)
        return "({ %s } == { %s })" % (e(t, d), e(t, d))

    # -- statements

    def block(self, d, n=2):
        saved = list(self.scope)
        s = " ".join(self.stmt(d) for _ in range(self.r.randint(1, n)))
        self.scope = saved
        return s

    def stmt(self, d):
        r = self.r
        if d <= 0 or self.fuel <= 0:
            return self.assign(0) or self.let(1)
        k = r.random()
        if k < 0.30:
            return self.let(d)
        if k < 0.52:
            return self.assign(d) or self.let(d)
        if k < 0.60:
            return "if %s { %s } else { %s }" % (self.cond(d - 1), self.block(d - 1), self.block(d - 1))
        if k < 0.72:
            return self.loop(d)
        if k < 0.79:
            return self.match_stmt(d)
        if k < 0.84:
            return self.borrow(d)
        if k < 0.89:
            return self.closure_stmt(d)
        if k < 0.93 and self.log:
            return self.drop_stmt(d)
        if k < 0.95 and self.ret:
            return "if %s { return %s; }" % (self.cond(d - 1), self.expr(self.ret, 1))
        if k < 0.98 and self.loops:
            return self.jump(d)
        return "{ %s }" % self.block(d - 1, 3)

    def jump(self, d):
        label, t = self.r.choice(self.loops)
        c = self.cond(d - 1)
        if self.r.random() < 0.5:
            return "if %s { continue %s; }" % (c, label)
        return "if %s { break %s%s; }" % (c, label, " " + self.leaf(t) if t else "")

    def let(self, d):
        t = self.type(2)
        e = self.expr(t, d)
        mut = self.r.random() < 0.6
        n = self.name("v")
        self.scope.append((n, t, mut))
        return "let %s%s: %s = %s;" % ("mut " if mut else "", n, self.text(t), e)

    def assign(self, d):
        ps = self.places(True)
        if not ps:
            return None
        p, t = self.r.choice(ps)
        if not isinstance(t, str) and t[0] == "arr" and self.r.random() < 0.7:
            p, t = "%s[%s]" % (p, self.index(t[2], d)), t[1]
        if t in INTS and self.r.random() < 0.4:
            return "%s %s= %s;" % (p, self.r.choice("&|^"), self.expr(t, d - 1))
        if t in FLOATS and self.r.random() < 0.4:
            return "%s %s= %s;" % (p, self.r.choice("+-*/"), self.expr(t, d - 1))
        if self.r.random() < 0.1:
            q = [x for x, xt in ps if xt == t and x.split(".")[0].split("[")[0] != p.split(".")[0].split("[")[0]]
            if q:
                return "core::mem::swap(&mut %s, &mut %s);" % (p, self.r.choice(q))
        return "%s = %s;" % (p, self.expr(t, d - 1))

    def loop(self, d):
        if len(self.loops) >= 3:
            return self.assign(d) or self.let(d)
        saved, loops = list(self.scope), self.loops
        k = self.r.randrange(5)
        kinds = [self.loop_range, self.loop_array, self.loop_while, self.loop_value, self.loop_plain]
        s, new = kinds[k](d, self.name("'l"))
        self.scope, self.loops = saved + new, loops
        return s

    def body(self, d, label, t=None):
        self.loops = self.loops + [(label, t)]
        return self.block(d - 1, 3)

    def loop_range(self, d, label):
        r, i, t = self.r, self.name("i"), self.r.choice(INTS)
        rng = r.choice(["0TYPE..%d" % r.randint(0, 6), "(0TYPE..=%d).rev()" % r.randint(0, 5), "TYPE::MAX - 2..=TYPE::MAX",
                        "TYPE::MIN..=TYPE::MIN + 2", "(0TYPE..9).step_by(%d)" % r.randint(1, 4)]).replace("TYPE", t)
        self.scope.append((i, t, False))
        return "%s: for %s in %s { %s }" % (label, i, rng, self.body(d, label)), []

    def loop_array(self, d, label):
        if not self.arrays():
            return self.loop_range(d, label)
        p, t = self.r.choice(self.arrays())
        x = self.name("x")
        root = p.split(".")[0]
        self.scope = [(v, vt, m and v != root) for v, vt, m in self.scope] + [(x, t[1], False)]
        how = self.r.choice(["%s", "%s.iter().copied()", "%s.iter().rev().copied()"]) % p
        return "%s: for %s in %s { %s }" % (label, x, how, self.body(d, label)), []

    def loop_while(self, d, label):
        w, n, c = self.name("w"), self.r.randint(1, 6), self.cond(d - 1)
        return "let mut %s = 0u8; %s: while %s < %d && %s { %s += 1; %s }" % (w, label, w, n, c, w, self.body(d, label)), []

    def loop_plain(self, d, label):
        w, n = self.name("w"), self.r.randint(1, 5)
        return "let mut %s = 0u8; %s: loop { if %s == %d { break; } %s += 1; %s }" % (w, label, w, n, w, self.body(d, label)), []

    def loop_value(self, d, label):
        w, v, t = self.name("w"), self.name("v"), self.type(1)
        stop = "%s > %d || %s" % (w, self.r.randint(1, 5), self.cond(d - 1))
        e = self.expr(t, d - 1)
        return "let mut %s = 0u8; let %s: %s = %s: loop { %s += 1; if %s { break %s; } %s };" % (
            w, v, self.text(t), label, w, stop, e, self.body(d, label, t)), [(v, t, False)]

    def match_stmt(self, d):
        s, st = self.subject(d - 1)
        arms = []
        for _ in range(self.r.randint(1, 3)):
            p, bind, whole = self.pattern(st, 2)
            saved = list(self.scope)
            self.scope += bind
            arms.append("%s => { %s }" % (p, self.block(d - 1)))
            self.scope = saved
        return "match %s { %s, _ => { %s } }" % ("{ %s }" % s if s.startswith(("S", "E")) else s, ", ".join(arms), self.block(d - 1))

    def borrow(self, d):
        """Writes through a mutable reference; its variable is out of reach meanwhile."""
        ps = self.places(True)
        if not ps:
            return self.let(d)
        p, t = self.r.choice(ps)
        root = p.split(".")[0]
        saved = list(self.scope)
        if not isinstance(t, str) and t[0] == "arr" and self.r.random() < 0.5:
            p, t = "%s[%s]" % (p, self.index(t[2], 1)), t[1]
        self.scope = [v for v in self.scope if v[0] != root]
        x = self.name("r")
        ref = ("(*%s)" % x, t, True)
        self.scope.append(ref)
        wrap = self.r.random() < 0.3
        s = "{ let %s = %s&mut %s%s; %s }" % (x, "keep(" if wrap else "", p, ")" if wrap else "", " ".join(
            self.stmt(d - 1) for _ in range(self.r.randint(1, 3))))
        self.scope = saved
        return s

    def closure_stmt(self, d):
        """A closure that changes what it captures, called several times."""
        muts = [v for v in self.scope if v[2] and not v[0].startswith("(")]
        f, x = self.name("f"), self.name("c")
        loops, ret, saved = self.loops, self.ret, list(self.scope)
        self.loops, self.ret = [], None
        self.scope = self.scope + [(x, "u64", False)]
        body = self.block(d - 1, 3)
        self.loops, self.ret, self.scope = loops, ret, saved
        if self.r.random() < 0.5:
            return "times(%d, |%s| { %s });" % (self.r.randint(0, 4), x, body)
        return "{ let mut %s = |%s: u64| { %s }; %s(1); %s(%s); }" % (f, x, body, f, f, self.r.choice(["5", "u64::MAX"]))

    def drop_stmt(self, d):
        g, lg = self.name("g"), self.log
        k = self.r.randrange(6)
        v = self.expr("u64", d - 1)
        c = self.cond(d - 1)
        if k == 0:
            return "{ let %s = Dr(&%s, %s); %s }" % (g, lg, v, self.block(d - 1))
        if k == 1:
            return "{ let %s = Dr(&%s, %s); if %s { drop(%s); } %s }" % (g, lg, v, c, g, self.block(d - 1))
        if k == 2:
            return "{ let mut %s = Some(Dr(&%s, %s)); if %s { %s = None; } %s }" % (g, lg, v, c, g, self.block(d - 1))
        if k == 3:
            return "{ let %s = [Dr(&%s, %s), Dr(&%s, 3)]; %s let [p, _] = %s; drop(p); }" % (g, lg, v, lg, self.block(d - 1), g)
        if k == 4:
            return "{ let %s; let h = (Dr(&%s, %s), 5u8); if %s { %s = h.0; } %s }" % (g, lg, v, c, g, self.block(d - 1))
        return "{ let mut %s = Dr(&%s, %s); %s = Dr(&%s, 9); %s let k = move || %s.1; %s.set(k() ^ %s.get()); }" % (
            g, lg, v, g, lg, self.block(d - 1), g, lg, lg)


def crate(seed, count):
    g = Gen(seed)
    for _ in range(6):
        g.add_struct()
        g.add_enum()
    for _ in range(max(4, count // 5)):
        g.add_helper()
    tests = [g.test("t%d" % i) for i in range(count)]
    return COMMON + "\n".join(g.items) + "\n\ntests! {\n" + "\n".join(tests) + "\n}\n"
