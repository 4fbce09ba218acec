"""Same inputs, same bytes: whatever runs beside, wherever files lie, however many threads, warm or cold cache.
`fault_runs.py all` takes more rounds and Rust source through the pass."""
import os, shutil, subprocess, sys
from fault_lib import *

EVERY = ("--emit", "pmir,llvm,nvvm,ltoir,ptx,cubin,bundle,record", "--arch", "sm_90,sm_100")


def differences(a, b):
    return sorted(set(a.items()) ^ set(b.items()))[:6]


def together(p, n, rounds, want):
    """n runs at once into one folder."""
    for r in range(rounds):
        shutil.rmtree(p.out, ignore_errors=True)
        shutil.rmtree(p.cache, ignore_errors=True)
        runs = [subprocess.Popen(p.argv(*EVERY), env=p.env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT) for _ in range(n)]
        said = [c.communicate(timeout=200)[0].decode() for c in runs]
        ok = all(c.returncode == 0 for c in runs)
        got = snapshot(p.out, False)
        if not check("%d runs at once give what one gives%s" % (n, " (round %d)" % (r + 1) if rounds > 1 else ""),
                     ok and got == want, "%s %s" % (said, differences(got, want))):
            return
    check("%d runs at once leave nothing else" % n, not leftovers(p.dir), leftovers(p.dir))


def together_from_source(n):
    """The pass compiles the device crate once, whoever comes first."""
    with Place() as p:
        p.dump = os.path.join(p.dir, "k.rs")
        shutil.copy(os.path.join(ROOT, "test/e2e/fault_saxpy.rs"), p.dump)
        d = p.compile(*EVERY, timeout=200)
        check("a single run on Rust source is sound", d.rc == 0, d)
        want = snapshot(p.out, False)
        shutil.rmtree(p.out)
        shutil.rmtree(p.cache)  # the pass keeps its own there too
        runs = [subprocess.Popen(p.argv(*EVERY), env=p.env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT) for _ in range(n)]
        said = [c.communicate(timeout=300)[0].decode() for c in runs]
        got = snapshot(p.out, False)
        check("%d runs at once on Rust source, with an empty cache, give what one gives" % n,
              all(c.returncode == 0 for c in runs) and got == want, "%s %s" % (said, differences(got, want)))
        check("and leave nothing else in the output folder", not leftovers(p.dir), leftovers(p.dir))


def damaged_caches():
    """Whatever lies in the caches of driver and pass, Rust source gives the same bytes."""
    with Place() as p:
        p.dump = os.path.join(p.dir, "k.rs")
        shutil.copy(os.path.join(ROOT, "test/e2e/fault_math.rs"), p.dump)
        d = p.compile(*EVERY, timeout=200)
        check("a single run that calls libdevice is sound", d.rc == 0, d)
        want = snapshot(p.out, False)
        files = [os.path.join(r, n) for r, _, names in os.walk(p.cache) for n in names]
        for name, damage in (("emptied", lambda b: b""), ("overwritten", lambda b: b"garbage"), ("cut", lambda b: b[: len(b) // 2]),
                             ("changed in one byte", lambda b: b[: len(b) // 2] + b"\0" + b[len(b) // 2 + 1:])):
            for path in files:
                if os.path.exists(path):
                    with open(path, "rb") as f:
                        old = f.read()
                    with open(path, "wb") as f:
                        f.write(damage(old))
            d = p.compile(*EVERY, timeout=200)
            got = snapshot(p.out, False)
            check("with every file of the caches %s the bytes are the same" % name, d.rc == 0 and got == want,
                  "%s %s" % (d, differences(got, want)))


def two_sets(p, rounds):
    """Runs with different options, at once: the folder holds one whole set, never a mixture."""
    sets = []
    for fmad in ("on", "off"):
        shutil.rmtree(p.out, ignore_errors=True)
        check("a single run with --fmad %s" % fmad, p.compile(*EVERY, "--fmad", fmad).rc == 0)
        sets.append(snapshot(p.out, False))
    check("the two differ", sets[0] != sets[1])
    bad = []
    for _ in range(rounds):
        runs = [subprocess.Popen(p.argv(*EVERY, "--fmad", f), env=p.env(), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL) for f in ("on", "off", "on", "off")]
        rcs = [c.wait(200) for c in runs]
        now = snapshot(p.out, False)
        if any(rcs) or now not in sets:
            bad.append((rcs, differences(now, sets[0])))
    check("%d times four runs at once never mix their sets" % rounds, not bad, bad[:2])


def variants(p, source, tree, rounds):
    """One compilation under other circumstances. `tree` is a folder that holds the source and is copied whole."""
    base = None
    other = os.path.join(p.dir, "a much longer place", "with spaces é")
    short = os.path.join(p.dir, "s")
    for d in (other, short):
        shutil.copytree(tree, d)
    home, tmp = os.path.join(p.dir, "home"), os.path.join(p.dir, "tmp dir")
    os.mkdir(home)
    os.mkdir(tmp)
    rel = os.path.relpath(source, tree)
    # rustup keeps its toolchains in the home folder; what they are must not change with it.
    rust = {k: os.environ.get(k, os.path.expanduser(d)) for k, d in (("RUSTUP_HOME", "~/.rustup"), ("CARGO_HOME", "~/.cargo"))}
    cases = [("the first run", short, rel, (), {}, short),
             ("the second run, from the cache", short, rel, (), {}, short),
             ("another folder, an absolute path", other, os.path.join(other, rel), (), {}, "/"),
             ("another folder, a relative path", other, rel, (), {}, other),
             ("a path with dots", other, "./x/../" + rel, (), {}, other),
             ("an empty cache", short, rel, ("--cache-dir", os.path.join(p.dir, "cold")), {}, short),
             ("no cache", short, rel, ("--cache-dir", "/proc/none"), {}, short),
             ("one thread", short, rel, ("-j1", "--cache-dir", os.path.join(p.dir, "j1")), {}, short),
             ("two threads", short, rel, ("-j2", "--cache-dir", os.path.join(p.dir, "j2")), {}, short),
             ("another home and temporary folder", other, rel, (), dict(rust, HOME=home, TMPDIR=tmp), other),
             ("other language and time", short, rel, (), {"LC_ALL": "C", "LANG": "de_DE.UTF-8", "TZ": "Asia/Tokyo",
                                                        "COLUMNS": "20"}, short)]
    os.mkdir(os.path.join(other, "x"))
    for i, (name, folder, path, args, env, cwd) in enumerate(cases * rounds):
        out = os.path.join(p.dir, "v%d" % i)
        d = run([MIRDC, "compile", path, "--out-dir", out, *EVERY, *args], env=p.env(env), cwd=cwd, timeout=200)
        got = snapshot(out, False) if d.rc == 0 else {}
        base = base or got
        check("%s: %s gives the same bytes" % (os.path.basename(source), name), d.rc == 0 and got == base,
              "%s\n%s" % (d, differences(got, base)))
    words = [w.encode() for w in (p.dir, other, home, tmp, ROOT, os.path.expanduser("~/.cargo"))]
    held = [(n, w) for n in base for w in words if w in open(os.path.join(p.dir, "v0", n), "rb").read()]
    check("%s: no artifact holds a path of this machine" % os.path.basename(source), not held, held[:5])


def main():
    everything = sys.argv[1:] == ["all"]
    if not everything:
        with Place("two_kernels") as p:
            d = p.compile(*EVERY)
            check("a single run is sound", d.rc == 0, d)
            want = snapshot(p.out, False)
            check("a run makes no other files than its artifacts", all(
                n.startswith("two_kernels.") for n in os.listdir(p.out)), os.listdir(p.out))
            together(p, 2, 1, want)
            together(p, 8, 1, want)
            two_sets(p, 4)
        return
    with Place("two_kernels") as p:
        tree = os.path.join(p.dir, "tree")
        os.mkdir(tree)
        shutil.copy(p.dump, tree)
        variants(p, os.path.join(tree, "two_kernels.pmir.json"), tree, 1)
    for source in (os.path.join(ROOT, "test/e2e/fault_saxpy.rs"), os.path.join(ROOT, "examples/sha256/src/lib.rs")):
        with Place() as p:
            tree = os.path.join(p.dir, "tree", "src")
            os.makedirs(tree)
            shutil.copy(source, tree)
            variants(p, os.path.join(tree, os.path.basename(source)), os.path.dirname(tree), 1)
    with Place("two_kernels") as p:
        check("a single run is sound", p.compile(*EVERY).rc == 0)
        want = snapshot(p.out, False)
        together(p, 2, 5, want)
        together(p, 8, 3, want)
        two_sets(p, 15)
    together_from_source(4)
    damaged_caches()


main()
finish()
