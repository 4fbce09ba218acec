"""Looks at the MIR of kernels.rs: prints "ok NAME" or "not ok NAME" for each property."""
import re, sys

label, path = sys.argv[1], sys.argv[2]
text = open(path, encoding="utf-8").read()
failed = False


def check(name, cond, why=""):
    global failed
    print(("ok " if cond else "not ok ") + label + ": " + name + ("" if cond else "  # " + str(why)))
    failed |= not cond


def body(name):
    m = re.search(r"^fn %s\(.*?^}$" % re.escape(name), text, re.M | re.S)
    if not m:
        return ""
    b = m.group(0)
    return b[b.index("    bb0"):]


def count(name, what):
    return len(re.findall(what, body(name)))


entries = re.findall(r"^alloc\d+ \(static: (\w+)::__MIRDC_KERNEL, size: 112, align: 8\) \{(.*?)^}",
                     text, re.M | re.S)
allocs = dict(re.findall(r"^(alloc\d+) \(fn: ([^)]*)\)$", text, re.M))
names = sorted({n[len("__mirdc_kernel_"):] for n, _ in entries})
want = sorted(set(re.findall(r"^pub fn (\w+)", open(sys.argv[3]).read(), re.M))
              - {"fill"} | {"fill_f32", "fill_u64"})
check("every kernel's descriptor is printed with its 112 bytes", names == want, set(names) ^ set(want))

wrong = []
for n, dump in entries:
    row = re.search(r"0x40 │ ╾─*(alloc\d+)", dump)
    target = allocs.get(row.group(1), "") if row else ""
    if target.split("::")[-1] != n[len("__mirdc_kernel_"):] or "49 4d 52 44 43 4b 52 4e 01 00 00 00" not in dump:
        wrong.append((n, target))
check("a descriptor starts with the magic number and points to its entry", not wrong, wrong)

stray = []
current = None
for line in text.split("\n"):
    m = re.match(r"fn (\S+?)\(", line)
    if m:
        current = m.group(1)
    elif re.match(r"(const|static|alloc)", line) or "{constant#" in line:
        current = None
    elif current and re.search(r"-> (\[return|unwind)", line):
        # Marks of the launch functions, which the pass reads and no device code holds.
        mark = re.search("__mirdc_(launch_|declared)", current) and "{mirdc::rt::site_" in line
        call = mark or "__mirdc_" in line or "from_elsewhere" in line or "assert(" in line
        if not call and "options(" not in line:
            stray.append(current + ": " + line.strip()[:150])
check("nothing but device operations is left of the crate's functions", not stray, stray[:5])

barrier = r"__mirdc_barrier\}\)\(\)"
for k in ["twice_shared", "twice_buffer", "twice_pointer"]:
    loads = count(k, r" = copy \(\*_\d+\)(\[\d+ of \d+\])?;")
    check(k + ": memory that others write is read again after a barrier",
          loads == 2 and count(k, barrier) == 1, loads)
loads = count("once_slice", r" = copy \(\*_1\)\[1 of 2\]")
check("once_slice: rustc merges the two reads through a shared reference", loads == 1, loads)

ops = re.findall(r"__mirdc_atomic_\w+\}\)\((.*)\) ->", body("atomics")) \
    + re.findall(r"__mirdc_fence\}\)\((.*)\) ->", body("atomics"))
immediate = r"const ConstValue\(Scalar\(0x0000000[0-4]\): u32\)"
bad = [o for o in ops if not re.search(immediate + ", " + immediate + "$", o)]
check("ordering and scope of atomics are constants", len(ops) == 13 and not bad, bad or len(ops))

check("inline PTX stands in the dump with its mark",
      body("text").count('asm!("// mirdc-ptx:\n') == 2 and 'asm!("// mirdc-ptx pure:\n' in body("text"))
check("a printf area is a type that can be named",
      "mirdc::rt::Args3::<u32, f64, u64>" in body("messages")
      or "mirdc::rt::Args3::<u32, f64, u64>" in text)
check("an exported function has a descriptor of its own",
      re.search(r"static: __mirdc_export_for_elsewhere::__MIRDC_EXPORT, size: 112", text) is not None)
statics = re.findall(r"^static (\S+): mirdc::Shared<", text, re.M)
check("every shared array has a name of its own", len(statics) == len(set(statics)) == 4, statics)

# The operations as they are called against the compiler's own table.
letters = {"()": "v", "!": "!", "bool": "b", "f32": "f", "f64": "d", "u8": "c", "u16": "h", "u32": "i", "i32": "i",
           "u64": "l", "i64": "l"}
letter = lambda t: "p" if t.startswith("*") else letters[t]
table = dict(re.findall(r'^DEVOP\((\w+), "([^"]+)"', open(sys.argv[4]).read(), re.M))
used = {}
for args, ret, name in re.findall(
        r'extern "C" fn\(([^()]*)\)(?: -> (\S+))? \{[^{}]*?__mirdc_(\w+)\}', text):
    used[name] = letter(ret or "()") + "".join(letter(a) for a in args.split(", ") if a)
wrong = {n: s for n, s in used.items() if table.get(n) != s}
check("called operations have the signatures of the table", len(used) > 80 and not wrong, wrong or len(used))

for k, n in [("strided", 0), ("shuffles", 0), ("floats", 0), ("halves", 0)]:
    check(k + ": no check is left that could fail", count(k, r"__mirdc_trap") == n)
sys.exit(failed)
