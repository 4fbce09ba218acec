#!/usr/bin/env python3
"""docs/mir-coverage.md: everything that rustc's MIR printer can say, with the test that runs it.

The rows come from the code: the enumerations of cargo-integration/rustc/mir.h, the lists of mir_ops.def and
base/rust_intrinsics.def, and the tables of emit_intr.c and mir_parse_stmt.c. A row names a function of test/exec whose
body, as rustc prints it for the pass, holds the construct; run.py runs that function against rustc's own code.
What is refused names its code and the reason.

  coverage.py            the page has the rows of the code, and what it names is there
  coverage.py --run      also: each named function's MIR holds the construct, with each toolchain
  coverage.py --write    makes the page, by a search through all of test/exec
  --kept DIR             a folder for what rustc prints; what is there for the same source, pass and compiler is not made
                         anew, so that a search that was given up goes on where it was
  --only TEXT            with --run: constructs whose test has TEXT in its file's name
  --seconds N            with --run: start no pass after so long; what was not looked at is said, and is not counted
"""
import argparse, concurrent.futures, hashlib, os, re, shutil, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(HERE, "exec"))
import run

PAGE = os.path.join(SRC, "docs", "mir-coverage.md")
PASS = os.path.join(SRC, "cargo-integration", "rustc")
OP = r"(?:copy|move|const|no_retag|ConstValue)\b"

# Members of the enumerations in mir.h: how the page shows them, and what a line of a body looks like that has one.
SHOWN = {
    "mir_stmt_kind": ("Statements", {
        "ST_ASSIGN": ("place = rvalue", r"^ +\S+ = "), "ST_LIVE": ("StorageLive", r"^ +StorageLive\("),
        "ST_DEAD": ("StorageDead", r"^ +StorageDead\("),
        "ST_SETDISCR": ("discriminant(place) = variant", r"^ +discriminant\(.*\) = \d+;"),
        "ST_ASSUME": ("assume", r"^ +assume\("), "ST_COPY": ("copy_nonoverlapping", r"^ +copy_nonoverlapping\("),
        "ST_NOP": ("nop and other words without meaning, see below", r"^ +(?:nop|ConstEvalCounter);")}),
    "mir_term_kind": ("Terminators", {
        "TM_GOTO": ("goto", r"^ +goto -> "), "TM_SWITCH": ("switchInt", r"^ +switchInt\("),
        "TM_RETURN": ("return", r"^ +return;"), "TM_UNREACHABLE": ("unreachable", r"^ +unreachable;"),
        "TM_RESUME": ("resume", r"^ +resume;"), "TM_TERMINATE": ("terminate", r"^ +terminate\("),
        "TM_DROP": ("drop", r"^ +drop\("), "TM_CALL": ("call", r" = .*\) -> (?:\[return|unwind)"),
        "TM_TAILCALL": ("tailcall", r"^ +tailcall "), "TM_ASSERT": ("assert", r"^ +assert\("),
        "TM_ASM": ("asm!", r"^ +asm!\(")}),
    "mir_rvalue_kind": ("Right-hand sides", {
        "RV_USE": ("operand", r" = (?:copy|move) [^ ]+;|= const [^ ]+;"), "RV_REPEAT": ("[operand; count]", r" = \[%s.*; .*\];" % OP),
        "RV_CAST": ("operand as type", r" as .*\((?:IntToInt|Transmute|PtrToPtr)\)"),
        "RV_BIN": ("binary operator", r" = (?:Add|BitXor|Lt)\("), "RV_UN": ("unary operator", r" = (?:Not|Neg|PtrMetadata)\("),
        "RV_DISCR": ("discriminant(place)", r" = discriminant\("), "RV_LEN": ("Len(place)", r" = Len\("),
        "RV_REF": ("&place", r" = &'\{erased\} "), "RV_RAW": ("&raw place", r" = &raw "),
        "RV_DEREF_COPY": ("deref_copy place", r" = deref_copy "), "RV_TLS": ("thread-local", r"/\*tls\*/"),
        "RV_ARRAY": ("array", r" = \[%s[^;]*\];" % OP), "RV_TUPLE": ("tuple", r" = \(%s.*,.*\);" % OP),
        "RV_ADT": ("struct, enum, union", r" = [A-Za-z_][\w:]*(?:::<.*>)?(?: \{ \w+: |\(%s)" % OP),
        "RV_CLOSURE": ("closure", r" = \{closure@"), "RV_RAWFAT": ("wide pointer from its parts", r" = \*(?:const|mut) .* from \(")}),
    "mir_proj_kind": ("Projections", {
        "PROJ_DEREF": ("*place", r"\(\*_?\w*"), "PROJ_FIELD": ("place.field", r"\.\d+: "),
        "PROJ_DOWNCAST": ("place as Variant", r" as (?:variant#\d+|\w+)\)\.\d"),
        "PROJ_INDEX": ("place[local]", r"\[_\d+\]"), "PROJ_CONST_INDEX": ("place[n of m]", r"\[-?\d+ of \d+\]"),
        "PROJ_SUBSLICE": ("place[a..b]", r"\[\d+(?:\.\.|:)-?\d*\]"), "PROJ_SUBTYPE": ("place as subtype", r" as subtype ")}),
    "mir_operand_kind": ("Operands", {
        "OP_COPY": ("copy", r"\bcopy "), "OP_MOVE": ("move", r"\bmove "), "OP_CONST": ("const", r"\bconst |ConstValue\("),
        "OP_RUNTIME_CHECK": ("UbChecks, OverflowChecks, ContractChecks", r"\b(?:UbChecks|OverflowChecks|ContractChecks)\b")}),
    "mir_const_kind": ("Constants", {
        "MC_SCALAR": ("bits", r"Scalar\(0x"), "MC_ALLOC": ("address of an allocation", r"Scalar\(alloc"),
        "MC_ZST": ("zero-sized", r"ZeroSized: "), "MC_SLICE": ("slice", r"Slice \{ alloc_id"),
        "MC_INDIRECT": ("value in an allocation", r"Indirect \{ alloc_id"),
        "MC_VALTREE": ("tree of values", r"const ValTree\("), "MC_NAMED": ("by name", r"const (?!ConstValue|ValTree|<uninit>|\{)[\w<][^;]*(?:promoted\[\d+\]|\{constant#\d+\}|[A-Z_]{2,})"),
        "MC_PARAM": ("generic parameter", r"const \w+/#\d"), "MC_UNINIT": ("not initialised", r"const <uninit>")}),
    "mir_alloc_kind": ("Allocations", {
        "MA_MEMORY": ("bytes", r"^alloc\d+ \(size: "), "MA_STATIC": ("static", r"^alloc\d+ \(static: "),
        "MA_FN": ("function", r"^alloc\d+ \(fn: "), "MA_EXTERN": ("extern static", r"^alloc\d+ \(extern static: "),
        "MA_VTABLE": ("table of a trait object", r"^alloc\d+ \(vtable: "), "MA_TYPE_ID": ("TypeId", r"^alloc\d+ \(typeid for ")}),
}
NOT_PRINTED = "not printed with the pass's flags (docs/pass-runs.md)"
LOWERED = "rustc's own passes make an operator, a statement or a number of it before they print"
# Intrinsics that no body calls any more when it is printed.
LOWERED_NAMES = """copy_nonoverlapping slice_get_unchecked discriminant_value assert_inhabited assert_zero_valid
    assert_mem_uninitialized_valid ub_checks contract_checks overflow_checks unreachable read_via_copy write_via_move
    transmute transmute_unchecked ptr_metadata aggregate_raw_ptr size_of align_of needs_drop offset wrapping_add
    wrapping_sub wrapping_mul unchecked_add unchecked_sub unchecked_mul unchecked_div unchecked_rem unchecked_shl
    unchecked_shr add_with_overflow sub_with_overflow mul_with_overflow three_way_compare assume likely const_eval_select""".split()
NO_UNWIND = "nothing unwinds with panic=abort, which device code is compiled with"
# Rows without a test in test/exec: a code and why no change of ours can help, or a test elsewhere.
ELSEWHERE = {
    "TM_TAILCALL": ("MD0183", "not stable; a GPU has no jump from one frame into another function"),
    "RV_TLS": ("MD0183", "a thread-local variable belongs to a thread of the host"),
    "SP_CALLER": ("MD0185", "the hidden argument of `#[track_caller]` is not printed"),
    "SP_DYN": ("MD0180", "rustc's own tables are not printed; ours have another form"),
    "TM_RESUME": ("", NO_UNWIND), "TM_TERMINATE": ("", NO_UNWIND),
    "ST_SETDISCR": ("", NOT_PRINTED), "ST_NOP": ("", NOT_PRINTED), "MC_UNINIT": ("", NOT_PRINTED),
    "RV_LEN": ("", NOT_PRINTED), "RV_DEREF_COPY": ("", NOT_PRINTED), "PROJ_SUBTYPE": ("", NOT_PRINTED),
    "CAST_SUBTYPE": ("", NOT_PRINTED), "CAST_MUT_TO_CONST": ("", NOT_PRINTED), "CAST_ARRAY_TO_PTR": ("", NOT_PRINTED),
    "ASSERT_MISALIGNED": ("", NOT_PRINTED), "ASSERT_NULL": ("", NOT_PRINTED), "ASSERT_ENUM": ("", NOT_PRINTED), "quiet": ("", NOT_PRINTED),
    "OP_RUNTIME_CHECK": ("", NOT_PRINTED), "lowered": ("", LOWERED),
}


def elsewhere(row):
    if row.key.startswith("quiet_"):
        return ELSEWHERE["quiet"]
    if row.section == "Intrinsics" and row.shown in LOWERED_NAMES:
        return ELSEWHERE["lowered"]
    return ELSEWHERE.get(row.key)


class Row:
    def __init__(self, section, key, shown, pattern, dump=False):
        self.section, self.key, self.shown, self.dump = section, key, shown, dump
        self.pattern = re.compile(pattern, re.M)


def source(name, folder=PASS):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        return re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)


def members(text, enum):
    body = re.search(r"enum %s \{(.*?)\};" % enum, text, re.S).group(1)
    return re.findall(r"^\s*([A-Z]\w+),?", body, re.M) if "\n" in body.strip() else re.findall(r"[A-Z]\w+", body)


def intrinsic(name):
    return r"\bintrinsics::(?:\w+::)*%s(?:_?f(?:16|32|64|128))?(?:::<|\}|\b(?!\w))" % re.escape(name)


def operator_rows(ops):
    for i, text in re.findall(r'^MIR_BIN\((\w+), "(\w+)"\)', ops, re.M):
        yield Row("Binary operators", i, text, r" = %s\(" % text)
    for i, text in re.findall(r'^MIR_UN\((\w+), "(\w+)"\)', ops, re.M):
        yield Row("Unary operators", i, text, r" = %s\(" % text)
    for i, text in re.findall(r'^MIR_CAST\((\w+), "([^"]+)"\)', ops, re.M):
        yield Row("Casts", i, text + (")" if "(" in text else ""), r" \(%s[,()]" % re.escape(text))
    for i, text in re.findall(r'^MIR_ASSERT\((\w+), "([^"]+)"', ops, re.M):
        yield Row("Checks", i, text, r"^ +assert\(.*\"%s" % re.escape(text))


def intrinsic_rows():
    seen = set()
    special, binary = source("emit_intr.c"), source("emit_intr.c")
    for name in re.findall(r'^RI\("(\w+)"', source("rust_intrinsics.def", os.path.join(SRC, "base")), re.M):
        if name not in seen:
            yield Row("Intrinsics", "RI_" + name, name, intrinsic(name))
        seen.add(name)
    for name, what in re.findall(r'^\s*\{"(\w+)", (SP_\w+), \d+\}', special, re.M):
        if name not in seen:
            yield Row("Intrinsics", what if what in ELSEWHERE else "SP_" + name, name, intrinsic(name))
        seen.add(name)
    for name in re.findall(r'^\s*\{"(\w+)", "\w+"\}', binary, re.M):
        if name not in seen:
            yield Row("Intrinsics", "SB_" + name, name, intrinsic(name))
        seen.add(name)


def rows():
    """All rows, from the code. What the code has and this file has no pattern for is an error."""
    text = source("mir.h")
    out = []
    for enum, (section, shown) in SHOWN.items():
        have = [m for m in members(text, enum) if not m.endswith("_COUNT")]
        if set(have) != set(shown):
            raise SystemExit("not ok test/coverage.py knows other members of enum %s: %s"
                             % (enum, sorted(set(have) ^ set(shown))))
        out += [Row(section, m, shown[m][0], shown[m][1], enum == "mir_alloc_kind") for m in have]
    words = re.search(r"words\[\] = \{(.*?)\};", source("mir_parse_stmt.c"), re.S).group(1)
    for w in re.findall(r'"([^"]+)"', words):
        word = w.rstrip(";(:")
        out.append(Row("Words without meaning", "quiet_" + word, word, r"^ +%s" % re.escape(w)))
    return out + list(operator_rows(source("mir_ops.def"))) + list(intrinsic_rows())


# ---- what rustc prints ----
def bodies(text):
    """{name: body} of the plain functions of a MIR text, without the places behind the lines."""
    out = {}
    for m in re.finditer(r"^fn (?:\w+::)*(\w+)\(.*?^\}", text, re.M | re.S):
        out.setdefault(m.group(1), re.sub(r"\s+// .*$", "", m.group(0), flags=re.M))
    return out


class Text:
    """One file of test/exec as one toolchain prints it for the pass."""

    def __init__(self, folder):
        self.allocs, self.bodies = "", {}
        for f in sorted(os.listdir(folder)):
            if f.endswith(".mir"):
                with open(os.path.join(folder, f), encoding="utf-8") as h:
                    text = h.read()
                self.allocs += "\n".join(re.findall(r"^alloc\d+ \(.*", text, re.M)) + "\n"
                if f.endswith("unit.mir"):
                    self.bodies = bodies(text)


def exec_files():
    """[(name, path, what the pass gets)]: a template as its first instance; and what no CPU can run."""
    for f in sorted(os.listdir(run.HERE)):
        if f.endswith(".rs"):
            path = os.path.join(run.HERE, f)
            _, text = run.instances(path)[0]
            yield "test/exec/" + f, text, run.device_source(text)
    for name in ("test/e2e/pass_prepare/kernels.rs", "test/e2e/extern_static.rs"):
        with open(os.path.join(SRC, name), encoding="utf-8") as f:
            yield name, "", f.read()


def functions(name):
    """Tests of a file first, then its other functions."""
    with open(os.path.join(SRC, name), encoding="utf-8") as f:
        text = f.read()
    tests = re.findall(r"^    (\w+)\((?:a, b)\) \{", text, re.M)
    return tests + [n for n in re.findall(r"\bfn (\w+)", text) if n not in tests]


def compiled(name, text, source_, rustc, folder):
    """Runs the pass on a file; the folder gets what rustc printed. Functions that the pass refuses are left in."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    src = os.path.join(folder, os.path.basename(name))
    with open(src, "w", encoding="utf-8") as f:
        f.write(source_)
    subprocess.run([os.path.join(run.BUILD, "bin", "mirdc-rustc"), "--keep", folder, "--rustc", rustc, "--out",
                    os.path.join(folder, "out.json"), src, "--"] + run.flags_for("on", text),
                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
    with open(os.path.join(folder, "whole"), "w") as f:
        f.write(identity(source_, rustc))
    return Text(folder)


def identity(source_, rustc):
    """What a kept folder belongs to."""
    h = hashlib.sha256(source_.encode())
    with open(os.path.join(run.BUILD, "bin", "mirdc-rustc"), "rb") as f:
        h.update(f.read())
    path = os.path.realpath(shutil.which(rustc) or rustc)
    st = os.stat(path)
    return "%s %s %d %d" % (h.hexdigest(), path, st.st_size, st.st_mtime_ns)


def kept_or_compiled(name, text, source_, rustc, folder):
    mark = os.path.join(folder, "whole")
    if os.path.exists(mark) and open(mark).read() == identity(source_, rustc):
        return Text(folder)
    return compiled(name, text, source_, rustc, folder)


def toolchains():
    """[(version, rustc)] of what is here: the one in use, and rustup's."""
    found = {}
    names = ["stable", "nightly"]
    paths = [run.RUSTC]
    for n in names:
        p = subprocess.run(["rustup", "which", "rustc", "--toolchain", n], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
        paths += [p.stdout.strip()] if p.returncode == 0 else []
    for path in paths:
        p = subprocess.run([path, "-V"], stdout=subprocess.PIPE, text=True)
        m = re.match(r"rustc (\d+\.\d+)", p.stdout)
        if m:
            found.setdefault(m.group(1), path)
    return sorted(found.items())


# ---- the page ----
HEAD = """# What rustc's MIR can say, and what becomes of it

Made by `test/coverage.py --write` from the pass's own tables. Each row that is supported names a function of `test/exec`
whose body, as rustc prints it for the pass, holds the construct; `test/exec/run.py` runs it against rustc's own code, and
`test/coverage.py --run` looks for the construct in what rustc prints. The last column has the versions of rustc that
print it there. A row that is refused has the code and a reason that no change of mirdc can remove.
"""


def place(row, texts):
    """The first function that has it in most versions: (file, function or None, versions)."""
    best = None
    versions = sorted({v for v, _ in texts})
    for name in sorted({n for _, n in texts}, key=lambda n: (not n.startswith("test/exec"), n)):
        for fn in [None] if row.dump else functions(name):
            hits = [v for v in versions if holds(row, texts[v, name], fn)]
            if hits and (best is None or len(hits) > len(best[2])):
                best = (name, fn, hits)
        if best and best[2] == versions:
            break
    return best


def holds(row, text, fn):
    return bool(row.pattern.search(text.allocs if row.dump else text.bodies.get(fn, "")))


def write(texts):
    out, section, missing = [HEAD.rstrip()], None, []
    for r in rows():
        if r.section != section:
            section = r.section
            out += ["", "## " + section, "", "| construct | state | test or reason | rustc |", "|---|---|---|---|"]
        code, why = elsewhere(r) or (None, None)
        found = place(r, texts) if code is None or code == "" else None
        shown = ("`%s`" % r.shown if "`" not in r.shown else r.shown).replace("|", "\\|")
        if found:
            where = "`%s`" % found[0] + (" `%s`" % found[1] if found[1] else "")
            out.append("| %s | works | %s | %s |" % (shown, where, ", ".join(found[2])))
        elif code:
            out.append("| %s | refused, %s | %s | |" % (shown, code, why))
        elif code == "":
            out.append("| %s | never met | %s | |" % (shown, why))
        else:
            missing.append("%s: %s" % (r.section, r.shown))
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")
    return missing


def page_rows():
    with open(PAGE, encoding="utf-8") as f:
        for line in f:
            cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            if len(cells) == 4 and cells[0] not in ("construct", "---"):
                yield cells


def check_rows():
    """Complaints about the page as it stands."""
    bad, have, want = [], list(page_rows()), rows()
    if [c[0].strip("`").replace("\\|", "|") for c in have] != [r.shown.strip("`") for r in want]:
        return ["the page has other rows than the code: %s" % sorted(
            {c[0].strip("`") for c in have} ^ {r.shown.strip("`") for r in want})]
    for cells, r in zip(have, want):
        test = re.match(r"`(test/[\w/]+\.rs)`(?: `(\w+)`)?$", cells[2])
        if cells[1] == "works":
            if not test or not os.path.exists(os.path.join(SRC, test.group(1))) or (
                    test.group(2) and test.group(2) not in functions(test.group(1))):
                bad.append("%s: its test %s is not there" % (r.shown, cells[2]))
        elif state(elsewhere(r)) != (cells[1], cells[2]):
            bad.append("%s: `%s` for another reason than in the code" % (r.shown, cells[1]))
    return bad


def state(reason):
    if reason is None:
        return None
    return ("refused, " + reason[0] if reason[0] else "never met"), reason[1]


def look_for(args, files, found):
    """{(version, file)} of the tests that the page names, in the page's order."""
    wanted = {}
    for cells in page_rows():
        test = re.match(r"`(test/[\w/]+\.rs)`", cells[2])
        for version, rustc in found:
            if cells[1] == "works" and version in cells[3].split(", ") and args.only in test.group(1):
                wanted[version, test.group(1)] = files[test.group(1)] + (rustc,)
    return wanted


def print_all(wanted, args, folder):
    """(what rustc prints of each, complaints). One pass for each processor; what time does not allow is left out."""
    texts, bad, end = {}, [], time.monotonic() + args.seconds if args.seconds else None

    def one(key, job):
        if end and time.monotonic() > end:
            return key, None
        return key, kept_or_compiled(*job, os.path.join(folder, *key))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for future in [pool.submit(one, *item) for item in wanted.items()]:
            try:
                key, text = future.result()
            except subprocess.TimeoutExpired as e:
                bad.append("the pass did not end within %d seconds: %s" % (e.timeout, e.cmd[-1 - len(e.cmd[e.cmd.index("--"):])]))
                continue
            if text is None:
                print("# skip %s with rustc %s: no time is left" % (key[1], key[0]))
            else:
                texts[key] = text
    return texts, bad


def check_run(args, folder):
    """Complaints about tests whose MIR does not hold what the page says."""
    found = toolchains()
    wanted = look_for(args, {f[0]: f for f in exec_files()}, found)
    texts, bad = print_all(wanted, args, folder)
    n = 0
    for cells, r in zip(list(page_rows()), rows()):
        test = re.match(r"`(test/[\w/]+\.rs)`(?: `(\w+)`)?$", cells[2])
        for version, _ in found:
            if cells[1] != "works" or version not in cells[3].split(", ") or (version, test.group(1)) not in texts:
                continue
            n += 1
            if not holds(r, texts[version, test.group(1)], test.group(2)):
                bad.append("%s: rustc %s does not print it in %s" % (r.shown, version, cells[2]))
    print("# %d constructs looked for with %s, in %d of %d files" % (n, ", ".join(v for v, _ in found), len(texts), len(wanted)))
    return bad if n else bad + ["no construct was looked for"]


def gather(folder):
    return {(version, name): kept_or_compiled(name, text, source_, rustc, os.path.join(folder, version, name))
            for version, rustc in toolchains() for name, text, source_ in exec_files()}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--write", action="store_true")
    ap.add_argument("--run", action="store_true")
    ap.add_argument("--kept", default="")
    ap.add_argument("--only", default="")
    ap.add_argument("--seconds", type=float, default=0)
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as work:
        if args.write:
            missing = write(gather(args.kept or work))
            print("\n".join("not ok no test has " + m for m in missing) or "ok each construct has a test")
            return 1 if missing else 0
        bad = check_rows() or (check_run(args, args.kept or work) if args.run else [])
    print("\n".join("not ok " + b for b in bad) or "ok docs/mir-coverage.md is what the code says")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
