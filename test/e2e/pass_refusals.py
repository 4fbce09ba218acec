"""Each file of pass_refusals/ is refused with the code and words behind //~, at that line unless the
mark stands on a line of its own, and nothing is written. Arguments: RUSTC LABEL."""
import glob, os, re, stat, subprocess, sys, tempfile

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pass_refusals")
rustc, label = sys.argv[1:3]
failed = 0

# Runs rustc and changes what it prints: the debug info in LLVM IR.
STAND_IN = """#!/bin/bash
ir=
for a; do
  case $a in
    --emit=*llvm-ir=*) ir=${a##*llvm-ir=} ;;
  esac
done
%(rustc)s "$@"
status=$?
if [ -n "$ir" ] && [ -n '%(ir)s' ]; then sed -i -e '%(ir)s' "$ir"; fi
exit $status
"""


def stand_in(dir, ir):
    path = os.path.join(dir, "rustc")
    with open(path, "w") as f:
        f.write(STAND_IN % {"rustc": rustc, "ir": ir})
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


for path in sorted(glob.glob(here + "/*.rs")):
    name = os.path.basename(path)[:-3]
    text = open(path).read()
    args = re.search(r"^// args: (.*)$", text, re.M)
    mark = re.search(r"//~ (MD\d{4}) (.*)$", text, re.M)
    line = text[: mark.start()].count("\n") + 1
    alone = text.split("\n")[line - 1].startswith("//~")
    with tempfile.TemporaryDirectory() as dir:
        out = os.path.join(dir, "out.json")
        cmd = ["mirdc-rustc", "--out", out] + (args.group(1).split() if args else []) + [path]
        ir = re.search(r"^// debug-info: (.*)$", text, re.M)
        use = stand_in(dir, ir.group(1)) if ir else rustc
        p = subprocess.run(cmd, env=dict(os.environ, RUSTC=use, NO_COLOR="1"), capture_output=True, text=True)
        err = p.stderr
        bad = []
        if p.returncode != (2 if mark.group(1) == "MD0191" else 1):
            bad.append("exit status %d" % p.returncode)
        if "error[%s]" % mark.group(1) not in err or mark.group(2) not in err:
            bad.append("not the message expected")
        if not alone and not re.search(r"--> .*:%d:\d+" % line, err):
            bad.append("not at line %d" % line)
        if os.path.exists(out):
            bad.append("something was written")
        if mark.group(1) not in ("MD0170", "MD0171", "MD0172", "MD0191") and "= help:" not in err and mark.group(1) != "MD0183":
            bad.append("no help")
        if "MD0173" < mark.group(1) < "MD0191" and "kernel `" not in err:
            bad.append("no kernel")
    print("%s %s: %s is refused with %s%s" % ("not ok" if bad else "ok", label, name, mark.group(1), " (%s)" % "; ".join(bad) if bad else ""))
    if bad:
        failed = 1
        print(err[:1500])
sys.exit(failed)
