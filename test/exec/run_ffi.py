#!/usr/bin/env python3
"""Rust and CUDA C++ call each other across one link: the signatures must agree so well that no call stays
an indirect one, which is what the linker makes of two views of one function."""
import os, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gpu


def check(arch, work):
    ptx = os.path.join(work, "ffi.ptx")
    gpu.ffi_compile(work, arch, ["--emit", "ptx", "-o", ptx])
    with open(ptx, encoding="utf-8") as f:
        text = f.read()
    left = [l.strip() for l in text.split("\n") if "callprototype" in l]
    ok = ".entry run_all" in text and not left
    print("%s calls between Rust and CUDA C++ are direct on sm_%d%s" % ("ok" if ok else "not ok", arch, "".join("\n  " + l for l in left)))
    return ok


def main():
    if not gpu.nvcc():
        print("# not run: there is no nvcc here")
        return 0
    with tempfile.TemporaryDirectory() as work:
        return 0 if all([check(90, work), check(100, work)]) else 1


if __name__ == "__main__":
    sys.exit(main())
