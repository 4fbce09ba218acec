#!/usr/bin/env python3
"""Each rule of the reader and the verifier is broken by a case of the unit tests.

A rule is a message in ir/pmir_*.c: what a function that reports is called with. The unit tests leave
all that they were told in a file; a message that no case brought forth fails here.
"""
import glob, os, re, subprocess, sys, tempfile

SRC = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(SRC, "build"))
OBJ = os.environ.get("OBJ", os.path.join(BUILD, "obj", "release"))
QUIET = {"diag_help", "diag_note", "BUG", "sb_addf", "sb_addz", "STR"}  # no rules: help, text of other pages
REPORTERS = {"pc_error", "pc_error_at", "bad_type", "bad_constant", "bad_step", "json_error_code", "jp_fail",
             "pc_want", "json_error", "bad_aggregate", "pm_pull_name", "bad_result", "json_error_at", "bad_param",
             "fail_span", "jp_fail_code"}
# What no test can break, and why.
BEYOND = {"/%s: too many elements": "needs a file of four thousand million elements"}


def plain(text):
    """Without comments, lines kept."""
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)


def caller(text, at):
    """The function whose arguments hold this place; None outside of calls."""
    depth = 0
    while at > 0:
        at -= 1
        c = text[at]
        if c == ")":
            depth += 1
        elif c == "(" and depth == 0:
            m = re.search(r"(\w+)\s*$", text[:at])
            return m.group(1) if m else None
        elif c == "(":
            depth -= 1
        elif c in ";{}" and depth == 0:
            return None
    return None


def rules(text):
    """[(line, message, caller)] of a source text: literals with a space in them."""
    text = plain(text)
    for m in re.finditer(r'(?:"(?:\\.|[^"\\\n])*"\s*)+', text):
        message = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', m.group(0)))
        if " " in message:
            yield text.count("\n", 0, m.start()) + 1, message, caller(text, m.start())


def pattern(message):
    parts = re.split(r"(%(?:\.\*)?[a-z]+)", message.replace('\\"', '"').replace("\\\\", "\\"))
    return re.compile("".join(".*" if p.startswith("%") else re.escape(p) for p in parts))


def unbroken(sources, said):
    """Rules that no message follows."""
    bad = []
    for name, text in sources:
        for line, message, who in rules(text):
            if who in QUIET or (who is not None and who not in REPORTERS and who != "if"):
                if who not in QUIET:
                    bad.append("%s:%d: `%s` is given a message and is no reporter that this test knows"
                               % (name, line, who))
                continue
            if message not in BEYOND and len(re.findall("[a-z]", message)) > 3 and not pattern(message).search(said):
                bad.append("%s:%d: no case breaks \"%s\"" % (name, line, message))
    return bad


def main():
    with tempfile.TemporaryDirectory() as work:
        said = os.path.join(work, "said")
        for test in ("test_pmir_read", "test_pmir_rules", "test_pmir_natives"):
            p = subprocess.run([os.path.join(OBJ, "unit", test)], env=dict(os.environ, MIRDC_TEST_MESSAGES=said),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
            print("%s %s passes" % ("not ok" if p.returncode else "ok", test))
            if p.returncode:
                return 1
        with open(said, encoding="utf-8", errors="replace") as f:
            said = f.read()
    planted = [("x.c", 'pc_error(c, MD0234, "no such rule %u at all", 3); pc_error(c, MD0200, "given twice"); g("a b");')]
    seen = unbroken(planted, "MD0200 the member is given twice\n")
    want = ['x.c:1: no case breaks "no such rule %u at all"', "x.c:1: `g` is given a message and is no reporter that this test knows"]
    print("%s a rule without a case is found" % ("ok" if seen == want else "not ok"))
    sources = []
    for path in sorted(glob.glob(os.path.join(SRC, "ir", "pmir_*.c"))):
        if not path.endswith("pmir_summary.c"):
            with open(path, encoding="utf-8") as f:
                sources.append((os.path.relpath(path, SRC), f.read()))
    bad = unbroken(sources, said)
    n = sum(1 for _, text in sources for r in rules(text) if r[2] not in QUIET)
    for b in bad:
        print("not ok " + b)
    if not bad:
        print("ok each of %d rules is broken by a case" % n)
    return 1 if bad or seen != want or n < 150 else 0


if __name__ == "__main__":
    sys.exit(main())
