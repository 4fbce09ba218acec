#!/usr/bin/env python3
"""Writes the pages that are made from tables: docs/diagnostics.md. With --check it only compares."""
import os, re, sys

SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AREAS = [("general", "Command line, files, processes"), ("pass", "The pass"),
         ("pmir", "Prepared MIR: reader and verifier"), ("lower", "Lowering"),
         ("link", "CUDA libraries, links, cache"), ("bundle", "Bundles, records, reader"),
         ("cargo", "Cargo"), ("admit", "Callbacks")]


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


def main():
    path = os.path.join(SRC, "docs/diagnostics.md")
    text = diagnostics()
    if "--check" in sys.argv:
        same = os.path.exists(path) and open(path, encoding="utf-8").read() == text
        print("ok" if same else "not ok", "docs/diagnostics.md is what the tables say")
        return 0 if same else 1
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
