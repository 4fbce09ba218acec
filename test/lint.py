#!/usr/bin/env python3
"""Checks of the source tree itself; prints "ok NAME" or "not ok NAME" for each."""
import os, re, subprocess, sys

SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.chdir(SRC)
LAYERS = {  # folder: what it may include besides itself
    "base": set(), "ir": {"base"}, "callbacks": {"base", "ir"}, "linkers": {"base", "ir"},
    "bundles": {"base", "ir"}, "emulator": {"base", "ir"},
    "driver": {"base", "ir", "callbacks", "linkers", "bundles", "emulator"},
    "cargo-integration": {"base"},
}
BANNED = r"\b(strcpy|strcat|sprintf|strtok|gets|atoi|system|popen|alloca|tmpnam|strncpy)\s*\("
MAX_FILE = 800


def files(*ends):
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True,
                         text=True).stdout.split("\n")
    return [f for f in out if f.endswith(ends) and os.path.exists(f)]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def code_only(text):
    """C text with comments and strings blanked."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda m: re.sub(r"[^\n]", " ", m.group()),
                  text, flags=re.S)


def c_files():
    return [f for f in files(".c", ".h") if f.split("/")[0] in LAYERS]


def layers():
    bad = []
    for f in c_files():
        top = f.split("/")[0]
        for inc in re.findall(r'^#include "([^"]+)"', read(f), re.M):
            d = inc.split("/")[0]
            if d != top and d not in LAYERS[top]:
                bad.append("%s includes %s" % (f, inc))
    return bad


def closed_includes():
    """A few headers belong to one place each."""
    rules = [("llvm-c/", r"^(ir/ll|emulator/)"), ("cJSON", r"^base/json"), ("spawn.h", r"^base/proc\.c$"),
             ("curl/", r"^base/http"), ("openssl/", r"^base/"), ("zstd", r"^(bundles|base)/"),
             ("dlfcn.h", r"^(linkers/cuda|bundles/cuda|driver/|bundles/libmirdc)")]
    bad = []
    for f in c_files():
        for inc in re.findall(r"^#include <([^>]+)>", read(f), re.M):
            for name, where in rules:
                if name in inc and not re.match(where, f):
                    bad.append("%s includes <%s>" % (f, inc))
    return bad


def banned():
    bad = []
    for f in c_files():
        for i, line in enumerate(code_only(read(f)).split("\n"), 1):
            if re.search(BANNED, line) or "<assert.h>" in line:
                bad.append("%s:%d: %s" % (f, i, line.strip()))
    return bad


def guards():
    bad = []
    for f in c_files():
        if f.endswith(".h"):
            want = "MIRDC_" + re.sub(r"[^A-Z0-9]", "_", f[:-2].upper().replace("CARGO-INTEGRATION/", "")) + "_H"
            m = re.search(r"^#ifndef (\w+)\n#define (\w+)", read(f), re.M)
            if not m or m.group(1) != m.group(2) or not m.group(1).startswith("MIRDC_"):
                bad.append("%s: guard should be like %s" % (f, want))
    return bad


def sizes():
    return ["%s has %d lines" % (f, n) for f in files(".c", ".h", ".rs", ".py")
            for n in [read(f).count("\n")] if n > MAX_FILE]


def functions():
    """Functions of more than 60 lines; a dispatch switch may be longer when marked so."""
    bad = []
    for f in c_files():
        start = None
        lines = read(f).split("\n")
        for i, line in enumerate(lines):
            if line == "}" and start is not None:
                n = i - start - 1
                body = "\n".join(lines[start:i])
                if n > 60 and "/* dispatch */" not in body:
                    bad.append("%s:%d: function of %d lines" % (f, start + 1, n))
                start = None
            elif line.endswith("{") and line[:1] not in (" ", "\t", "#", "}", "/", "") and "(" in line \
                    or (line.endswith(") {") and line[:1] == " " and lines[i - 1][:1] not in (" ", "#", "")
                        and not line.lstrip().startswith(("if", "for", "while", "switch"))):
                start = i
    return bad


def unique_names():
    seen, bad = {}, []
    for f in c_files():
        b = os.path.basename(f)
        if b in seen and b not in ("main.c", "options.c", "options.h", "options.def"):
            bad.append("%s and %s" % (seen[b], f))
        seen[b] = f
    return bad


def codes():
    out = []
    for f in sorted(os.listdir("base/codes")):
        out += re.findall(r"^DIAG\((MD\d+)", read("base/codes/" + f), re.M)
    return out


def codes_unique():
    seen = set()
    return [c for c in codes() if c in seen or seen.add(c)]


def codes_used():
    text = "".join(code_only(read(f)) for f in c_files())
    text += "".join(read(f) for f in files(".rs") if f.startswith("cargo-integration"))
    return [c + " is never reported" for c in codes() if not re.search(r"\b%s\b" % c, text)]


def codes_exist():
    """The compiler knows the codes in C; those in Rust, in examples and on pages are only text."""
    known = set(codes())
    return ["%s names %s, which is no code" % (f, c) for f in files(".rs", ".md", "EXPECT")
            if not f.startswith("test/") for c in sorted(set(re.findall(r"\bMD\d{4}\b", read(f)))) if c not in known]


def codes_have_cases():
    """Comments do not count; `//~` in a Rust case is none."""
    text = ""
    for root, dirs, names in os.walk("test"):
        dirs[:] = [d for d in dirs if d not in ("corpus", "target")]
        for n in names:
            p = os.path.join(root, n)
            if os.path.getsize(p) < 4000000:
                with open(p, "rb") as fh:
                    text += re.sub(r"^\s*(//[^~\n]|/\*|\* |# )[^\n]*", "", fh.read().decode("utf-8", "replace"), flags=re.M)
    return [c + " has no case under test/" for c in codes() if c not in text]


def codes_documented():
    text = read("docs/diagnostics.md") if os.path.exists("docs/diagnostics.md") else ""
    return [c + " is not in docs/diagnostics.md (run test/gen_docs.py)" for c in codes() if c not in text]


def docs_current():
    out = subprocess.run([sys.executable, "test/gen_docs.py", "--check"], capture_output=True, text=True)
    return [l for l in out.stdout.split("\n") if l.startswith("not ok")]


def manuals():
    bad = []
    for f in files(".1"):
        out = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", f], capture_output=True, text=True)
        bad += [l for l in out.stdout.split("\n") if l]
    return bad


def no_machine_paths():
    bad = []
    for f in files(".c", ".h", ".rs", ".def", ".sh", ".py", ".md", "Makefile", ".json", ".toml", ".1"):
        for i, line in enumerate(read(f).split("\n"), 1):
            if re.search(r"(^|[^A-Za-z0-9_.$})-])/(work|root|farm|home)/", line):
                bad.append("%s:%d: %s" % (f, i, line.strip()[:100]))
    return bad


def unfinished():
    bad = []
    for f in files(".c", ".h", ".rs", ".def", ".sh", ".py"):
        if f == "test/lint.py":
            continue
        for i, line in enumerate(read(f).split("\n"), 1):
            if re.search(r"\b(TODO|FIXME|unimplemented!|todo!)", line):
                bad.append("%s:%d: %s" % (f, i, line.strip()[:100]))
    return bad


CHECKS = [layers, closed_includes, banned, guards, sizes, functions, unique_names, codes_unique,
          codes_used, codes_exist, codes_have_cases, codes_documented, docs_current, manuals, no_machine_paths, unfinished]


def main():
    failed = 0
    only = sys.argv[1:]
    for check in CHECKS:
        if only and check.__name__ not in only:
            continue
        bad = check()
        print("%s lint %s" % ("not ok" if bad else "ok", check.__name__))
        for b in bad[:40]:
            print("   ", b)
        failed += bool(bad)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
