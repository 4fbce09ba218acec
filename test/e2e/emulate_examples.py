"""Every kernel of examples/ in the emulator with all checks on: nothing is found, and where the result is easily
worked out it is right."""
import concurrent.futures, hashlib, json, os, struct, sys
from fault_lib import *

WORDS = [b"", b"abc", b"The quick brown fox", b"x" * 119, b"y" * 64]
TEXT = b"".join(WORDS)
ENDS = [sum(len(w) for w in WORDS[:i + 1]) for i in range(len(WORDS))]
DATA = [(i * i) % 251 for i in range(3000)]
LINES = b"1+2*3\n(4+5)*6\n7-8-9\n"


def numbers(v):
    return ",".join(map(str, v))


def sums_by_block(v, block):
    out = []
    for b in range(0, len(v), block):
        s = 0
        for x in v[b:b + block]:
            s = (s + x) & 0xffffffff
            out.append(s)
    return out


def digests():
    return [w for m in WORDS for w in struct.unpack(">8I", hashlib.sha256(m).digest())]


def product(n):
    a = [i % 7 for i in range(n * n)]
    return a, [float(sum(a[r * n + k] * a[k * n + c] for k in range(n))) for r in range(n) for c in range(n)]


SCAN = [i * 0x9e3779b9 & 0xffffffff for i in range(1100)]
MATRIX, PRODUCT = product(24)
# name: (arguments, buffer to look at, its values)
CASES = {
    "saxpy": ("--grid 3 --block 128 --arg a=2 --arg x=f32[300]:iota --arg y=f32[300]:1", "y", [2.0 * i + 1 for i in range(300)]),
    "dot": ("--grid 4 --arg x=f32[1000]:1 --arg y=f32[1000]:2 --arg partial=f32[4]", "partial", [512.0, 512.0, 512.0, 464.0]),
    "histogram": ("--grid 3 --arg data=u8:%s --arg bins=u32[256]" % numbers(DATA), "bins", [DATA.count(v) for v in range(256)]),
    "warp_scan": ("--grid 3 --arg data=u32:%s --arg out=u32[1100] --arg totals=u32[3]" % numbers(SCAN), "out",
                  sums_by_block(SCAN, 512)),
    "warp_redux": ("--grid 4 --arg x=u32[1000]:range:5 --arg out=u32:0,4294967295,0", "out", [sum(range(5, 1005)), 5, 1004]),
    "sha256": ("--block 32 --arg text=hex:%s --arg ends=u32:%s --arg out=u32[%d]" % (TEXT.hex(), numbers(ENDS), 8 * len(ENDS)),
               "out", digests()),
    "matmul": ("--grid 2,2 --arg a=f32:%s --arg b=f32:%s --arg c={f32[576];u64:576;u64:24} --arg n=24"
               % (numbers(MATRIX), numbers(MATRIX)), "c.0", PRODUCT),
    "cluster": ("--grid 2 --arg x=f32[200]:range:0:3 --arg out=f32[200]", "out", [3.0] * 199 + [-597.0]),
    "black_scholes": ("--block 64 --arg price=f32[50]:range:10 --arg strike=f32[50]:20 --arg years=f32[50]:1 "
                      "--arg market={f32:0.02,0.3} --arg call=f32[50] --arg put=f32[50]", None, None),
    "fallible": ("--block 32 --arg accounts=i64[8]:1000 --arg transfers=hex:%s --arg out=i64[96]"
                 % b"".join(struct.pack("<IIqI4x", i % 9, (i + 1) % 8, 10 * i, 1) for i in range(32)).hex(), None, None),
    "iterators": ("--block 32 --arg samples=i32[512]:range:-700:3 --arg out=u8[1024]", None, None),
    "life": ("--grid 2,4 --arg from=u8[1600]:random:2 --arg to={u8[1600];u64:1600;u64:50} --arg width=50 --arg height=32", None,
             None),
    "mandelbrot": ("--grid 2,2 --block 16,16 --arg view={f64:-2,-1,0.1;u32:30,20,50} --arg out={u32[600];u64:600;u64:30}", None,
                   None),
    "block_sums": ("--kernel block_sums --grid 3 --arg input=i32[600]:iota --arg floor=0 --arg sums=i32[3]", "sums",
                   [sum(range(256)), sum(range(256, 512)), sum(range(512, 600))]),
    "own_provider": ("--arg input=f32[128]:1 --arg weight=0.25 --arg out=f32[128]", "out", [1.0] * 128),
    "generic_map": ("--block 32 --arg k=1 --arg y=f32:2,4", "y", [2, 2.25]),
    "nbody": ("--grid 2 --arg from=f32[1600]:random:1 --arg to=f32[1600] --arg step={f32:0.01,0.001}", None, None),
    "parser": ("--block 32 --arg text=hex:%s --arg out=u64[3]" % LINES.hex(), None, None),
}
REFUSED = {"ffi_cpp": "MD0800"}  # calls device code in CUDA C++


def examples():
    with open(os.path.join(ROOT, "examples/INDEX"), encoding="utf-8") as f:
        rows = [l.split() for l in f if l.strip() and not l.startswith("#")]
    return [r[0] for r in rows if "error" not in r[1:]]


def one(p, name):
    dump = os.path.join(p.dir, name + ".pmir.json")
    providers = os.path.join(ROOT, "examples", name, "providers")
    more = ["--provider-path", providers] if os.path.isdir(providers) else []
    d = run([MIRDC, "compile", os.path.join(ROOT, "examples", name, "src/lib.rs"), "--emit", "pmir", "-q", "-o", dump, *more],
            env=p.env(), timeout=300)
    if d.rc:
        return name, str(d)
    if name in REFUSED:
        d = run([MIRDC, "emulate", dump, "--block", "32", "--arg", "t=hex:" + "00" * 8, "--arg", "width=8", "--arg", "out=u32[8]",
                 "--arg", "water=u32[8]"])
        return name + " is refused", "" if d.rc == 1 and REFUSED[name] in d.err else str(d)
    args, look, want = CASES[name]
    args = args.split() + (["--out", look] if look else [])
    d = run([MIRDC, "emulate", dump, "--message-format", "json"] + args, timeout=200)
    rows = [json.loads(l) for l in d.out.split("\n") if '"emulation"' in l]
    if d.rc or not rows or rows[0]["status"] != "ok":
        return name, str(d)[-1500:]
    return name, "" if not look or rows[0]["out"][0]["values"] == want else str(rows[0]["out"])[:500]


def main():
    with Place() as p:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for name, why in pool.map(lambda n: one(p, n), examples()):
                check(name, not why, why)
    return finish()


sys.exit(main())
