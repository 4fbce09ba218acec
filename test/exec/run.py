#!/usr/bin/env python3
"""Miscompile net: functions of test/exec/*.rs run twice, as rustc compiles them and through the pass
and the lowering on this CPU, on edge cases; every result and every panic must agree.

Each function takes and gives a u64 (see run_pmir.c). A file that begins with "// each TYPE: …" is a
template; one that begins with "// gpu:" is for gpu.py alone. Others may begin with a line "// for: WORDS":
edition=N, std (no `no_std`), debug (debug assertions), cpu (not for gpu.py), and unstable features.
A function that the pass refuses is a failure, unless the line above it says "// refused: MDxxxx"; one
marked so must be refused with that code.
Then all with overflow checks once more as for a debugger (-g), where variables live in memory.
--only TEXT takes the files with TEXT in their name, --fast a small fixed set of them. --profile has both sides
compiled as by cargo's profile of that name.
"""
# slow
import argparse, concurrent.futures, os, random, re, subprocess, sys, tempfile

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

# Lints that rustc denies by default do not stop a test of what happens at run time.
ALLOW = "#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals)]\n"
DEVICE = "#![no_std]\n" + ALLOW + """
macro_rules! tests { ($($name:ident($a:ident, $b:ident) $body:block)*) => { $(
  #[mirdc::device_export] pub extern "C" fn $name($a: u64, $b: u64) -> u64 $body )*
  pub mod emu { $(pub unsafe fn $name(a: u64, b: u64, out: *mut u64) { unsafe { *out = super::$name(a, b) } })* } } }
"""
NATIVE = ALLOW + """
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


def words_for(text):
    m = re.match(r"// for: (.*)\n", text)
    return m.group(1).split() if m else []


# Options of rustc, and the settings of overflow checks. Files that ask for debug assertions have their own.
PROFILES = {"dev": (["-Copt-level=0", "-Cdebug-assertions=on"], "on"), "release": (["-Copt-level=3"], "off")}
PROFILE = ""


def checks_of_profile(all_):
    return [c for c in all_ if not PROFILE or c == PROFILES[PROFILE][1]]


def flags_for(checks, text=""):
    """What rustc gets for both sides."""
    words = words_for(text)
    edition = [w for w in words if w.startswith("edition=")] or ["edition=2021"]
    return ["--" + edition[0], "-Coverflow-checks=" + checks,
            "-Cdebug-assertions=" + ("on" if "debug" in words else "off")] + (PROFILES[PROFILE][0] if PROFILE else [])


def features_for(text):
    names = [w for w in words_for(text) if w not in ("std", "debug", "cpu") and "=" not in w]
    return "#![feature(%s)]\n" % ", ".join(names) if names else ""


def device_head(head, text):
    return head.replace("#![no_std]\n", "") if "std" in words_for(text) else head


def device_source(text):
    return features_for(text) + device_head(DEVICE, text) + text


def native_source(text):
    return features_for(text) + NATIVE + text


def trap_texts():
    with open(os.path.join(SRC, "ir", "traps.def"), encoding="utf-8") as f:
        return re.findall(r'PM_TRAP\(\w+, "(\w+)", "([^"]*)"\)', f.read())


TRAPS = trap_texts()


def trap_kind(message):
    if message in dict(TRAPS):  # said by its name
        return message
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
    env = dict(os.environ, RUSTC_BOOTSTRAP="1")  # for files that name unstable features
    p = subprocess.run(argv, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600,
                       env=env)
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


def test_names(text):
    return re.findall(r"^    (\w+)\((?:a, b)\) \{", text, re.M)


def prepare(pmir, dev, text, flags, options=()):
    """Dumps what the pass takes: the source without the functions that it refuses, and those with their codes."""
    refused = {}
    for _ in range(8):
        with open(dev, "w", encoding="utf-8") as f:
            f.write(device_source(text))
        entries = [a for n in test_names(text) for a in ("--entry", "emu::%s=emu_%s" % (n, n))]
        p = subprocess.run([os.path.join(BUILD, "bin", "mirdc-rustc"), "--out", pmir, *options, *entries, dev, "--"] + flags,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        if p.returncode == 0:
            return text, refused
        found = {}
        for code, message in re.findall(r"^error\[(MD\d+)\](.*?)(?=^error|\Z)", p.stdout, re.M | re.S):
            for name in re.findall(r"in kernel `(?:emu_)?(\w+)`", message):
                found.setdefault(name, set()).add(code)
        left = "\n".join(l for l in text.split("\n") if l.split("(")[0].strip() not in found)
        if left == text:
            raise RuntimeError(p.stdout[-4000:])
        refused.update(found)
        text = left
    raise RuntimeError("the pass refuses too much: " + p.stdout[-2000:])


def judge_refusals(text, refused):
    """Complaints about functions that are refused and should not be, or the other way round."""
    marked = {name: code for code, name in re.findall(r"^ *// refused: (MD\d+)\n *(\w+)\(", text, re.M)}
    bad = ["%s is refused with %s" % (n, " ".join(sorted(codes))) for n, codes in sorted(refused.items())
           if marked.get(n) not in codes]
    return bad + ["%s is not refused, as its mark says" % n for n in sorted(marked) if n not in refused]


def material(name, text, checks, work, pairs, debug=False):
    """The dump of a file, its input lines, what rustc's own code says to them, and complaints about refusals."""
    flags = flags_for(checks, text)
    dev, nat = os.path.join(work, "dev.rs"), os.path.join(work, "nat.rs")
    pmir, exe = os.path.join(work, "t.pmir.json"), os.path.join(work, "nat")
    left, refused = prepare(pmir, dev, text, flags, ["-g"] if debug else [])
    said = ["not ok %s checks=%s: %s" % (name, checks, b) for b in judge_refusals(text, refused)]
    with open(nat, "w", encoding="utf-8") as f:
        f.write(native_source(left))
    run([RUSTC] + ([] if PROFILE else ["-Copt-level=1"]) + ["-o", exe, nat] + flags)
    lines = inputs(test_names(left), pairs)
    return pmir, lines, list(native_lines(run([exe], lines))), said, len(refused)


def replay(exe, pmir, level, lines, want):
    """What another compiler of the dump says differently: {function: [(got, wanted)]}. The level may be
    several options."""
    got = list(native_lines(run([exe, pmir] + level.split(), lines)))
    if len(got) != len(want):
        raise RuntimeError("%d lines instead of %d" % (len(got), len(want)))
    failed = {}
    for g, w in zip(got, want):
        if g != w:
            failed.setdefault(g.split(" ")[0], []).append((g, w))
    return failed


# The lowering's module as it is, and the same dump in the emulator.
RUNNERS = [("run_pmir", "-O0"), ("run_pmir", "-O2"), ("run_emulator", "-O0 --checks"), ("run_emulator", "-O3")]


def check(name, text, checks, debug, work, pairs):
    """Lines about one file: "ok …" and "not ok …"."""
    pmir, lines, want, said, refused = material(name, text, checks, work, pairs, debug)
    functions = len({l.split(" ")[0] for l in lines.split("\n") if l})
    for runner, level in [("run_pmir", "-g")] if debug else RUNNERS:
        failed = replay(os.path.join(OBJ, "exec", runner), pmir, level, lines, want)
        level = level if runner == "run_pmir" else "emulator " + level
        for fn, cases in failed.items():
            said.append("not ok %s %s checks=%s %s: %d wrong; got `%s`, want `%s`"
                        % (name, fn, checks, level, len(cases), cases[0][0], cases[0][1]))
        if not failed:
            said.append("ok %s checks=%s %s: %d functions compared, %d refused, %d calls"
                        % (name, checks, level, functions, refused, len(want) - 1))
    return said


def attempt(name, text, checks, debug, args):
    with tempfile.TemporaryDirectory() as work:
        try:
            return check(name, text, checks, debug, args.keep or work, args.pairs)
        except (RuntimeError, subprocess.TimeoutExpired) as e:
            return ["not ok %s checks=%s: %s" % (name, checks, e)]


# What --fast takes: each with one setting of the overflow checks.
FAST = {"found": "on", "each_int_u8": "on", "each_int_i64": "off", "floats": "on", "data": "on", "enums": "off",
        "captures": "on", "objects": "on", "everyday": "off", "drops": "on", "mono": "off"}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--only", default="")
    ap.add_argument("--fast", action="store_true")
    ap.add_argument("--profile", choices=sorted(PROFILES), default="")
    ap.add_argument("--pairs", type=int, default=150)
    ap.add_argument("--keep", default="", help="a folder for the intermediate files (with --only, and -j 1)")
    ap.add_argument("-j", type=int, default=2)
    args = ap.parse_args()
    global PROFILE
    PROFILE = args.profile
    files = [f for f in sorted(os.listdir(HERE)) if f.endswith(".rs")]
    all_ = [i for f in files for i in instances(os.path.join(HERE, f))]
    jobs = [(name, text, checks, debug) for name, text in all_ for checks in checks_of_profile(("on", "off")) for debug in (False, True)
            if args.only in name and not text.startswith("// gpu:") and (not args.fast or (name in FAST if PROFILE else FAST.get(name) == checks))
            and (not debug or checks == "on")]
    seen = judge_refusals("    // refused: MD0174\n    f(a, b) { a }\n    // refused: MD0174\n    g(a, b) { a }\n    h(a, b) { a }\n",
                          {"f": {"MD0178"}, "h": {"MD0174"}})
    if seen != ["f is refused with MD0178", "h is refused with MD0174", "g is not refused, as its mark says"]:
        raise SystemExit("not ok wrong refusals are found out: %s" % seen)
    print("ok wrong refusals are found out")
    missing = set(FAST) - {name for name, _ in all_}
    said = ["not ok the fast set names %s, which is not there" % m for m in sorted(missing)]
    print("\n".join(said), end="\n" if said else "")
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        for lines in pool.map(lambda j: attempt(*j, args), jobs):
            said += lines
            print("\n".join(lines), flush=True)
    counts = [int(n) for l in said for n in re.findall(r": (\d+) functions compared", l)]
    print("# %d comparisons of a function with rustc's own code" % sum(counts))
    return 1 if not counts or any(l.startswith("not ok") for l in said) else 0


if __name__ == "__main__":
    sys.exit(main())
