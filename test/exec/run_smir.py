#!/usr/bin/env python3
"""The functions of test/exec/*.rs once more, their dumps rewritten by smir.py in the form of stable-mir-json and
read back: what a foreign dump leaves out must be found again, so that all compute what rustc's own code computes.

--only TEXT takes the files with TEXT in their name, --all all of them instead of a few.
"""
import argparse, json, os, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run as net
import smir

# With one setting of the overflow checks each.
FEW = {"data": "on", "enums": "off", "captures": "on", "drops": "on", "each_int_u8": "on"}


MIRDC = os.path.join(net.BUILD, "bin", "mirdc")


def exports(names):
    return [a for n in names for a in ("--export", n)]


def those_taken(foreign, names, argv):
    """Without the functions that the reader refuses since the form lacks something."""
    refused = {}
    for some in [names] + [[n] for n in names]:
        p = subprocess.run([MIRDC, "check", foreign, "-q"] + argv + exports(some), capture_output=True, text=True, timeout=600)
        if p.returncode == 0 and len(some) == len(names):
            return names, {}
        if p.returncode != 0 and some is not names:
            code = re.search(r"error\[(MD0\d+)\].*", p.stderr)
            if not code or code.group(1) not in ("MD0854", "MD0855"):
                raise RuntimeError("%s: %s" % (some[0], p.stderr[-3000:]))
            refused[some[0]] = code.group(0)
    return [n for n in names if n not in refused], refused


def check(name, text, checks, work, pairs):
    pmir, lines, want, _, _ = net.material(name, text, checks, work, pairs)
    foreign, back = os.path.join(work, "f.smir.json"), os.path.join(work, "f.pmir.json")
    with open(pmir, encoding="utf-8") as f:
        dump = json.load(f)
    out, names, left = smir.convert(dump)
    with open(foreign, "w", encoding="utf-8") as f:
        f.write(out)
    checks_of = ["--entry", "nothing", "--overflow-checks", "on" if dump["unit"]["overflow_checks"] else "off"]
    names, refused = those_taken(foreign, names, checks_of)
    left.update(refused)
    net.run([MIRDC, "compile", foreign, "-q", "--emit", "pmir", "-o", back] + checks_of + exports(names))
    keep = [i for i, w in enumerate(want) if not w or w.split(" ")[0] in names]
    asked = [l for l in lines.split("\n")]
    lines = "\n".join(asked[i] for i in keep if i < len(asked))
    want = [want[i] for i in keep]
    said = []
    for level in ("-O0", "-O2"):
        failed = net.replay(os.path.join(net.OBJ, "exec", "run_pmir"), back, level, lines, want)
        for fn, cases in failed.items():
            said.append("not ok %s %s checks=%s %s: %d wrong; got `%s`, want `%s`"
                        % (name, fn, checks, level, len(cases), cases[0][0], cases[0][1]))
        if not failed:
            said.append("ok foreign dump of %s checks=%s %s: %d functions compared, %d left out, %d calls"
                        % (name, checks, level, len(names), len(left), len(want) - 1))
    for n in sorted(left)[:5]:
        said.append("# %s leaves out %s: %s" % (name, n, left[n]))
    if len(names) < 3 * len(left):
        said.append("not ok %s: %d functions left out, %d not" % (name, len(left), len(names)))
    return said


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--only", default="")
    ap.add_argument("--all", action="store_true")
    ap.add_argument("--pairs", type=int, default=40)
    ap.add_argument("--keep", default="")
    args = ap.parse_args()
    bad = n = 0
    for f in sorted(os.listdir(net.HERE)):
        for name, text in net.instances(os.path.join(net.HERE, f)) if f.endswith(".rs") else []:
            for checks in ("on", "off"):
                if args.only not in name or text.startswith("// gpu:") or not (args.all or args.only or FEW.get(name) == checks):
                    continue
                with tempfile.TemporaryDirectory() as work:
                    try:
                        said = check(name, text, checks, args.keep or work, args.pairs)
                    except RuntimeError as e:
                        said = ["not ok %s checks=%s: %s" % (name, checks, e)]
                print("\n".join(said), flush=True)
                bad += sum(l.startswith("not ok") for l in said)
                n += 1
    return 1 if bad or not n else 0


if __name__ == "__main__":
    sys.exit(main())
