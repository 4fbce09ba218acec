"""Kernels that must be refused: one coded message at the right line, with the kernel named, status 1, nothing
written. The cases are in fault_kernels.txt."""
import concurrent.futures, json, os, re, sys
from fault_lib import *

HEAD = "#![no_std]\nuse mirdc::prelude::*;\n"


def cases():
    with open(os.path.join(ROOT, "test/e2e/fault_kernels.txt"), encoding="utf-8") as f:
        text = f.read()
    for block in re.split(r"^== ", text, flags=re.M)[1:]:
        name, _, source = block.partition("\n")
        yield name, HEAD + source


def wanted(source):
    """[(line, code, words)]"""
    out = []
    for i, line in enumerate(source.split("\n"), 1):
        m = re.search(r"//~(\^?) (MD\d*|E\d{4})\s*(.*)$", line)
        if m:
            out.append((i - len(m.group(1)), m.group(2), m.group(3)))
    return out


def said(done):
    """The errors of a run with JSON messages: code, line in the user's file, whole text."""
    out = []
    for line in done.out.split("\n"):
        if not line.startswith("{"):
            continue
        m = json.loads(line)
        if m.get("level") != "error" or m["message"].startswith("aborting due to"):
            continue
        spans = [s for s in m["spans"] if s["is_primary"]]
        code = (m["code"] or {}).get("code", "none")
        out.append((code, [(os.path.basename(s["file_name"]), s["line_start"]) for s in spans], m["rendered"]))
    return out


def one(case):
    name, source = case
    with Place() as p:
        path = os.path.join(p.dir, "k.rs")
        with open(path, "w", encoding="utf-8") as f:
            f.write(source)
        d = run([MIRDC, "compile", path, "--out-dir", p.out, "--message-format", "json"], env=p.env(), timeout=200)
        got, want, bad = said(d), wanted(source), []
        if d.rc != 1:
            bad.append("status %d" % d.rc)
        if len(got) != len(want):
            bad.append("%d errors" % len(got))
        for (code, spans, text), (line, prefix, words) in zip(got, want):
            if not code.startswith(prefix) or words not in text:
                bad.append("code %s" % code)
            if spans != [("k.rs", line)]:
                bad.append("points to %s, not to line %d" % (spans, line))
            if prefix[0] == "M" and not re.search(r"\bbad\b", re.sub(r"^\s*\d* \|.*$", "", text, flags=re.M)):
                bad.append("does not name the kernel")
        if os.path.exists(p.out):
            bad.append("wrote %s" % os.listdir(p.out))
        return name, bad, "\n".join(t for _, _, t in got) or str(d)


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, bad, text in pool.map(one, [c for c in cases() if only in c[0]]):
            check("refused: " + name, not bad, "%s\n%s" % ("; ".join(bad), text))


main()
finish()
