#!/usr/bin/env python3
"""Functions of any Rust files against rustc's own code, as run.py does with those that are written for it.

  probes.py FOLDER [--only TEXT] [--profile dev|release]

Takes each `pub fn` behind `#[unsafe(no_mangle)]` of the FOLDER's .rs files whose parameters and result can be made
of two numbers and hashed: numbers, arrays, tuples, Option, Result, references to them and slices. The others
are counted. Without FOLDER a file of its own is taken, and what is left out there is checked.
"""
# slow
import argparse, os, re, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run

OWN = """#![no_std]
use core::cell::Cell;
#[unsafe(no_mangle)]
pub fn pick(x: &[u32], i: usize, t: (u8, Option<i16>)) -> u32 {
    x[i] + t.0 as u32 + t.1.unwrap_or(3) as u32
}
#[unsafe(no_mangle)]
pub fn scale(k: f32, x: &[[f32; 2]], y: &mut [f64]) {
    for (v, o) in x.iter().zip(y) {
        *o = (v[0] * k - v[1]) as f64;
    }
}
#[unsafe(no_mangle)]
pub fn sum(x: &mut [u16; 3], r: Result<i32, char>) -> Result<u64, bool> {
    x[1] ^= 5;
    r.map(|v| v as u64).map_err(|c| c.is_ascii_digit())
}
#[unsafe(no_mangle)]
pub fn hidden(c: &Cell<u32>) -> u32 {
    c.get()
}
#[unsafe(no_mangle)]
pub unsafe fn raw(p: *const u32) -> u32 {
    unsafe { *p }
}
"""

MAKE = """
fn step(r: &mut u64) -> u64 { *r ^= *r << 13; *r ^= *r >> 7; *r ^= *r << 17; *r }
trait Make { fn make(r: &mut u64) -> Self; fn mix(&self, h: &mut u64); }
fn put(h: &mut u64, v: u64) { *h = (h.rotate_left(9) ^ v).wrapping_mul(0x9e3779b97f4a7c15); }
macro_rules! ints { ($least:literal: $($t:ty)*) => { $(impl Make for $t {
  fn make(r: &mut u64) -> Self { let v = step(r); if v >> 60 == 0 { (v >> 8) as $t % 4099u16 as $t } else { $least + (v >> 8) as $t % 13 } }
  fn mix(&self, h: &mut u64) { put(h, *self as u64); put(h, (*self as u128 >> 64) as u64) } })* } }
ints!(0: u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 isize);
ints!(1: usize); // a step of 0 would have no end
macro_rules! floats { ($($t:ty)*) => { $(impl Make for $t {
  fn make(r: &mut u64) -> Self { (step(r) % 4000) as $t * 0.125 - 100.0 }
  fn mix(&self, h: &mut u64) { put(h, if *self != *self { 1 } else { self.to_bits() as u64 }) } })* } }
floats!(f32 f64);
impl Make for bool { fn make(r: &mut u64) -> Self { step(r) & 8 == 0 } fn mix(&self, h: &mut u64) { put(h, *self as u64) } }
impl Make for char {
  fn make(r: &mut u64) -> Self { char::from_u32(step(r) as u32 % 0x400).unwrap_or('x') }
  fn mix(&self, h: &mut u64) { put(h, *self as u64) } }
impl Make for () { fn make(_: &mut u64) -> Self {} fn mix(&self, h: &mut u64) { put(h, 7) } }
impl<T: Make, const N: usize> Make for [T; N] {
  fn make(r: &mut u64) -> Self { core::array::from_fn(|_| T::make(r)) }
  fn mix(&self, h: &mut u64) { for v in self { v.mix(h) } } }
impl<A: Make, B: Make> Make for (A, B) {
  fn make(r: &mut u64) -> Self { let a = A::make(r); (a, B::make(r)) }
  fn mix(&self, h: &mut u64) { self.0.mix(h); self.1.mix(h) } }
impl<T: Make> Make for Option<T> {
  fn make(r: &mut u64) -> Self { if step(r) & 32 == 0 { None } else { Some(T::make(r)) } }
  fn mix(&self, h: &mut u64) { match self { Some(v) => v.mix(h), None => put(h, 3) } } }
impl<A: Make, B: Make> Make for Result<A, B> {
  fn make(r: &mut u64) -> Self { if step(r) & 32 == 0 { Ok(A::make(r)) } else { Err(B::make(r)) } }
  fn mix(&self, h: &mut u64) { match self { Ok(v) => v.mix(h), Err(v) => { put(h, 5); v.mix(h) } } } }
"""

NUMBER = r"(?:[iu](?:8|16|32|64|128|size)|f32|f64|bool|char)"


def split(text):
    """At the commas outside of all brackets."""
    parts, depth, last = [], 0, ""
    for c in text:
        depth += (c in "([<{") - (c in ")]>}")
        if c == "," and depth == 0:
            parts.append(last)
            last = ""
        else:
            last += c
    return [p.strip() for p in parts + [last] if p.strip()]


def is_plain(t):
    """A type that Make knows."""
    t = t.strip()
    if re.fullmatch(NUMBER, t) or t == "()":
        return True
    inner = t[1:-1]
    if t.startswith("[") and t.endswith("]"):
        elem, semi, n = inner.rpartition(";")
        return bool(semi) and n.strip().isdigit() and is_plain(elem)
    if t.startswith("(") and t.endswith(")"):
        return len(split(inner)) == 2 and all(map(is_plain, split(inner)))
    m = re.fullmatch(r"(Option|Result)<(.*)>", t)
    return bool(m) and len(split(m.group(2))) == 1 + (m.group(1) == "Result") and all(map(is_plain, split(m.group(2))))


def argument(number, t):
    """(what makes it, what is passed, what is hashed afterwards), or None."""
    name = "v%d" % number
    m = re.fullmatch(r"&(mut )?(.*)", t)
    if not m:
        return ("let %s = <%s>::make(&mut r);" % (name, t), name, "") if is_plain(t) else None
    mutable, of = m.group(1) or "", m.group(2).strip()
    slice_of = re.fullmatch(r"\[([^;]*|\[.*\])\]", of)
    if slice_of and is_plain(slice_of.group(1)):
        of = "[%s; 9]" % slice_of.group(1)
    elif not is_plain(of):
        return None
    after = "%s.mix(&mut h);" % name if mutable else ""
    return "let %s%s = <%s>::make(&mut r);" % (mutable, name, of), "&%s%s%s" % (mutable, name, "[..]" if slice_of else ""), after


def test_of(module, name, params, result):
    """The line of a test, or None when there is none for these types."""
    args = [argument(i, p.split(":", 1)[1].strip()) for i, p in enumerate(split(params)) if ":" in p]
    ref = re.fullmatch(r"&(?:mut )?\[(.*)\]", result)
    if None in args or len(args) != len(split(params)) or not (is_plain(result) or (ref and is_plain(ref.group(1)))):
        return None
    hashed = "for v in got { v.mix(&mut h) }" if ref else "got.mix(&mut h);"
    return "    %s_%s(a, b) { let (mut r, mut h) = ((a ^ b.rotate_left(32)) | 1, 0u64); %s let got = %s::%s(%s); %s %s h }" % (
        module, name, " ".join(m for m, _, _ in args), module, name, ", ".join(p for _, p, _ in args), hashed,
        " ".join(x for _, _, x in args))


def source(module, text):
    """A file for run.py, the number of functions in it, and the names of those left out."""
    features = re.findall(r"^#!\[feature\((.*?)\)\]", text, re.M)
    words = ["edition=2024"] + [f.strip() for l in features for f in l.split(",")]
    words += [] if "#![no_std]" in text else ["std"]
    body = re.sub(r"^#!\[.*?\]\n", "", text, flags=re.M).replace("#[unsafe(no_mangle)]\n", "")
    tests, out = [], []
    for m in re.finditer(r"^#\[unsafe\(no_mangle\)\]\n(?:#\[.*\]\n)*pub ((?:unsafe )?)(?:extern \"C\" )?fn (\w+)\(([^{]*?)\)(?: -> ([^{]*?))? \{",
                         text, re.M):
        line = None if m.group(1) else test_of(module, m.group(2), m.group(3), (m.group(4) or "()").strip())
        tests += [line] if line else []
        out += [] if line else [m.group(2)]
    whole = "// for: %s\n%s\nmod %s {\n%s}\ntests! {\n%s\n}\n" % (" ".join(words), MAKE, module, body, "\n".join(tests))
    return whole, len(tests), out


def files(folder):
    if not folder:
        yield "own", OWN
        return
    for f in sorted(os.listdir(folder)):
        if f.endswith(".rs"):
            with open(os.path.join(folder, f), encoding="utf-8") as t:
                yield re.sub(r"\W", "_", f[:-3]), t.read()


def check(name, text, checks, pairs):
    with tempfile.TemporaryDirectory() as work:
        try:
            pmir, lines, want, said, _ = run.material(name, text, checks, work, pairs)
            refused = [s for s in said if " is refused with " in s]
            for s in refused:  # nobody promised these
                print("# " + s[len("not ok "):])
            bad = 0
            for runner, level in run.RUNNERS:
                failed = run.replay(os.path.join(run.OBJ, "exec", runner), pmir, level, lines, want)
                for fn, cases in failed.items():
                    bad += 1
                    print("not ok %s %s checks=%s %s %s; got `%s`, want `%s`" % (name, fn, checks, runner, level, *cases[0]))
            if not bad:
                print("ok %s checks=%s: %d calls each" % (name, checks, len(want) - 1))
        except RuntimeError as e:
            bad = 1
            print("not ok %s checks=%s: %s" % (name, checks, str(e)[-1500:]))
    return bad


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("folder", nargs="?", default="")
    ap.add_argument("--only", default="")
    ap.add_argument("--pairs", type=int, default=60)
    ap.add_argument("--profile", choices=sorted(run.PROFILES), default="")
    args = ap.parse_args()
    run.PROFILE = args.profile
    bad = taken = 0
    left = []
    for name, text in files(args.folder):
        if args.only not in name:
            continue
        whole, n, out = source(name, text)
        taken += n
        left += ["%s::%s" % (name, o) for o in out]
        for checks in run.checks_of_profile(("on", "off") if n else ()):
            bad += check(name, whole, checks, args.pairs)
            sys.stdout.flush()
    print("# %d functions; without a way to make arguments or to hash a result: %d: %s" % (taken, len(left), " ".join(left)))
    if not args.folder and (taken, left) != (3, ["own::hidden", "own::raw"]):
        bad += 1
        print("not ok the functions of its own that are taken and left out")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
