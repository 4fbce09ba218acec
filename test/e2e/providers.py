"""Native algorithms from manifest to cubin: CUB's and a provider of the test's own; what the cache keeps; providers
that are wrong, and a C++ compiler that lies."""
import json, os, shutil, subprocess, sys, tempfile
from fault_lib import *

HERE = os.path.join(ROOT, "test/e2e/providers")
FAKE = os.path.join(HERE, "fake_nvrtc.c")


class Work:
    def __init__(self, dir):
        self.dir = dir
        self.cache = dir + "/cache"
        self.out = dir + "/out"
        self.own = dir + "/providers/own"
        shutil.copytree(HERE + "/own", self.own)
        self.dump = dir + "/kernels.pmir.json"
        d = self.run([PASS, "--out", self.dump, HERE + "/kernels.rs"])
        check("the dump is made", d.rc == 0, d)
        # The test's own provider alone needs no large headers.
        with open(HERE + "/kernels.rs") as f:
            text = f.read()
        own = dir + "/own.rs"
        with open(own, "w") as f:
            f.write("#![no_std]\nuse mirdc::prelude::*;\n" + text[text.index("#[mirdc::register"):])
        self.own_dump = dir + "/own.pmir.json"
        d = self.run([PASS, "--out", self.own_dump, own])
        check("a dump of one kernel is made", d.rc == 0, d)

    def run(self, argv, env=None):
        return run(argv, env=dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", MIRDC_CACHE_DIR=self.cache, **(env or {})))

    def compile(self, dump, *args, env=None):
        return self.run([MIRDC, "compile", dump, "--out-dir", self.out, "--emit", "cubin,record"] + list(args), env)

    def write(self, name, text):
        with open(self.own + "/" + name, "w") as f:
            f.write(text)

    def edit(self, name, old, new):
        with open(self.own + "/" + name) as f:
            text = f.read()
        assert old in text
        self.write(name, text.replace(old, new))

    def restore(self):
        shutil.rmtree(self.own)
        shutil.copytree(HERE + "/own", self.own)


def symbols(path):
    """Names of the functions of a cubin."""
    out = run(["readelf", "-sW", path]).out
    return [l.split()[-1] for l in out.split("\n") if " FUNC " in l]


def all_of_cub(w):
    d = w.compile(w.dump)
    check("all entries of cub compile and link", d.rc == 0, d)
    check("all of them and their callbacks are inlined", "MD0717" not in str(d), d)
    names = [n for f in os.listdir(w.out) if f.endswith(".cubin") for n in symbols(w.out + "/" + f)]
    check("the cubins hold the kernels and nothing else", sorted({n for n in names if not n.endswith("mirdc_trap_report")}) == ["items", "own", "reductions", "scans"], names)
    with open(w.out + "/kernels.record.json") as f:
        record = json.load(f)
    rows = {(i["role"], i["name"]) for i in record["inputs"]}
    check("the record has templates and headers", {("header", "@own/call.h"), ("header", "@cub/block_reduce.cu"),
                                                   ("header", "cub/block/block_reduce.cuh")} <= rows, sorted(rows)[:20])
    check("the record names the C++ compiler", any(t["name"] == "NVRTC" for t in record["tools"]), record["tools"])
    # With a warm cache no compiler is opened: the library stands in for one that fails.
    d = w.compile(w.dump, "--message-format", "json")
    check("a second run takes everything from the cache", d.rc == 0, d)


def cached(w):
    """What decides the product decides the key."""
    def made(*args):
        d = w.compile(w.own_dump, "-v", *args)
        check("it compiles", d.rc == 0, d)
        return "native mirdc_own_twice" in str(d) and "made" in str(d).split("native mirdc_own_twice")[1].split("\n")[0]
    w.cache = w.dir + "/another cache"
    check("the first run compiles the template", made())
    check("the second does not", not made("--depends", w.dir + "/list"))
    with open(w.dir + "/list") as f:
        text = f.read()
    check("the list of inputs has template, header and manifest", all(w.own + n in text for n in ("/twice.cu", "/call.h", "/provider.json")), text)
    w.edit("call.h", "return f(value)", "return f(value) + 1")
    check("a byte in a header makes it compile again", made())
    w.restore()
    check("the old header is still in the cache", not made())
    check("another architecture is another product", made("--arch", "sm_80"))
    w.edit("provider.json", '"scope": "thread"', '"scope": "warp"')
    check("what was checked with another manifest is checked again", made())
    w.restore()


def wrong(w):
    def refused(name, code, *texts, args=(), env=None):
        d = w.compile(w.own_dump, *args, env=env)
        check(name, d.rc == 1 and d.codes == [code] and all(t in str(d) for t in texts), d)
        w.restore()
    w.edit("twice.cu", "call(f, value)", "call(f, valu)")
    refused("an error in a template is shown with its line", "MD0711", '"valu" is undefined', "@own/twice.cu:6",
            "own.rs:9:", "`twice` is declared here")
    w.edit("twice.cu", "int twice(int value", "long twice(int value")
    refused("another result than the manifest says is refused", "MD0711", "the type that the manifest says")
    w.edit("provider.json", '"i32"], "ret": "i32"', '"i32"], "ret": "i64"')
    refused("another callback than the program's is refused", "MD0733", "`Fn(i32) -> i64`")
    w.edit("provider.json", "twice.cu", "thrice.cu")
    refused("a template that is not there is named", "MD0708", "thrice.cu")
    w.edit("provider.json", '"name": "own",', '"name": "own", "computed_includes": ["no.h"],')
    refused("a computed include that is not there is named", "MD0708", "no.h")
    w.edit("call.h", "#pragma once", "#pragma once\n#include HEADER")
    refused("an include that says nothing is refused", "MD0710", "HEADER")
    w.edit("call.h", "#pragma once", "#pragma once\n#include \"%s/elsewhere.h\"" % w.dir)
    refused("a path out of the folder is refused", "MD0710", "elsewhere.h")
    w.edit("provider.json", '"i32"], "ret": "i32"', '"i32"], "ret": "i64"')
    d = w.run([MIRDC, "check", w.own_dump], {"MIRDC_CUDA": w.dir + "/no toolkit"})
    check("what is not offered is told without CUDA too", d.rc == 1 and d.codes == ["MD0733"], d)
    w.restore()
    w.edit("twice.cu", "namespace own {", 'extern "C" __device__ int helper(int);\nnamespace own {')
    w.edit("twice.cu", "return call", "return helper(value) + call")
    refused("a call of what nobody defines is told", "MD0713", "`helper`")
    w.edit("twice.cu", "namespace own {", "__device__ int counter;\nnamespace own {")
    w.edit("twice.cu", "return call", "return counter++ + call")
    refused("a device variable is told", "MD0714", "`counter`")
    w.edit("twice.cu", "return call", "__syncthreads();\n  return call")
    refused("a barrier of an entry for single threads is told", "MD0715", "bar")
    w.edit("twice.cu", "return call", "value += __shfl_xor_sync(~0u, value, 1);\n  return call")
    refused("so is an exchange between lanes", "MD0715", "shfl")
    w.edit("twice.cu", "return call", "value += *(const int *)f.env;\n  return call")
    refused("a look into the environment is told", "MD0716", "ld.")
    w.edit("twice.cu", "return call", "value += (int)(long)f.thunk0;\n  return call")
    refused("so is arithmetic on the callback's address", "MD0716")
    os.remove(w.own + "/provider.json")
    refused("a provider without a manifest is none", "MD0700", "`own`")
    w.edit("call.h", "__forceinline__", "__noinline__")
    refused("a function that is handed the callback and not inlined is told", "MD0716")
    w.edit("twice.cu", "namespace own {", "__device__ __noinline__ int add(int a) { return a * a + 1; }\nnamespace own {")
    w.edit("twice.cu", "return call", "return add(value) + call")
    d = w.compile(w.own_dump)
    check("what is not inlined is a warning", d.rc == 0 and "warning[MD0717]" in d.err, d)
    d = w.compile(w.own_dump)
    check("also when it comes from the cache", d.rc == 0 and "warning[MD0717]" in d.err, d)
    refused("and an error when it must not be", "MD0434", args=["--require-inline"])


def lying(w):
    parts = {x["name"]: x["path"] for x in json.loads(w.run([MIRDC, "doctor", "--message-format", "json"]).out)["parts"]}
    kit, fake = w.dir + "/kit", w.dir + "/fake.so"
    if not check("the stand-in builds", subprocess.run(["cc", "-shared", "-fPIC", "-o", fake, FAKE]).returncode == 0):
        return
    os.makedirs(kit + "/lib")
    os.makedirs(kit + "/nvvm/libdevice")
    for to, at in ((parts["libNVVM"], "lib/libnvvm.so.4"), (parts["nvJitLink"], "lib/libnvJitLink.so.13"), (fake, "lib/libnvrtc.so.13"),
                   (parts["libdevice"], "nvvm/libdevice/libdevice.10.bc")):
        os.symlink(to, kit + "/" + at)
    for mode, code in (("empty", "MD0712"), ("garbage", "MD0712"), ("no size", "MD0712"), ("no program", "MD0718"),
                       ("not compiled", "MD0718"), ("refused", "MD0711")):
        d = w.compile(w.own_dump, "--cuda", kit, env={"FAKE_NVRTC": mode})
        check("NVRTC with the fault `%s` is told" % mode, d.rc == 1 and d.codes == [code], d)


def main():
    with tempfile.TemporaryDirectory(prefix="providers-") as dir:
        w = Work(dir)
        if w.run([MIRDC, "doctor"]).rc != 0:
            print("ok skipped: no CUDA here")
            return
        all_of_cub(w)
        cached(w)
        wrong(w)
        lying(w)
    finish()


main()
