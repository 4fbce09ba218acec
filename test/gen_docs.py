#!/usr/bin/env python3
"""Writes the pages that are made from tables: docs/diagnostics.md. With --check it only compares."""
import os, re, sys

SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AREAS = [("general", "Command line, files, processes"), ("pass", "The pass"),
         ("pmir", "Prepared MIR: reader and verifier"), ("lower", "Lowering"),
         ("link", "CUDA libraries, links, cache"), ("bundle", "Bundles, records, reader"),
         ("cargo", "Cargo"), ("provider", "Providers of native algorithms"), ("admit", "Callbacks"),
         ("check", "What the emulator's checks find"), ("smir", "Foreign dumps"), ("emu", "Emulator")]


def rows(area):
    with open(os.path.join(SRC, "base/codes", area + ".def"), encoding="utf-8") as f:
        text = f.read()
    string = r'((?:"(?:\\.|[^"\\])*"\s*)+)'
    for m in re.finditer(r"^DIAG\((MD\d+),\s*" + string + r",\s*" + string + r"\)", text, re.M):
        yield (m.group(1),) + tuple(
            "".join(eval(s) for s in re.findall(r'"(?:\\.|[^"\\])*"', g)) for g in m.groups()[1:])


def diagnostics():
    out = ["# Diagnostics", "", "Every message of mirdc that reports a problem carries one of these codes; "
           "`mirdc explain CODE` shows the same text.", "A code is never used for anything else later.", ""]
    for area, title in AREAS:
        table = sorted(rows(area))
        if not table:
            continue
        out += ["## " + title, ""]
        for code, head, text in table:
            out += ["### %s: %s" % (code, head), "", text.strip(), ""]
    return "\n".join(out).rstrip() + "\n"


def options():
    """Commands and options of driver/options.def."""
    with open(os.path.join(SRC, "driver/options.def"), encoding="utf-8") as f:
        text = f.read()
    string = r'"((?:\\.|[^"\\])*)"'
    cmds = re.findall(r'^CMD\((\w+), %s, \'(.)\', %s,\s*%s\)' % (string, string, string), text, re.M)
    opts = re.findall(r'^OPT\((\w+), %s, (0|\'.\'), (NULL|%s), %s,\s*%s\)'
                      % (string, string, string, string), text, re.M)
    return cmds, opts


def roff(text):
    return text.replace("\\", "\\e").replace("…", " ...").replace("-", "\\-")


def man_page():
    cmds, opts = options()
    out = [".\\\" Made from driver/options.def by test/gen_docs.py; do not edit.", ".Dd December 1, 2026",
           ".Dt MIRDC 1", ".Os", ".Sh NAME", ".Nm mirdc", ".Nd compile Rust GPU kernels", ".Sh SYNOPSIS"]
    for _, name, _, args, _ in cmds:
        out += [".Nm", ".Cm " + name] + ([".Ar " + roff(args)] if args else [])
    out += [".Sh DESCRIPTION", ".Nm", "turns kernels written in Rust into cubins that are proved to hold them,",
            "LTO\\-IR, and a bundle with the facts that a host needs to launch them.", "The commands are:",
            ".Bl -tag -width Ds"]
    for _, name, _, args, text in cmds:
        out += [".It Cm " + name, roff(text[0].upper() + text[1:]) + "."]
    out += [".El", ".Pp", "The options, with the commands that take them:", ".Bl -tag -width Ds"]
    for _, name, letter, raw, arg, letters, text in opts:
        head = ("Fl " + letter[1] + " , " if letter != "0" else "") + "Fl \\-" + name.replace("-", "\\-")
        takers = ", ".join(c[1] for c in cmds if c[2] in letters)
        out += [".It " + head + (" Ar " + roff(arg) if raw != "NULL" else ""),
                roff(text[0].upper() + text[1:]) + ".", "(" + takers + ")"]
    out += [".El", ".Sh ENVIRONMENT", ".Bl -tag -width Ds", ".It Ev MIRDC_CUDA , CUDA_HOME",
            "Folder of the CUDA toolkit.", ".It Ev MIRDC_CACHE_DIR , XDG_CACHE_HOME", "Where the cache is.",
            ".It Ev RUSTC", "The rustc that the pass runs.", ".It Ev NO_COLOR", "No colour in messages.", ".El",
            ".Sh EXIT STATUS", "0 done, 1 a problem was diagnosed, 2 wrong usage, 101 a bug in mirdc.",
            ".Sh SEE ALSO", ".Xr cargo\\-mirdc 1 ,", ".Xr mirdc\\-read 1 ,", ".Xr mirdc\\-rustc 1"]
    return "\n".join(out) + "\n"


def admission():
    """Rules by the codes of base/codes/admit.def, each with the cases of test/admission that mark it."""
    sys.path.insert(0, os.path.join(SRC, "test/admission"))
    import run as sweep
    marked = {}
    for name, verdict, kind, text, rules, _ in sweep.cases():
        for rule in rules:
            marked.setdefault(rule, {})["accepted" if not verdict[0] else "rejected"] = (name, kind, text)
    out = ["# Admission", "", "Before any C++ is compiled, `mirdc check` and `mirdc compile` decide from the dump alone whether each "
           "callback may be kept for native code, and", "whether each native call is safe where it stands. Every rule has a code, an "
           "accepted neighbour and a rejected case; `mirdc explain CODE` says more.", "",
           "This page is made from `base/codes/admit.def` and `test/admission/cases.txt`, whose %d outcomes "
           "`test/admission/run.py` compares on every" % len(sweep.cases()),
           "toolchain, with and without overflow checks. Kernels of cases that show only a few lines have blocks of 256 threads; "
           "`x` is a loaded value, `k`, `n`,", "`flag` and `s` are parameters, and `op` is given to "
           "`cub::block_reduce::<i32, 256, _>(x, op)`.", ""]
    for code, head, _ in sorted(rows("admit")):
        out += ["## %s: %s" % (code, head), ""]
        for word in ("accepted", "rejected"):
            if word in marked.get(code, {}):
                name, _, text = marked[code][word]
                out += ["%s (`%s`):" % (word.capitalize(), name), "```rust", text, "```"]
        if code not in marked:
            out += ["No source brings this forth with the shipped providers: `test/unit/test_admit.c` has the cases."]
        out.append("")
    return "\n".join(out).rstrip() + "\n"


PAGES = {"docs/admission.md": admission, "docs/diagnostics.md": diagnostics, "docs/mirdc.1": man_page}


def main():
    failed = 0
    for name, make in PAGES.items():
        path, text = os.path.join(SRC, name), make()
        if "--check" in sys.argv:
            same = os.path.exists(path) and open(path, encoding="utf-8").read() == text
            print("ok" if same else "not ok", name, "is what the tables say")
            failed += not same
        else:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
