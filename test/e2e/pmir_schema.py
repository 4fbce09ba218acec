"""The JSON Schema of prepared MIR: it is a schema, names exactly the words of the .def tables, takes
what the reader takes, and refuses wrong shapes, as `mirdc check` does."""
import copy, glob, json, os, re, subprocess, sys, tempfile

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
MIRDC = os.path.join(BUILD, "bin", "mirdc")
failed = 0


def check(name, ok, why=""):
    global failed
    print("%s %s" % ("ok" if ok else "not ok", name))
    if not ok:
        failed += 1
        print("  " + str(why)[:2000])


def load(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def words(path, macro):
    return re.findall(r'^%s\(\w+, "(\w+)"' % macro, load(path), re.M)


def reader_takes(text):
    with tempfile.NamedTemporaryFile("w", suffix=".pmir.json", encoding="utf-8") as f:
        f.write(text)
        f.flush()
        p = subprocess.run([MIRDC, "check", f.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return p.returncode == 0, p.stderr.decode("utf-8", "replace")


schema = json.loads(load("docs/pmir.schema.json"))
try:
    jsonschema.Draft202012Validator.check_schema(schema)
    check("the schema is a JSON Schema of draft 2020-12", True)
except jsonschema.SchemaError as e:
    check("the schema is a JSON Schema of draft 2020-12", False, e)
validator = jsonschema.Draft202012Validator(schema)

for name, path, macro in [("binary", "ir/ops.def", "PM_BIN"), ("unary", "ir/ops.def", "PM_UN"),
                          ("cast", "ir/ops.def", "PM_CAST"), ("trap", "ir/traps.def", "PM_TRAP"),
                          ("intrinsic", "ir/intrinsics.def", "INTRINSIC")]:
    has, wanted = set(schema["$defs"][name]["enum"]), set(words(path, macro))
    check("the schema has the words of %s for %s" % (path, name), has == wanted and wanted,
          sorted(has ^ wanted))

right = sorted(glob.glob(os.path.join(ROOT, "test/**/*.pmir.json"), recursive=True))
right = [p for p in right if not os.path.exists(os.path.join(os.path.dirname(p), "exit"))]
right += [p for p in sorted(glob.glob(os.path.join(ROOT, "test/fuzz/corpus/pmir/*")))
          if not p.endswith("/half")]
for path in right:
    text = load(path)
    takes, said = reader_takes(text)
    errors = [e.json_path + ": " + e.message[:300] for e in validator.iter_errors(json.loads(text))] \
        if len(text) < 200000 else []
    check("schema and reader take %s" % os.path.relpath(path, ROOT), takes and not errors,
          said + "\n".join(errors))

base = json.loads(load("test/fuzz/corpus/pmir/valid"))


def put(*path_and_value):
    *path, last, value = path_and_value

    def patch(d):
        for k in path:
            d = d[k]
        if value is None:
            del d[last]
        else:
            d[last] = value
    return patch


wrong = [
    ("another schema", put("schema", "smir")),
    ("a newer version", put("version", 2)),
    ("an unknown capability", put("requires", ["warp9"])),
    ("an unknown member", put("extra", 1)),
    ("a missing member", put("target", None)),
    ("a big-endian target", put("target", "endian", "big")),
    ("a unit without its overflow checks", put("unit", "overflow_checks", None)),
    ("an absolute path", put("files", 0, "path", "/src/lib.rs")),
    ("a digest that is none", put("files", 0, "sha256", "12")),
    ("a span of three numbers", put("spans", 0, [0, 1, 1])),
    ("a span with a place but no name", put("spans", 0, [0, 1, 1, 9, 2, 1])),
    ("a scope without a column", put("scopes", [[None, 0, 1]])),
    ("a span with a scope and half of what it was inlined into", put("spans", 0, [0, 1, 1, 9, 2, None, "f", 0])),
    ("a kind that is none", put("types", 0, "kind", "fload")),
    ("an int of 12 bits", put("types", 3, "bits", 12)),
    ("a pointer without `meta`", put("types", 2, "meta", None)),
    ("a tree without `else`", put("types", 8, "get", "else", None)),
    ("a set of two", put("types", 8, "variants", 0, "set", [[0, 32]])),
    ("an odd number of digits", put("allocs", 1, "bytes", "2a00000")),
    ("a relocation to nothing", put("allocs", 0, "relocs", [[0, "moon", 1, 0]])),
    ("a space that is none", put("statics", 0, "space", "local")),
    ("a symbol with a dot", put("statics", 0, "symbol", "a.b")),
    ("a statement that is none", put("fns", 0, "blocks", 0, 0, 0, ["==", [4], 1, 1])),
    ("an operator that is none", put("fns", 0, "blocks", 0, 0, 0, 2, ["un", "Sqrt", ["c", [2]]])),
    ("an operand with too much", put("fns", 0, "blocks", 0, 0, 0, 2, ["un", "Not", ["c", [2], 1]])),
    ("a terminator that is none", put("fns", 0, "blocks", 1, 1, ["jump", 0])),
    ("a place without local", put("fns", 0, "blocks", 0, 0, 0, 1, [])),
    ("a reason that is none", put("fns", 0, "blocks", 0, 1, 3, "boredom")),
    ("a function without blocks", put("fns", 0, "blocks", [])),
    ("a way to pass that is none", put("kernels", 0, "params", 0, "pass", "carrier")),
    ("a block of two dimensions", put("kernels", 0, "launch", "block", [256, 1])),
    ("an intrinsic that is none",
     put("fns", 4, "blocks", 0, 1, ["call", ["intr", "fly", [], []], [], [0], None, None])),
]
for name, patch in wrong:
    dump = copy.deepcopy(base)
    patch(dump)
    takes, said = reader_takes(json.dumps(dump))
    by_schema = validator.is_valid(dump)
    check("schema and reader refuse %s" % name, not takes and not by_schema and "error[MD02" in said,
          "reader takes: %s, schema takes: %s\n%s" % (takes, by_schema, said))

sys.exit(1 if failed else 0)
