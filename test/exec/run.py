#!/usr/bin/env python3
"""Miscompile net: functions of test/exec/*.rs run twice, as rustc compiles them and through the pass
and the lowering on this CPU, on edge cases; every result and every panic must agree.

Each function takes and gives a u64 (see run_pmir.c). A file that begins with "// each TYPE: …" is a
template; one that begins with "// gpu:" is for gpu.py alone;
in one that begins with "// none refused:" a function that the pass refuses is a failure.
--only TEXT takes the files with TEXT in their name.
"""
# slow
import argparse, os, random, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(SRC, "build"))
OBJ = os.environ.get("OBJ", os.path.join(BUILD, "obj", "release"))
RUSTC = os.environ.get("RUSTC", "rustc")

VALUES = [0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 97, 100, 127, 128, 129, 200, 255, 256, 1000, 0x7fff,
          0x8000, 0xffff, 0x10000, 0x7f800000, 0x7fc00000, 0xff800000, 0x3f800000, 0xbf000000, 0x4b000001, 0x5f000000,
          0x4f000000, 0xcf000000, 0x00000001, 0x7f7fffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000,
          0x3ff0000000000000, 0xbfe0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
          0x43e0000000000000, 0xc3e0000000000000, 0x47efffffffffffff, 0x47f0000000000000, 0x8000000000000000,
          0x7fffffffffffffff, 0x8000000000000001, 0xffffffffffffffff, 0xfffffffffffffffe, 0xffffffffffffff80,
          0xffffffff80000000, 0x0123456789abcdef, 0xfedcba9876543210, 0xdeadbeefcafef00d, 0x4330000000000001]

DEVICE = """#![no_std]
#![allow(warnings)]
macro_rules! tests { ($($name:ident($a:ident, $b:ident) $body:block)*) => { $(
  #[mirdc::device_export] pub extern "C" fn $name($a: u64, $b: u64) -> u64 $body )* } }
"""
NATIVE = """#![allow(warnings)]
macro_rules! tests { ($($name:ident($a:ident, $b:ident) $body:block)*) => {
  $( pub fn $name($a: u64, $b: u64) -> u64 $body )*
  const ALL: &[(&str, fn(u64, u64) -> u64)] = &[$((stringify!($name), $name)),*]; } }
thread_local! { static WHY: std::cell::RefCell<String> = Default::default(); }
fn main() {
  std::panic::set_hook(Box::new(|i| WHY.with(|w| *w.borrow_mut() = match i.payload().downcast_ref::<&str>() {
    Some(s) => s.to_string(), None => i.payload().downcast_ref::<String>().cloned().unwrap_or_default() })));
  let table: std::collections::HashMap<_, _> = ALL.iter().cloned().collect();
  let mut out = String::new();
  for line in std::io::stdin().lines() {
    let line = line.unwrap();
    let p: Vec<&str> = line.split(' ').collect();
    let (a, b) = (p[1].parse().unwrap(), p[2].parse().unwrap());
    match std::panic::catch_unwind(|| table[p[0]](a, b)) {
      Ok(r) => out += &format!("{line} = {r}\\n"),
      Err(_) => out += &format!("{line} trap {}\\n", WHY.with(|w| w.borrow().replace('\\n', " "))) } }
  print!("{out}");
}
"""


def trap_texts():
    with open(os.path.join(SRC, "ir", "traps.def"), encoding="utf-8") as f:
        return re.findall(r'PM_TRAP\(\w+, "(\w+)", "([^"]*)"\)', f.read())


TRAPS = trap_texts()


def trap_kind(message):
    if message.startswith(("range start index", "range end index", "slice index starts")):
        return "bounds"
    for kind, text in TRAPS:
        if kind != "panic" and message.startswith(text):
            return kind
    return "panic"


def instances(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    base = os.path.basename(path)[:-3]
    m = re.match(r"// each TYPE: (.*)\n", text)
    if not m:
        return [(base, text)]
    return [(base + "_" + t, text.replace("TYPE", t)) for t in m.group(1).split()]


def run(argv, text=None):
    p = subprocess.run(argv, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
    if p.returncode != 0:
        raise RuntimeError("%s failed (%d)\n%s" % (" ".join(argv), p.returncode, p.stderr[-4000:]))
    return p.stdout


def inputs(names, pairs):
    lines = []
    for n in names:
        rng = random.Random(n)
        chosen = [(rng.choice(VALUES), rng.choice(VALUES)) for _ in range(pairs)]
        chosen += [(v, v) for v in VALUES] + [(rng.getrandbits(64), rng.getrandbits(64)) for _ in range(pairs // 8)]
        lines += ["%s %d %d" % (n, a, b) for a, b in chosen]
    return "\n".join(lines) + "\n"


def native_lines(out):
    for line in out.split("\n"):
        head, sep, why = line.partition(" trap ")
        yield head + sep + trap_kind(why) if sep else line


def prepare(pmir, dev, text, flags):
    """Dumps what the pass takes. Functions that it refuses are left out and named."""
    refused = []
    for _ in range(8):
        with open(dev, "w", encoding="utf-8") as f:
            f.write(DEVICE + text)
        p = subprocess.run([os.path.join(BUILD, "bin", "mirdc-rustc"), "--out", pmir, dev, "--"] + flags,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        if p.returncode == 0:
            return text, refused
        names = set(re.findall(r"in kernel `(\w+)`", p.stdout))
        left = "\n".join(l for l in text.split("\n") if l.split("(")[0].strip() not in names)
        if left == text:
            raise RuntimeError(p.stdout[-4000:])
        refused += sorted(names)
        text = left
    raise RuntimeError("the pass refuses too much: " + p.stdout[-2000:])


def check(name, text, checks, work, pairs):
    flags = ["-Coverflow-checks=" + checks, "-Cdebug-assertions=off"]
    strict = text.startswith("// none refused:")
    dev, nat = os.path.join(work, "dev.rs"), os.path.join(work, "nat.rs")
    pmir, exe = os.path.join(work, "t.pmir.json"), os.path.join(work, "nat")
    text, refused = prepare(pmir, dev, text, flags)
    if refused:
        print("%s %s: refused by the pass: %s" % ("not ok" if strict else "#", name, " ".join(refused)))
    with open(nat, "w", encoding="utf-8") as f:
        f.write(NATIVE + text)
    run([RUSTC, "--edition=2021", "-Copt-level=1", "-o", exe, nat] + flags)
    names = re.findall(r"^    (\w+)\((?:a, b)\) \{", text, re.M)
    lines = inputs(names, pairs)
    want = list(native_lines(run([exe], lines)))
    bad = len(refused) if strict else 0
    for level in ("-O0", "-O2"):
        got = run([os.path.join(OBJ, "exec", "run_pmir"), pmir, level], lines).split("\n")
        if len(got) != len(want):
            raise RuntimeError("%d lines instead of %d" % (len(got), len(want)))
        wrong = [(g, w) for g, w in zip(got, want) if g != w]
        bad += len(wrong)
        failed = {}
        for g, w in wrong:
            failed.setdefault(g.split(" ")[0], []).append((g, w))
        for fn, cases in failed.items():
            print("not ok %s %s checks=%s %s: %d wrong; got `%s`, want `%s`"
                  % (name, fn, checks, level, len(cases), cases[0][0], cases[0][1]))
        if not wrong:
            print("ok %s checks=%s %s: %d functions, %d calls" % (name, checks, level, len(names), len(want) - 1))
    return bad


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--only", default="")
    ap.add_argument("--pairs", type=int, default=150)
    ap.add_argument("--keep", default="")
    args = ap.parse_args()
    bad = 0
    for f in sorted(os.listdir(HERE)):
        if not f.endswith(".rs"):
            continue
        for name, text in instances(os.path.join(HERE, f)):
            if args.only not in name or text.startswith("// gpu:"):
                continue
            for checks in ("on", "off"):
                with tempfile.TemporaryDirectory() as work:
                    work = args.keep or work
                    try:
                        bad += check(name, text, checks, work, args.pairs)
                    except (RuntimeError, subprocess.TimeoutExpired) as e:
                        bad += 1
                        print("not ok %s checks=%s: %s" % (name, checks, e))
            sys.stdout.flush()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
