"""What the fault_*.py scripts share: a private folder, runs of mirdc, snapshots of folders."""
import hashlib, os, re, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
MIRDC = os.path.join(BUILD, "bin", "mirdc")
PASS = os.path.join(BUILD, "bin", "mirdc-rustc")
READ = os.path.join(BUILD, "bin", "mirdc-read")
DUMPS = os.path.join(ROOT, "test/fuzz/corpus/pmir")
SANITIZED = b"__asan_init" in open(MIRDC, "rb").read()
# Statuses that mean a crash: by a signal, or a sanitizer's own.
CRASHED = lambda rc: rc < 0 or rc >= 128 or (SANITIZED and rc == 99)
TEMP = re.compile(r"\.mirdc-\d+-\d+\.tmp$")
failures = 0


def check(name, ok, why=""):
    global failures
    print("%s %s" % ("ok" if ok else "not ok", name), flush=True)
    if not ok:
        failures += 1
        print("  " + str(why)[:2000].replace("\n", "\n  "), flush=True)
    return ok


def finish():
    sys.exit(1 if failures else 0)


class Place:
    """A private folder with a dump, an output folder and a cache of its own."""

    def __init__(self, dump="saxpy"):
        self.dir = tempfile.mkdtemp(prefix="fault-")
        self.dump = os.path.join(self.dir, dump + ".pmir.json")
        shutil.copy(os.path.join(DUMPS, dump), self.dump)
        self.out = os.path.join(self.dir, "out")
        self.cache = os.path.join(self.dir, "cache")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir, ignore_errors=True)

    def env(self, more=None):
        env = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", MIRDC_CACHE_DIR=self.cache,
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":exitcode=99")
        env.pop("MIRDC_FAULT", None)
        env.update(more or {})
        return env

    def argv(self, *args):
        return [MIRDC, "compile", self.dump, "--out-dir", self.out] + list(args)

    def compile(self, *args, env=None, **kw):
        return run(self.argv(*args), env=self.env(env), **kw)


class Done:
    def __init__(self, rc, out, err):
        self.rc, self.out, self.err = rc, out, err
        self.codes = re.findall(r"^error\[(MD\d+)\]", err, re.M)
        self.errors = len(re.findall(r"^error", err, re.M))

    def __str__(self):
        return "status %s\n%s%s" % (self.rc, self.out, self.err)


def run(argv, env=None, cwd=None, timeout=120, **kw):
    p = subprocess.run(argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=timeout, **kw)
    return Done(p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace"))


def snapshot(folder, times=True):
    """Every file below a folder with its digest, and the time of its last change."""
    found = {}
    for root, dirs, names in os.walk(folder):
        for n in sorted(names):
            p = os.path.join(root, n)
            if os.path.islink(p):
                found[os.path.relpath(p, folder)] = "-> " + os.readlink(p)
                continue
            if not os.path.isfile(p):
                found[os.path.relpath(p, folder)] = "special"
                continue
            with open(p, "rb") as f:
                digest = hashlib.sha256(f.read()).hexdigest()
            found[os.path.relpath(p, folder)] = (digest, os.stat(p).st_mtime_ns if times else 0)
    return found


def leftovers(folder):
    return [os.path.join(r, n) for r, _, names in os.walk(folder) for n in names if TEMP.search(n)]


def refused(name, done, code, words="", before=None, folder=None):
    """One error with this code, status 1, nothing said on stdout, nothing changed."""
    ok = done.rc == 1 and done.codes == [code] and done.errors == 1 and done.out == "" and words in done.err
    why = str(done)
    if ok and folder is not None:
        after = snapshot(folder)
        if after != before:
            ok, why = False, "changed:\n%s\n%s" % (before, after)
    return check(name, ok, why)
