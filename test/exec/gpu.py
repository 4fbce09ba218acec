#!/usr/bin/env python3
"""The functions of test/exec/*.rs on a GPU. Here, on a machine without one:

    test/exec/gpu.py build/gpu-exec [ONLY] builds one bundle a file with one kernel that runs any of its
                                           functions, the inputs, what rustc's own code gives, the program

There: build/gpu-exec/run. Inputs on which a function panics are left out; test/gpu/traps covers those.
"""
import os, re, struct, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run as net

KERNEL = """
use mirdc::prelude::*;
#[mirdc::kernel(max_block = 128)]
pub fn run_all(which: &[u32], a: &[u64], b: &[u64], mut out: PerThread<u64>) {
    let i = thread::index_x();
    if let Some(o) = out.at(i) {
        let (a, b) = (a[i.get()], b[i.get()]);
        *o = match which[i.get()] { %s _ => 0 };
    }
}
"""
DEVICE = "#![no_std]\n" + net.ALLOW + """
macro_rules! tests { ($($name:ident($a:ident, $b:ident) $body:block)*) => { $(
  #[inline(never)] fn $name($a: u64, $b: u64) -> u64 $body )* } }
"""


FFI_DEVICE = """
macro_rules! data { (struct $n:ident { $($f:ident: $t:ty),* }) => {
  #[repr(C)] #[derive(Clone, Copy, mirdc::KernelArg)] pub struct $n { $($f: $t),* } } }
macro_rules! export { (fn $n:ident($($a:ident: $t:ty),*) -> $r:ty $b:block) => {
  #[mirdc::device_export] pub extern "C" fn $n($($a: $t),*) -> $r $b } }
"""
FFI_NATIVE = """
macro_rules! data { (struct $n:ident { $($f:ident: $t:ty),* }) => {
  #[repr(C)] #[derive(Clone, Copy)] pub struct $n { $($f: $t),* } } }
macro_rules! export { (fn $n:ident($($a:ident: $t:ty),*) -> $r:ty $b:block) => {
  #[unsafe(no_mangle)] pub extern "C" fn $n($($a: $t),*) -> $r $b } }
"""


def functions(text):
    return re.findall(r"^    (\w+)\((?:a, b)\) \{", text, re.M)


def without(text, names):
    return "\n".join(l for l in text.split("\n") if l.split("(")[0].strip() not in names)


def nvcc():
    for root in (os.environ.get("MIRDC_CUDA"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if root and os.path.exists(os.path.join(root, "bin", "nvcc")):
            return os.path.join(root, "bin", "nvcc")
    return None


def ffi_source():
    with open(os.path.join(net.HERE, "ffi", "side.rs"), encoding="utf-8") as f:
        return f.read()


def ffi_compile(work, arch, emit):
    """Links Rust with what nvcc made of the other side; `emit` are mirdc's arguments."""
    fat, src, text = os.path.join(work, "side.fatbin"), os.path.join(work, "ffi.rs"), ffi_source()
    net.run([nvcc(), "-arch=compute_%d" % arch, "-code=lto_%d" % arch, "-rdc=true", "-fatbin",
             os.path.join(net.HERE, "ffi", "side.cu"), "-o", fat])
    arms = " ".join("%d => %s(a, b)," % (i, f) for i, f in enumerate(functions(text)))
    with open(src, "w", encoding="utf-8") as f:
        f.write(DEVICE + FFI_DEVICE + text + KERNEL % arms)
    net.run([os.path.join(net.BUILD, "bin", "mirdc"), "compile", src, "--arch", "sm_%d" % arch, "-q",
             "--extern-lto", fat] + emit + ["--"] + net.flags_for("off"))


def ffi(out, work):
    ffi_compile(work, 90, ["-o", os.path.join(out, "ffi.mirdc")])
    obj = os.path.join(work, "side.o")
    net.run(["g++", "-x", "c++", "-D__device__=", "-O1", "-c", os.path.join(net.HERE, "ffi", "side.cu"), "-o", obj])
    write_data("ffi", FFI_NATIVE + ffi_source(), out, work, net.flags_for("off") + ["-Clink-arg=" + obj])


def named_in(errors, source):
    """The tests on whose lines the errors are."""
    lines = source.split("\n")
    found = set()
    for e in re.split(r"^(?=error)", errors, flags=re.M):
        m = re.search(r"^ *--> \S+\.rs:(\d+):", e, re.M)
        name = lines[int(m.group(1)) - 1].split("(")[0].strip() if m and e.startswith("error[") else ""
        found |= {name} & set(functions(source))
    return found


def whole_source(text):
    """With one kernel that runs any of the functions."""
    arms = " ".join("%d => %s(a, b)," % (i, f) for i, f in enumerate(functions(text)))
    return net.features_for(text) + net.device_head(DEVICE, text) + text + KERNEL % arms


def culprit(text, work, flags):
    """One function that the pass does not take; the errors tell of a place that several share."""
    src, left = os.path.join(work, "half.rs"), functions(text)
    while len(left) > 1:
        half = left[:len(left) // 2]
        with open(src, "w", encoding="utf-8") as f:
            f.write(whole_source(without(text, set(functions(text)) - set(half))))
        try:
            net.run([os.path.join(net.BUILD, "bin", "mirdc"), "compile", src, "--arch", "sm_90", "-q", "--emit", "pmir",
                     "-o", os.path.join(work, "half.pmir.json"), "--"] + flags)
            left = left[len(half):]
        except RuntimeError:
            left = half
    return set(left)


def compile_all(name, text, out, work, flags):
    """One kernel of all functions but those that are taken alone and not together; gives the text without them."""
    src = os.path.join(work, name + ".rs")
    for _ in range(6):
        whole = whole_source(text)
        with open(src, "w", encoding="utf-8") as f:
            f.write(whole)
        try:
            net.run([os.path.join(net.BUILD, "bin", "mirdc"), "compile", src, "--arch", "sm_90", "--fmad", "off", "-q",
                     "-o", os.path.join(out, name + ".mirdc"), "--"] + flags)
            return text
        except RuntimeError as e:
            if not re.search(r"^error\[MD01", str(e), re.M):
                raise
            bad = named_in(str(e), whole) or culprit(text, work, flags)
            print("%s: without %s, which the pass does not take together with the others" % (name, " ".join(sorted(bad))))
            text = without(text, bad)
    raise RuntimeError("too many functions are refused")


def bundle(name, text, out, work, flags):
    """Compiles what the pass takes; gives the text that was compiled."""
    src = os.path.join(work, name + ".rs")
    dump = os.path.join(work, name + ".pmir.json")
    whole = text
    text, refused = net.prepare(dump, src, text, flags)
    bad = net.judge_refusals(whole, refused)
    if bad:
        raise RuntimeError("; ".join(bad))
    return compile_all(name, text, out, work, flags)


def expected(name, text, work, flags):
    src, exe = os.path.join(work, name + "_nat.rs"), os.path.join(work, name + "_nat")
    with open(src, "w", encoding="utf-8") as f:
        f.write(net.native_source(text))
    net.run([net.RUSTC, "-Copt-level=1", "-o", exe, src] + flags)
    names = functions(text)
    rows = []
    for line in net.run([exe], net.inputs(names, 150)).split("\n"):
        m = re.match(r"(\w+) (\d+) (\d+) = (\d+)$", line)
        if m:
            rows.append((names.index(m.group(1)),) + tuple(int(x) for x in m.group(2, 3, 4)))
    return names, rows


def write_data(name, text, out, work, flags):
    names, rows = expected(name, text, work, flags)
    with open(os.path.join(out, name + ".data"), "wb") as data:
        data.write(struct.pack("<II", len(rows), len(names)))
        data.write(b"".join(n.encode().ljust(64, b"\0") for n in names))
        for i, letter in ((0, "I"), (1, "Q"), (2, "Q"), (3, "Q")):
            data.write(struct.pack("<%d%s" % (len(rows), letter), *[r[i] for r in rows]))
    print("built %s: %d functions, %d calls" % (name, len(names), len(rows)), flush=True)


def build(name, text, checks, out, work):
    flags = net.flags_for(checks, text)
    name += "" if checks == "on" else "_wrapping"
    try:
        text = bundle(name, text, out, work, flags)
    except RuntimeError as e:
        print("not built: %s: %s" % (name, e))
        return False
    write_data(name, text, out, work, flags)
    return True


def main():
    out, only = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    os.makedirs(out, exist_ok=True)
    built = True
    with tempfile.TemporaryDirectory() as work:
        for f in sorted(os.listdir(net.HERE)):
            for name, text in net.instances(os.path.join(net.HERE, f)) if f.endswith(".rs") else []:
                for checks in ("on", "off") if only in name and "cpu" not in net.words_for(text) else ():
                    built = build(name, text, checks, out, work) and built
        if nvcc() and only in "ffi":
            ffi(out, work)
    subprocess.run(["examples/common/build-host", net.BUILD, os.path.join(out, "gpu_run"), "test/exec/gpu_run.c"],
                   cwd=net.SRC, check=True)
    with open(os.path.join(out, "run"), "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\ncd \"$(dirname \"$0\")\" || exit 1\nrc=0\nfor b in *.mirdc; do\n"
                "  ./gpu_run \"$b\" \"${b%.mirdc}.data\" || rc=1\ndone\nexit $rc\n")
    os.chmod(os.path.join(out, "run"), 0o755)
    return 0 if built else 1


if __name__ == "__main__":
    sys.exit(main())
