"""Damaged and hostile dumps through `mirdc check`: one coded message, status 1, nothing on stdout, and
never more memory than a few bytes a byte."""
import os, re, resource, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
MIRDC = os.path.join(BUILD, "bin", "mirdc")
SANITIZED = b"__asan_init" in open(MIRDC, "rb").read()
BIG = 200_000_000
failed = 0

with open(os.path.join(ROOT, "test/fuzz/corpus/pmir/valid"), "rb") as f:
    valid = f.read()


def report(name, ok, why=""):
    global failed
    print("%s %s" % ("ok" if ok else "not ok", name))
    if not ok:
        failed += 1
        print("  " + why[:1500])


def run(args, limit=None):
    def set_limit():
        if limit and not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    p = subprocess.run([MIRDC, "check"] + args, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       preexec_fn=set_limit, timeout=300)
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")


def refuses(name, data, code, words="", limit=None, most=1):
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "x.pmir.json")
        with open(path, "wb") as f:
            for part in data if isinstance(data, (list, tuple)) else [data]:
                f.write(part)
        del data
        rc, out, err = run([path], limit)
        left = os.listdir(d)
    heads = re.findall(r"^error\[(MD\d+)\]", err, re.M)
    ok = (rc == 1 and out == b"" and 0 < len(heads) <= most and set(heads) == {code} and words in err
          and len(err) < 6000
          and left == ["x.pmir.json"])
    report(name, ok, "status %s, codes %s\n%s" % (rc, heads, err))


def with_member(name, value):
    """The valid dump with one top-level array replaced by bytes given as a list of parts."""
    at = valid.index(b'"%s":[' % name)
    end = valid.index(b"\n],\n" if name == b"types" else b"],\n", at)
    end += 2 if name == b"types" else 1
    return [valid[:at], b'"%s":' % name] + value + [valid[end:]]


def small():
    refuses("an empty file", b"", "MD0200", "the file is empty")
    refuses("white space", b" \n\t ", "MD0200", "only white space")
    refuses("garbage", bytes(range(256)) * 16, "MD0200", "expected a value")
    refuses("a zero byte", b"\0" + valid, "MD0200")
    refuses("another file format", b"\x7fELF" + b"\0" * 60, "MD0200")
    refuses("a byte order mark", b"\xef\xbb\xbf" + valid, "MD0200")
    refuses("an array at the top", b"[]", "MD0201", "must be an object")
    refuses("an empty object", b"{}", "MD0201", "the member `schema` is missing")
    refuses("half of a dump", valid[: len(valid) // 2], "MD0200")
    refuses("text after the dump", valid + b"{}", "MD0200", "more text")
    refuses("nesting of 100,000", b"[" * 100000 + b"]" * 100000, "MD0200", "deeper than 128")
    refuses("nesting of objects", b'{"a":' * 100000, "MD0200", "deeper than 128")
    refuses("a doubled key", valid.replace(b'"version":1', b'"version":1,"version":1'), "MD0200", "twice")
    refuses("a doubled key in disguise", valid.replace(b'"version":1', b'"version":1,"v\\u0065rsion":1'),
            "MD0200", "twice")
    refuses("invalid UTF-8", valid.replace(b"'demo'", b"x").replace(b"demo::misc", b"demo::\xc0\xaf"),
            "MD0200", "invalid UTF-8")
    refuses("half of a surrogate", valid.replace(b"demo::misc", b"\\ud800"), "MD0200", "surrogate")
    refuses("a size of 2^64", valid.replace(b'"size":16', b'"size":18446744073709551616', 1), "MD0201")
    refuses("an alloc of 2^63 bytes", valid.replace(b'"allocs":[{"size":16', b'"allocs":[{"size":9223372036854775808'),
            "MD0215")
    refuses("an array of 2^64-1", valid.replace(b'"len":4', b'"len":18446744073709551615'), "MD0210")
    refuses("a cyclic type", valid.replace(b'{"name":"next","ty":26', b'{"name":"next","ty":25'), "MD0211")
    refuses("a newer version", valid.replace(b'"version":1', b'"version":7'), "MD0202", "version 7")
    refuses("control characters and bidi in a name",
            valid.replace(b'"schema":"pmir"', b'"schema":"\\u001b[31m\xe2\x80\xae"'), "MD0202")

    # A chain of types: by value, then through pointers; the reader must not recurse.
    chain = b",".join(b'{"kind":"struct","name":"S","size":4,"align":4,"fields":[{"name":"x","ty":%d,"off":0}]}'
                      % (i + 1) for i in range(29, 200029))
    refuses("a chain of 200,000 types that ends in itself",
            [valid.replace(b"\n],\n\"allocs\"", b",\n" + chain.replace(b'"ty":200029', b'"ty":29')
                           + b"\n],\n\"allocs\"")], "MD0211")
    tail = b",".join(b'{"kind":"struct","name":"S","size":0,"align":1,"fields":[{"name":"x","ty":%d,"off":0}]}'
                     % (i + 1 if i < 200028 else 5) for i in range(29, 200029))
    refuses("a chain of 200,000 types with a wrong one",
            [valid.replace(b"\n],\n\"allocs\"", b",\n" + tail + b",\n"
                           + b'{"kind":"ptr","to":29,"mut":true,"ref":true,"meta":"len","name":"p","size":16,'
                           + b'"align":8}\n],\n"allocs"')], "MD0210", "does not fit the pointee")
    many = b",".join(b'"m%d":0' % i for i in range(200000))
    refuses("200,000 unknown members", valid.replace(b'"unit":{', b'"unit":{' + many + b","), "MD0201",
            "unknown member", most=5)
    refuses("200,000 unknown members at the top", b"{" + many + b"," + valid[1:], "MD0201",
            "unknown member", most=5)
    refuses("200,000 capabilities", valid.replace(b'"requires":[]', b'"requires":['
            + b",".join([b'"x"'] * 200000) + b"]"), "MD0203", "", most=5)
    spans = b"[" + b",".join(b"[0,1,1,1,2,%d,\"f\"]" % (i + 1) for i in range(300000)) + b",[0,1,1,1,2,0,\"f\"]]"
    refuses("a circle of 300,000 spans", with_member(b"spans", [spans]), "MD0222")
    refuses("an object of 200,000 members",
            b"{" + b",".join(b'"k%d":0' % i for i in range(200000)) + b',"k7":1}', "MD0200", "twice")

    with tempfile.TemporaryDirectory() as d:
        rc, out, err = run([d])
        report("a folder is refused", rc == 1 and out == b"" and len(re.findall(r"^error\[MD", err, re.M)) == 1, err)
        rc, out, err = run([os.path.join(d, "no.pmir.json")])
        report("a missing file is refused",
               rc == 1 and out == b"" and len(re.findall(r"^error\[MD", err, re.M)) == 1, err)


def big():
    # 200 MB, with 4 bytes a byte and the text itself at most
    limit = 5 * BIG + 300_000_000
    refuses("200 MB of brackets", [b"[" * BIG], "MD0200", "deeper than 128", limit)
    refuses("200 MB of spaces", [b" " * BIG], "MD0200", "only white space", limit)
    refuses("200 MB of one string", [b'{"schema":"', b"x" * BIG, b'"}'], "MD0202", "", limit)
    refuses("200 MB of one number", [b'{"schema":', b"9" * BIG, b"}"], "MD0201", "", limit)
    refuses("200 MB of zero bytes", [b"\0" * BIG], "MD0200", "", limit)
    part = b"[0,1,1,9,2],\n" * 1000
    refuses("200 MB of spans, cut short", [valid[: valid.index(b'"spans":[')], b'"spans":[']
            + [part] * (BIG // len(part)), "MD0200", "", limit)
    n = BIG // len(part)
    at = valid.index(b'"spans":[') + 9
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "big.pmir.json")
        with open(path, "wb") as f:
            f.write(valid[:at])
            for _ in range(n):
                f.write(part)
            f.write(valid[at:].replace(b"9,1,\"core", b"9,%d,\"core" % (n * 1000 + 1)))
        rc, out, err = run([path], limit)
        report("200 MB of spans are read in bounded memory", rc == 0 and b"spans" in out, err)


(big if sys.argv[1:] == ["big"] else small)()
sys.exit(1 if failed else 0)
