#!/usr/bin/env python3
"""Compares what `mirdc check` says of each case of cases.txt with its verdict: on every toolchain, with and
without overflow checks. Prints "ok NAME" or "not ok NAME" for each toolchain's run of each profile."""
import argparse, json, os, re, subprocess, sys, tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.join(os.environ.get("BUILD", os.path.join(TOP, "build")), "bin")
PROFILES = [("dev", ["-Cdebug-assertions=on"]), ("release", ["-Copt-level=3"])]
HEAD = """#![allow(unused, static_mut_refs, unsafe_op_in_unsafe_fn, unconditional_recursion, arithmetic_overflow)]
use mirdc::prelude::*;
use mirdc::{cub, register};
"""
KERNEL = """#[mirdc::kernel(block = 256)]
pub unsafe fn %s(input: *const i32, out: *mut i32, k: i32, n: i32, flag: bool, s: &[i32]) { unsafe {
let x = *input.add(thread::x() as usize);
%s
}}"""
OP = "%s\nif let Some(t) = cub::block_reduce::<i32, 256, _>(x, op) { *out = t; }"


def cases():
    """(name, [codes in dev, codes in release], kind, text, [rules], alone)."""
    rules, out = [], []
    for line in open(os.path.join(TOP, "test/admission/cases.txt"), encoding="utf-8"):
        m = re.match(r"== (\w+) (\S+)(?: (\w+))?( alone)?\n", line)
        if line.startswith("# rule "):
            rules.append(line.split()[2])
        elif m:
            both = [set() if v == "ok" else set(v.split(",")) for v in m.group(2).split("/")]
            out.append([m.group(1), both * (3 - len(both)) if len(both) == 1 else both, m.group(3) or "op", "", rules,
                        bool(m.group(4))])
            rules = []
        elif out and not line.startswith("#") or line.startswith("#["):
            out[-1][3] += line
    return [(n, v, k, t.strip("\n"), r, a) for n, v, k, t, r, a in out]


def source(name, kind, text):
    if kind == "op":
        text = OP % text
    return text if kind == "items" else KERNEL % (name, text)


def toolchains():
    for t in ("stable", "nightly"):
        p = subprocess.run(["rustup", "which", "--toolchain", t, "rustc"], capture_output=True, text=True)
        if p.returncode == 0:
            yield t, p.stdout.strip()
    web = os.environ.get("MIRDC_RUSTC_WEB", os.path.join(TOP, ".toolchain/rustc-web")) + "/bin/rustc"
    if os.path.exists(web):
        yield "rustc-web", web


def verdicts(dump, root, args):
    """Kernel -> codes, and the messages as JSON."""
    check = args.check.split() if args.check else [os.path.join(BIN, "mirdc"), "check", "--message-format", "json",
                                                   "--source-root", root]
    p = subprocess.run(check + [dump] + ([root, "json"] if args.check else []), capture_output=True, text=True)
    got, messages = {}, []
    for line in (p.stdout + p.stderr).splitlines():
        if not line.startswith("{") or '"$message_type"' not in line:
            continue
        d = json.loads(line)
        texts = [d["message"]] + [c["message"] for c in d["children"]]
        kernel = next((m.group(1) for t in texts for m in [re.search(r"kernel `(\w+)`", t)] if m), "?")
        got.setdefault(kernel, set()).add((d.get("code") or {}).get("code", "none"))
        messages.append((kernel, d))
    return got, messages, p


def prepare(rustc, flags, picked, dump, work):
    src = os.path.join(work, "cases.rs")
    with open(src, "w", encoding="utf-8") as f:
        f.write(HEAD + "\n".join(source(c[0], c[2], c[3]) for c in picked) + "\n")
    return subprocess.run([os.path.join(BIN, "mirdc-rustc"), "--out", dump, src, "--", "--edition", "2024"] + flags,
                          capture_output=True, text=True, env=dict(os.environ, RUSTC=rustc))


def run_alone(label, rustc, profile, flags, case, work):
    p = prepare(rustc, flags, [case], os.path.join(work, "alone.pmir.json"), work)
    got, want = set(re.findall(r"error\[(MD\d+)\]", p.stderr)), case[1][0]
    print("%s %s %s: %s %s" % ("ok" if got == want else "not ok", label, profile, case[0], ",".join(sorted(got))))
    return got == want


def run(label, rustc, profile, flags, picked, args, work):
    dump = os.path.join(work, label + profile + ".pmir.json")
    p = prepare(rustc, flags, picked, dump, work)
    if p.returncode:
        print("not ok %s %s: the pass" % (label, profile))
        print("\n".join("  " + l for l in p.stderr.splitlines() if "warning" not in l)[:6000])
        return False, []
    got, messages, p = verdicts(dump, work, args)
    bad = []
    for name, both, *_ in picked:
        want = both[0 if profile == "dev" else 1]
        if got.get(name, set()) != want:
            bad.append("  %s: %s, want %s" % (name, ",".join(sorted(got.get(name, {"ok"}))), ",".join(sorted(want)) or "ok"))
    stray = set(got) - {c[0] for c in picked}
    if stray or (not got and p.returncode not in (0, 1)):
        bad.append("  beside the cases: %s %s" % (sorted(stray), p.stderr[-2000:]))
    print("%s %s %s: %d outcomes" % ("not ok" if bad else "ok", label, profile, len(picked)))
    print("".join(b + "\n" for b in bad), end="")
    return not bad, messages


def main():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("--check", help="another program that checks a dump")
    a.add_argument("--toolchain", help="only this one")
    a.add_argument("--keep", help="leave sources and dumps in this folder")
    a.add_argument("--show", action="store_true", help="print the messages")
    a.add_argument("names", nargs="*")
    args = a.parse_args()
    picked = [c for c in cases() if not args.names or c[0] in args.names]
    failed = False
    with tempfile.TemporaryDirectory() as tmp:
        work = args.keep or tmp
        os.makedirs(work, exist_ok=True)
        for label, rustc in toolchains():
            for profile, flags in PROFILES:
                if args.toolchain not in (None, label):
                    continue
                together = [c for c in picked if not c[5]]
                good, messages = run(label, rustc, profile, flags, together, args, work) if together else (True, [])
                alone = [run_alone(label, rustc, profile, flags, c, work) for c in picked if c[5]]
                failed |= not good or not all(alone)
                if args.show:
                    print("\n".join(d["rendered"] for _, d in messages))
    return failed


if __name__ == "__main__":
    sys.exit(main())
