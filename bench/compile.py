#!/usr/bin/env python3
"""Whole-process time from prepared MIR to a cubin against `nvcc -cubin -O3` on the same kernels in
CUDA C++, for 1, 10 and 100 kernels; and mirdc's own share of it. Both sides run in turns, each on
warm files and an empty cache; the figure is the ratio of medians. The last figure is the least processor
time of a run that finds its products in the cache, all of which is mirdc's own: other work on the
machine hardly changes it.

  bench/compile.py [--rounds N] [--kernels 1,10,100]
"""
import argparse, json, os, resource, shutil, statistics, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from timing import environment, run

ARCH = "sm_90"

RUST = """#[mirdc::kernel(max_block = 256)]
pub fn kernel_%(i)d(a: f32, x: &[f32], mut y: PerThread<f32>, steps: u32) {
    let i = thread::index_x();
    let n = i.get();
    if n >= x.len() {
        return;
    }
    let tile = shared![f32; 256];
    let t = thread::x() as usize;
    tile.set(t, x[n]);
    barrier();
    let mut v = tile.get((t + %(k)d) & 255);
    let mut s = 0u32;
    while s < steps {
        v = v * a + %(c)d.5;
        if v > 1000.0 {
            v = v.sqrt();
        }
        s += 1;
    }
    if let Some(out) = y.at(i) {
        *out = *out + v;
    }
}
"""
CUDA = """extern "C" __global__ void __launch_bounds__(256) kernel_%(i)d(float a, const float *x,
    unsigned long long nx, float *y, unsigned long long ny, unsigned steps) {
  if ((blockDim.y | blockDim.z | gridDim.y | gridDim.z) != 1) __trap();
  unsigned long long n = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= nx) return;
  __shared__ float tile[256];
  unsigned t = threadIdx.x;
  if (t >= 256) __trap();
  tile[t] = x[n];
  __syncthreads();
  float v = tile[(t + %(k)d) & 255];
  for (unsigned s = 0; s < steps; s++) {
    v = v * a + %(c)d.5f;
    if (v > 1000.0f) v = sqrtf(v);
  }
  if (n < ny) y[n] = y[n] + v;
}
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def make_inputs(work, n, env):
    rows = [{"i": i, "k": i * 7 % 256, "c": i % 100} for i in range(n)]
    rs, cu = os.path.join(work, "k%d.rs" % n), os.path.join(work, "k%d.cu" % n)
    write(rs, "#![no_std]\nuse mirdc::prelude::*;\n\n" + "\n".join(RUST % r for r in rows))
    write(cu, "\n".join(CUDA % r for r in rows))
    dump = os.path.join(work, "k%d.pmir.json" % n)
    run(["mirdc-rustc", "--out", dump, rs, "--", "-O"], env)  # the release profile, as nvcc -O3
    return dump, cu


def processor_time():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def measure(work, n, rounds, env):
    dump, cu = make_inputs(work, n, env)
    cache = os.path.join(work, "cache")
    mine, theirs, own, warm = [], [], [], []
    command = ["mirdc", "compile", dump, "--arch", ARCH, "--out-dir", os.path.join(work, "out"),
               "--cache-dir", cache, "--emit", "bundle,record", "--message-format", "json"]
    for r in range(rounds + 1):
        # The memory of library digests is kept, as on any machine that has built before; the
        # products are not.
        for d in ("obj", "act"):
            shutil.rmtree(os.path.join(cache, "v1", d), ignore_errors=True)
        t, out = run(command, env)
        before = processor_time()
        run(command, env)
        warm.append(processor_time() - before)
        us = [json.loads(l) for l in out.splitlines() if '"compiled"' in l][0]["time_us"]
        u, _ = run(["nvcc", "-cubin", "-O3", "-arch=" + ARCH, "-o", os.path.join(work, "o.cubin"), cu], env)
        if r == 0:
            continue  # warms the files
        mine.append(t)
        theirs.append(u)
        threads = min(n, os.cpu_count() or 1)
        own.append(t - (us["nvvm"] + us["link"]) / 1e6 / threads)
    m, t, o = (statistics.median(v) for v in (mine, theirs, own))
    print("%4d kernels: mirdc %7.1f ms, nvcc %7.1f ms, ratio %.2f; mirdc without the CUDA libraries "
          "%.1f ms (%.0f %%); cached %.1f ms"
          % (n, m * 1e3, t * 1e3, m / t, o * 1e3, 100 * o / m, min(warm) * 1e3))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--kernels", default="1,10,100")
    args = ap.parse_args()
    env = environment()
    work = tempfile.mkdtemp(prefix="mirdc-bench-")
    try:
        for n in args.kernels.split(","):
            measure(work, int(n), args.rounds, env)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
