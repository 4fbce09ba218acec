"""Right kernels (test/e2e/emulate/clean.rs), about which nothing may be said, and seeded mistakes (test/e2e/emulate/seeded.rs): the emulator reports each at its line and nothing else, at -O0 and
-O3, and says nothing about the mended kernels. With a check turned off its mistakes are not reported, so a pass here
means that the checks did it."""
import concurrent.futures, json, os, re, shlex, sys
from fault_lib import *

SOURCE = os.path.join(ROOT, "test/e2e/emulate/seeded.rs")
CLEAN = os.path.join(ROOT, "test/e2e/emulate/clean.rs")
CHECK_OF = {"MD0825": "bounds", "MD0830": "uninit", "MD0831": "races", "MD0832": "divergence", "MD0833": "divergence",
            "MD0834": "divergence"}  # the others are the engine's own, whatever is checked


def mended(text):
    out = []
    for line in text.split("\n"):
        indent = re.match(r" *", line).group()
        if line.startswith("//!"):
            pass
        elif "//=" in line:
            line = indent + line.split("//=", 1)[1].strip()
        elif line.strip().startswith("//+"):
            line = indent + line.strip()[3:].strip()
        out.append(line)
    return "\n".join(out)


def kernels(text):
    """[(name, arguments, {(line, code)})]"""
    out, args, marks, functions, start = [], None, {}, {}, 0
    lines = text.split("\n")
    for i, line in enumerate(lines, 1):
        if line.startswith("//:"):
            args = shlex.split(line[3:])
        m = re.match(r"(pub )?fn (\w+)", line)
        if m:
            name = m.group(2)
            marks[name] = set()
            if m.group(1):
                out.append((name, args, marks[name]))
        for code in re.findall(r"MD\d{4}", line) if "//~" in line else []:
            marks[name].add((i, code))
    for name, _, own in out:  # marks of the functions that it calls
        body = text[text.index("fn %s(" % name):].split("\n}\n")[0]
        for other in marks:
            if other != name and re.search(r"\b%s\(" % other, body):
                own |= marks[other]
    return out


def emulate(dump, name, args, *more):
    d = run([MIRDC, "emulate", dump, "--kernel", name, "--message-format", "json"] + args + list(more), timeout=60)
    for line in d.out.split("\n"):
        if line.startswith("{") and '"emulation"' in line:
            return d, json.loads(line)
    return d, None


def found(report):
    return {(f["line"], f["code"]) for f in report["findings"]}


def verdict(d, report, want):
    if report is None:
        return "no report: status %d\n%s%s" % (d.rc, d.out, d.err)
    got = found(report)
    if got != want or d.rc != (1 if want else 0):
        return "status %d, %s; wanted %s\n%s" % (d.rc, sorted(got), sorted(want), d.out)
    return ""


def clean(p):
    text = open(CLEAN, encoding="utf-8").read()
    dump = os.path.join(p.dir, "clean.pmir.json")
    d = run([MIRDC, "compile", CLEAN, "--emit", "pmir", "-q", "-o", dump], env=p.env(), timeout=300)
    if not check("the clean kernels compile", d.rc == 0, str(d)):
        return
    for args, want, name in re.findall(r"^//: (.*)\n//> (.*)\n(?:///.*\n)*#\[mirdc::kernel.*\]\npub fn (\w+)", text, re.M):
        for opt in ("-O0", "-O3"):
            d = run([MIRDC, "emulate", dump, "--kernel", name, "--out", want.split()[0], opt] + shlex.split(args), timeout=60)
            check("%s is clean %s" % (name, opt), d.rc == 0 and not d.err and want in d.out, str(d))


def main():
    text = open(SOURCE, encoding="utf-8").read()
    with Place() as p:
        clean(p)
        dumps = {}
        for which, source in (("bad", text), ("mended", mended(text))):
            path = os.path.join(p.dir, which + ".rs")
            with open(path, "w", encoding="utf-8") as f:
                f.write(source)
            dumps[which] = path[:-3] + ".pmir.json"
            d = run([MIRDC, "compile", path, "--emit", "pmir", "-q", "--out-dir", p.dir], timeout=300)
            if d.rc:
                check("the %s kernels compile" % which, False, str(d))
                return finish()
        for name, args, want in kernels(text):
            for opt in ("-O0", "-O3"):
                check("%s %s" % (name, opt), *yes_or_why(verdict(*emulate(dumps["bad"], name, args, opt), want)))
            check(name + " mended", *yes_or_why(verdict(*emulate(dumps["mended"], name, args), set())))
            seen = {w for w in want if w[1] in CHECK_OF}
            rest = ",".join(sorted({"bounds", "uninit", "races", "divergence"} - {CHECK_OF[c] for _, c in seen}))
            d, report = emulate(dumps["bad"], name, args, "--checks", rest)
            check(name + " unseen without its check", report is not None and not (found(report) & seen), str(d))
    return finish()


def yes_or_why(why):
    return not why, why


sys.exit(main())
