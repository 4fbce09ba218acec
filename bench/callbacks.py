#!/usr/bin/env python3
"""Kernels with closures in CUB against one CUDA C++ source with the functor inlined (nvcc -O3): is the
machine code the same? Compares the instructions of each pair after renaming registers in the order
of their first use. Needs nvdisasm on PATH (or NVDISASM); with --sizes it compares only lengths.

  bench/callbacks.py [--sizes] [--keep DIR] [--show NAME]
"""
import argparse, difflib, os, re, shutil, struct, subprocess, sys, tempfile

ARCH = "sm_90"
TYPES = {"i32": "int", "u32": "unsigned", "i64": "long long", "u64": "unsigned long long", "f32": "float", "f64": "double"}
INT = {
    "plus": ("move |a: {t}, b: {t}| a.wrapping_add(b)", "({c})((u)a + (u)b)"),
    "max_k": ("move |a: {t}, b: {t}| a.max(b).max(k)", "max(max(a, b), k)"),
    "xor_k": ("move |a: {t}, b: {t}| a ^ b ^ k", "a ^ b ^ k"),
}
FLOAT = {
    "plus": ("move |a: {t}, b: {t}| a + b", "a + b"),
    "above_k": ("move |a: {t}, b: {t}| if a > b {{ a }} else {{ b * k }}", "a > b ? a : b * k"),
}
ENTRIES = {
    "block_reduce": "cub::BLOCK_REDUCE_WARP_REDUCTIONS",
    "block_reduce_raking": "cub::BLOCK_REDUCE_RAKING",
}

RUST = """
#[mirdc::kernel(block = {block})]
pub unsafe fn {name}(input: *const {t}, out: *mut {t}, k: {t}) {{
    let op = {op};
    let i = (block::x() * {block} + thread::x()) as usize;
    let x = unsafe {{ *input.add(i) }};
    {call}
}}
"""
RUST_REDUCE = "if let Some(total) = cub::{entry}::<{t}, {block}, _>(x, op) {{ unsafe {{ *out.add(block::x() as usize) = total }} }}"
RUST_SCAN = "let r = cub::block_scan_inclusive::<{t}, {block}, _>(x, op); unsafe {{ *out.add(i) = r }}"
CXX = """
extern "C" __global__ void __launch_bounds__({block}) {name}(const {c} *input, {c} *out, {c} k) {{
  using u = {u};
  auto op = [=](const {c} a, const {c} b) -> {c} {{ (void)k; return {op}; }};
  unsigned long long i = blockIdx.x * {block}u + threadIdx.x;
  {c} x = input[i];
  {call}
}}
"""
CXX_REDUCE = """using R = cub::BlockReduce<{c}, {block}, {algorithm}>;
  __shared__ typename R::TempStorage temp;
  {c} r = R(temp).Reduce(x, op);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = r;"""
CXX_SCAN = """using S = cub::BlockScan<{c}, {block}>;
  __shared__ typename S::TempStorage temp;
  {c} r;
  S(temp).InclusiveScan(x, r, op);
  __syncthreads();
  out[i] = r;"""


def combinations():
    for t in TYPES:
        for op, (rust, cxx) in (FLOAT if t[0] == "f" else INT).items():
            for block, entry in ((256, "block_reduce"), (128, "block_reduce_raking"), (128, "scan")):
                yield f"{entry}_{block}_{t}_{op}", t, block, entry, rust, cxx


def write_sources(folder):
    rust, cxx = ["use mirdc::{cub, prelude::*};\n"], ["#include <cub/cub.cuh>\n"]
    names = []
    for name, t, block, entry, r, c in combinations():
        facts = dict(name=name, t=t, c=TYPES[t], block=block, entry=entry, algorithm=ENTRIES.get(entry, ""))
        facts["u"] = {"i32": "unsigned", "i64": "unsigned long long"}.get(t, TYPES[t])
        call = (RUST_SCAN if entry == "scan" else RUST_REDUCE).format(**facts)
        rust.append(RUST.format(op=r.format(**facts), call=call, **facts))
        call = (CXX_SCAN if entry == "scan" else CXX_REDUCE).format(**facts)
        cxx.append(CXX.format(op=c.format(**facts), call=call, **facts))
        names.append(name)
    open(os.path.join(folder, "ours.rs"), "w").write("".join(rust))
    open(os.path.join(folder, "theirs.cu"), "w").write("".join(cxx))
    return names


def sections(path):
    d = open(path, "rb").read()
    at, (n, names) = struct.unpack_from("<Q", d, 40)[0], struct.unpack_from("<HH", d, 60)
    heads = [struct.unpack_from("<IIQQQQIIQQ", d, at + i * 64) for i in range(n)]
    text = heads[names][4]
    name = lambda h: d[text + h[0] : d.index(b"\0", text + h[0])].decode()
    return {name(h)[6:]: d[h[4] : h[4] + h[5]] for h in heads if name(h).startswith(".text.")}


def instructions(tool, path):
    """Name of a kernel -> its instructions, registers renamed by first use."""
    out = subprocess.run([tool, "-c", "-hex", path], capture_output=True, text=True)
    out = out if out.returncode == 0 else subprocess.run([tool, "-c", path], capture_output=True, text=True, check=True)
    found, now = {}, None
    for line in out.stdout.splitlines():
        m = re.match(r"\s*\.section\s+\.text\.(\w+)", line) or re.match(r"^\.text\.(\w+):", line)
        if m:
            now = found.setdefault(m.group(1), [])
            names = {}
            continue
        m = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line)
        if now is None or not m:
            continue

        def rename(r):
            kind, number = r.group(1), r.group(2)
            return f"{kind}{names.setdefault((kind, number), len([k for k in names if k[0] == kind]))}"

        text = re.sub(r"\b(UR|UP|R|P|B)(\d+)\b", rename, m.group(1))
        now.append(re.sub(r"`\(\.L_x_\d+\)", "LABEL", text))
    return found


def compile_all(folder):
    def run(*cmd):
        subprocess.run(cmd, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    run("mirdc", "compile", "ours.rs", "--arch", ARCH, "--emit", "cubin", "-o", "ours.cubin", "--", "-O")
    run("nvcc", "-std=c++17", "-O3", f"-arch={ARCH}", "-cubin", "-o", "theirs.cubin", "theirs.cu")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--sizes", action="store_true")
    p.add_argument("--keep")
    p.add_argument("--show")
    a = p.parse_args()
    folder = a.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    names = write_sources(folder)
    open(os.path.join(folder, "names"), "w").write("\n".join(names) + "\n")  # for bench/callbacks_time.c
    compile_all(folder)
    ours, theirs = os.path.join(folder, "ours.cubin"), os.path.join(folder, "theirs.cubin")
    tool = os.environ.get("NVDISASM") or shutil.which("nvdisasm")
    if a.sizes or not tool:
        x, y = sections(ours), sections(theirs)
    else:
        x, y = instructions(tool, ours), instructions(tool, theirs)
    equal = 0
    for name in names:
        same = x[name] == y[name] if tool and not a.sizes else len(x[name]) == len(y[name])
        equal += same
        more = ""
        if not same and isinstance(x[name], list):
            diff = [l for l in difflib.ndiff(y[name], x[name]) if l[0] in "+-"]
            more = f"  {len([l for l in diff if l[0] == '+'])} of ours, {len([l for l in diff if l[0] == '-'])} of theirs differ"
            if a.show == name:
                print("\n".join(diff))
        print(f"{'same' if same else 'differs':8}{name:40}{len(x[name]):6}{len(y[name]):6}{more}")
    print(f"{equal} of {len(names)} are the same")
    if not a.keep:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
