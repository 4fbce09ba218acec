"""Called by debug_info.sh. Cubins are read with readelf; for gdb the module of the kernel is compiled for this CPU."""
import os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("BUILD", os.path.join(os.path.dirname(os.path.dirname(HERE)), "build"))
SOURCE = os.path.join(HERE, "debug_info", "shapes.rs")
OLD = [75, 80, 86, 87, 88, 89, 90]
NEW = [100, 103, 110, 120, 121]
failed = 0


def check(name, ok, said=""):
    global failed
    print("%s %s" % ("ok" if ok else "not ok", name))
    if not ok:
        failed += 1
        print(said)


def call(*argv, want=0):
    p = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       errors="replace", timeout=300)
    if want is not None and p.returncode != want:
        raise SystemExit("not ok %s ended with %d\n%s" % (" ".join(argv), p.returncode, p.stdout[-4000:]))
    return p.stdout


def mirdc(*argv, want=0):
    return call(os.path.join(BUILD, "bin", "mirdc"), *argv, want=want)


def compile_for(archs, out, *options):
    return mirdc("compile", SOURCE, "--arch", ",".join("sm_%d" % a for a in archs), "--out-dir", out, "-q", *options)


def line_of(mark):
    with open(SOURCE, encoding="utf-8") as f:
        for n, text in enumerate(f, 1):
            if text.rstrip().endswith("// at " + mark):
                return n
    raise SystemExit("no line is marked " + mark)


# ---- what readelf says ----
class Die:
    def __init__(self, depth, offset, tag):
        self.depth, self.offset, self.tag, self.attr, self.children = depth, offset, tag, {}, []

    def all(self):
        yield self
        for c in self.children:
            yield from c.all()

    @property
    def name(self):
        return self.attr.get("name", "").split("): ")[-1].strip()


class Dwarf:
    def __init__(self, path):
        self.by_offset, self.units, stack = {}, [], []
        for line in call("readelf", "--debug-dump=info", path, want=None).split("\n"):
            m = re.match(r" <(\w+)><(\w+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)", line)
            if m:
                d = Die(int(m[1], 16), int(m[2], 16), m[3])
                self.by_offset[d.offset] = d
                del stack[d.depth:]
                (stack[-1].children if stack else self.units).append(d)
                stack.append(d)
                continue
            m = re.match(r"    <\w+>   DW_AT_(\w+)\s*: (.*)", line)
            if m and stack:
                stack[-1].attr[m[1]] = m[2]

    def all(self):
        for u in self.units:
            yield from u.all()

    def ref(self, die, attr="type"):
        m = re.search(r"<0x(\w+)>", die.attr.get(attr, ""))
        return self.by_offset.get(int(m[1], 16)) if m else None

    def kernel(self):
        return [d for d in self.all() if d.tag == "subprogram" and d.name == "shapes" and "low_pc" in d.attr][0]


def number(die, attr):
    text = die.attr.get(attr, "")
    m = re.search(r"DW_OP_plus_uconst: (\d+)", text) or re.match(r"(0x\w+|\d+)", text)
    return int(m[1], 0) if m else None


def members(type_):
    return {c.name: number(c, "data_member_location") for c in type_.children if c.tag == "member"}


def rows(path):
    """The line table: pairs of file and line."""
    text = call("readelf", "--debug-dump=decodedline", path, want=None)
    return {(m[1], int(m[2])) for m in re.finditer(r"^(\S+\.rs) +(\d+) +0x?\w+", text, re.M)}


# ---- the checks ----
def variables(d, arch):
    f = d.kernel()
    own = {c.name: c for c in f.children if c.tag == "formal_parameter"}
    check("sm_%d: the parameters of the kernel" % arch, list(own) == ["n", "input", "out", "p"], str(list(own)))
    inner, depths = {}, {}
    for x in f.all():
        if x.tag == "variable" and x.name:
            inner[x.name] = x
            depths.setdefault(x.name, []).append(x.depth)
    want = "i fixed pair shape late first node flag letter sum k part moved all".split()
    check("sm_%d: the variables" % arch, all(w in inner for w in want), "missing: %s" % [w for w in want if w not in inner])
    check("sm_%d: a shadowed name is in two scopes" % arch, len(set(depths.get("sum", []))) == 2, str(depths.get("sum")))
    dead = [n for n, x in {**own, **inner}.items() if "location" not in x.attr and "const_value" not in x.attr]
    check("sm_%d: every variable has a place" % arch, not dead, str(dead))
    return {n: d.ref(x) for n, x in {**own, **inner}.items()}


def types(d, t, arch):
    m = members(t["p"])
    check("sm_%d: a struct" % arch, t["p"].name == "Point" and m == {"x": 0, "y": 4, "tag": 8}, str(m))
    m = members(t["input"])
    check("sm_%d: a slice" % arch, t["input"].name == "&[f32]" and m == {"data_ptr": 0, "length": 8}, str(m))
    m = members(t["pair"])
    check("sm_%d: a tuple" % arch, sorted(m) == ["__0", "__1", "__2"] and sorted(m.values()) == [0, 4, 8], str(m))
    a = t["fixed"]
    count = [number(c, "count") if "count" in c.attr else number(c, "upper_bound") + 1 for c in a.children]
    check("sm_%d: an array" % arch, a.tag == "array_type" and count == [3] and d.ref(a).name == "f32", str(count))
    basic = [(t[n].name, t[n].attr.get("encoding", "")[:2].strip(), number(t[n], "byte_size")) for n in ("n", "flag", "letter")]
    check("sm_%d: numbers, bool and char" % arch, basic == [("u32", "7", 4), ("bool", "2", 1), ("char", "16", 4)], str(basic))
    node = {c.name: c for c in t["node"].children}
    inner = [c for c in d.ref(node["next"]).all() if c.tag == "member"]
    cyclic = any(d.ref(p).tag == "pointer_type" and d.ref(d.ref(p)).offset == t["node"].offset
                 for c in inner for p in d.ref(c).all() if p.tag == "member" and d.ref(p).tag == "pointer_type")
    check("sm_%d: a type with a pointer to itself" % arch, cyclic, str([c.name for c in inner]))


def enums(d, t, arch, parts):
    e = t["shape"]
    if parts:
        part = [c for c in e.children if c.tag == "variant_part"]
        found = [(v.attr.get("discr_value"), m.name) for p in part for v in p.children if v.tag == "variant" for m in v.children]
        check("sm_%d: an enum in variants" % arch, [n for _, n in found] == ["Dot", "Circle", "Rect"] and
              [int(v, 0) for v, _ in found] == [0, 1, 2] and "discr" in part[0].attr, str(found))
        fields = {m.name: members(d.ref(m)) for m in e.all() if m.tag == "member" and m.name in ("Circle", "Rect")}
    else:
        check("sm_%d: an enum as a union" % arch, e.tag == "union_type" and list(members(e)) == ["Dot", "Circle", "Rect"],
              e.tag + str(members(e)))
        fields = {m.name: members(d.ref(m)) for m in e.children if m.name in ("Circle", "Rect")}
        for f in fields.values():
            check("sm_%d: a variant begins with its tag" % arch, f.pop("RUST$ENUM$DISR", None) == 0)
    check("sm_%d: fields of variants" % arch, fields == {"Circle": {"__0": 4}, "Rect": {"w": 4, "h": 8}}, str(fields))


def inlining(d, arch):
    with open(SOURCE, encoding="utf-8") as f:
        call_line = 1 + [i for i, l in enumerate(f) if "area(&shape)" in l][0]
    calls = {d.ref(x, "abstract_origin").name: x for x in d.kernel().all() if x.tag == "inlined_subroutine"}
    x = calls.get("area")
    check("sm_%d: an inlined call" % arch, x is not None and number(x, "call_line") == call_line, str(sorted(calls)))
    names = [d.ref(v, "abstract_origin").name for v in (x.all() if x else []) if v.tag == "variable"]
    check("sm_%d: its variables" % arch, {"factor", "square", "r", "w", "h"} <= set(names), str(names))


def paths(path, work, arch, what):
    with open(path, "rb") as f:
        data = f.read()
    here = [p for p in (work, BUILD, HERE, os.path.expanduser("~")) if p.encode() in data]
    check("sm_%d: no path of this machine in %s" % (arch, what), not here and b"/mirdc/shapes/" in data, str(here))


def lines(path, arch, what):
    found = {n for f, n in rows(path) if f == "shapes.rs"}
    want = {line_of(m) for m in ("square", "loop", "closure", "end")}
    check("sm_%d: lines of the source in %s" % (arch, what), want <= found, "missing: %s" % sorted(want - found))


def full_route(work):
    for archs, parts in ((OLD, False), (NEW, True)):
        out = os.path.join(work, "g")
        compile_for(archs, out, "-g", "--emit", "cubin,ltoir")
        for arch in archs:
            cubin = os.path.join(out, "shapes.sm_%d.cubin" % arch)
            d = Dwarf(cubin)
            t = variables(d, arch)
            if arch in (OLD[0], 80, 90, NEW[0], 120):
                types(d, t, arch)
                inlining(d, arch)
                enums(d, t, arch, parts)
            lines(cubin, arch, "debug code")
            paths(cubin, work, arch, "debug code")
    again = os.path.join(work, "again")
    compile_for(NEW, again, "-g", "--emit", "cubin,ltoir")
    for name in sorted(os.listdir(again)):
        with open(os.path.join(again, name), "rb") as f, open(os.path.join(work, "g", name), "rb") as g:
            check("%s is the same the second time" % name, f.read() == g.read())


def relocatable(work):
    """LTO-IR that is linked later, by another run."""
    for made, arch, parts in ((75, 75, False), (75, 120, False), (100, 100, True)):
        ltoir, cubin = os.path.join(work, "g", "shapes.sm_%d.ltoir" % made), os.path.join(work, "later.cubin")
        mirdc("link", "-g", "--arch", "sm_%d" % arch, ltoir, "-o", cubin, "-q")
        d = Dwarf(cubin)
        t = variables(d, arch)
        types(d, t, arch)
        enums(d, t, arch, parts)
        inlining(d, arch)


def line_route(work):
    for archs in (OLD, NEW):
        out = os.path.join(work, "l")
        compile_for(archs, out, "--line-info", "--emit", "cubin,ptx")
        for arch in archs:
            cubin = os.path.join(out, "shapes.sm_%d.cubin" % arch)
            lines(cubin, arch, "optimised code")
            paths(cubin, work, arch, "optimised code")
            with open(os.path.join(out, "shapes.sm_%d.ptx" % arch), encoding="utf-8") as f:
                ptx = f.read()
            check("sm_%d: optimised code is not marked as debug code" % arch, not re.search(r"^\.target .*debug", ptx, re.M))
            check("sm_%d: lines in PTX with what they were inlined into" % arch,
                  re.search(r"\.loc\s+\d+ \d+ \d+, function_name \S+, inlined_at \d+ \d+ \d+", ptx), ptx[:500])


def with_passes(work):
    """What rustc's passes are needed for compiles all the same, with a warning."""
    source = os.path.join(HERE, "debug_info", "needs_passes.rs")
    for options, warned in (([], False), (["-g"], True)):
        said = mirdc("compile", source, "--emit", "cubin", "--out-dir", os.path.join(work, "p"), *options)
        check("some variables are lost: %s" % (options or "without -g"), ("warning[MD0932]" in said) == warned, said)
    d = Dwarf(os.path.join(work, "p", "needs_passes.sm_90.cubin"))
    found = {x.name for x in d.all() if x.tag in ("variable", "formal_parameter")}
    check("the others are described", {"v", "out"} <= found, str(found))


def shims(work):
    """What has no place of its own links for the architectures whose code is read as text once more."""
    said = mirdc("compile", os.path.join(HERE, "debug_info", "shims.rs"), "-g", "--arch", "sm_75,sm_90,sm_100", "--emit",
                 "cubin", "--out-dir", os.path.join(work, "s"))
    check("functions without a place link", os.path.exists(os.path.join(work, "s", "shims.sm_75.cubin")), said)


# ---- gdb ----
def for_this_cpu(text):
    text = re.sub(r"target datalayout = .*\n", "", text).replace("nvptx64-nvidia-cuda", "x86_64-unknown-linux-gnu")
    text = re.sub(r"@llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.x\(\)", r"@sreg_\1_x()", text)
    text = re.sub(r"byval(\([^)]*\))? ", "", text)
    text = text.replace('asm sideeffect "", "l,', 'asm sideeffect "", "r,')
    return re.sub(r'asm sideeffect "[^"]+"', 'asm sideeffect "ud2"', text)


SESSION = [
    ("input", "input = &[f32] [1, 2, 3, 4, 5, 6, 7, 8]"), ("p", "p = Point {x: 1.5, y: 2.5, tag: 7}"),
    ("pair", "pair = (2, 2.5, -3)"), ("fixed", "fixed = [1, 2, 1.5]"), ("flag", "flag = true"),
    ("letter", "letter = 228 "), ("i", "i = 2"), ("n", "n = 8")]
PRINTS = [("shape", r"(Shape::)?Rect\{w: 1\.5, h: 2\.5\}"), ("late", r"(core::option::Option<u32>::)?None"),
          ("first", r"(core::option::Option<&f32>::)?Some\(0x\w+\)"),
          ("node.next", r"(core::option::Option<&Node>::)?Some\(0x\w+ <m_LAST>\)"), ("node.value", "2"), ("p.y", r"2\.5"), ("input.length", "8"), ("*input.data_ptr@2", r"\[1, 2\]"),
          ("sum", r"51\.25")]


def gdb(work, arch):
    out = os.path.join(work, "gdb%d" % arch)
    compile_for([arch], out, "-g", "--trap-info", "off", "--emit", "nvvm")
    ll, obj, exe = (os.path.join(out, n) for n in ("k.ll", "k.o", "k"))
    with open(os.path.join(out, "shapes.sm_%d.nvvm.ll" % arch), encoding="utf-8") as f:
        text = for_this_cpu(f.read())
    with open(ll, "w", encoding="utf-8") as f:
        f.write(text)
    call("llc-14", "-O0", "-filetype=obj", "-relocation-model=pic", ll, "-o", obj)
    call("gcc", "-g", os.path.join(HERE, "debug_info", "host.c"), obj, "-o", exe)
    script = os.path.join(out, "script")
    with open(script, "w", encoding="utf-8") as f:
        f.write("set pagination off\nset substitute-path /mirdc/shapes %s\nbreak shapes.rs:%d if i == 2\nrun\ninfo locals\n"
                "info args\n" % (os.path.dirname(SOURCE), line_of("end")))
        f.writelines("print %s\n" % e for e, _ in PRINTS)
        f.write("delete\nbreak shapes.rs:%d\ncontinue\nbacktrace\nprint square\nprint factor\n" % line_of("square"))
        f.write("delete\nbreak shapes.rs:%d\ncontinue\nprint part\nprint k\nptype shape\n" % line_of("loop"))
    said = call("gdb", "-nx", "-q", "-batch", "-x", script, exe, want=None)
    for name, text in SESSION:
        check("gdb, sm_%d: %s" % (arch, name), text in said, said)
    values = re.findall(r"^\$\d+ = (.*)", said, re.M)
    for (expr, want), got in zip(PRINTS, values):
        check("gdb, sm_%d: print %s" % (arch, expr), want is None or re.fullmatch(want, got), "%s\n%s" % (got, said))
    check("gdb, sm_%d: a breakpoint in an inlined function" % arch,
          re.search(r"#0 +(0x\w+ in )?area \(shape=.*\n#1 +(0x\w+ in )?shapes ", said), said)
    check("gdb, sm_%d: its variables" % arch, values[len(PRINTS):len(PRINTS) + 2] == ["2.25", "3"], said)
    check("gdb, sm_%d: the source is found" % arch, "factor * square // at square" in said, said)
    check("gdb, sm_%d: an enum is one" % arch, "type = enum Shape {\n  Dot,\n  Circle(f32),\n  Rect{w: f32, h: f32},\n}" in said, said)


def main():
    with tempfile.TemporaryDirectory() as work:
        full_route(work)
        relocatable(work)
        line_route(work)
        with_passes(work)
        shims(work)
        tools = [t for t in ("gdb", "llc-14", "gcc") if not shutil.which(t)]
        for arch in (90, 100) if not tools else ():
            gdb(work, arch)
        if tools:
            print("# skipped for lack of %s: a session with gdb" % ", ".join(tools))
    return 1 if failed else 0


sys.exit(main())
