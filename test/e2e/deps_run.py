"""Kernels that call functions of other crates, through `cargo mirdc build`, against the same functions as
cargo compiles them. Arguments: RUSTC LABEL."""
import glob, os, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "test", "exec"))
import run

rustc, label = sys.argv[1:3]
PARTS = os.path.join(HERE, "deps_run")
ENV = dict(os.environ, RUSTC=rustc, CARGO_NET_OFFLINE="true", NO_COLOR="1",
           CARGO=os.path.join(os.path.dirname(rustc), "cargo"))
# Debian's packages of no_std crates under permissive licences.
DEBS = ["adler", "arrayvec", "autocfg", "bitflags", "fnv", "half", "num-traits", "oorandom", "rand-core", "siphasher"]
VENDORED = """adler = { version = "1", default-features = false }
arrayvec = { version = "0.7", default-features = false }
bitflags = "1"
fnv = { version = "1", default-features = false }
half = { version = "1", default-features = false }
num-traits = { version = "0.2", default-features = false }
oorandom = "11"
rand_core = { version = "0.6", default-features = false }
siphasher = { version = "0.3", default-features = false }
"""
LOCAL = 'dep = { path = "../dep" }\nmid = { path = "../mid" }\n'
KERN = """#![no_std]
#![allow(warnings)]
macro_rules! tests { ($($name:ident($a:ident, $b:ident) $body:block)*) => { $(
  #[mirdc::device_export] pub extern "C" fn $name($a: u64, $b: u64) -> u64 $body )* } }
#[mirdc::kernel] pub fn nothing(x: *mut u32) { unsafe { *x = 1 } }
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def package(work, name, root, text, deps):
    write(os.path.join(work, name, "Cargo.toml"),
          '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n%s' % (name, deps))
    write(os.path.join(work, name, "src", root), text)


def command(argv, work, env=ENV):
    p = subprocess.run(argv, cwd=work, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    if p.returncode != 0:
        raise RuntimeError("%s failed\n%s" % (" ".join(argv), p.stdout[-4000:]))


def compare(name, work, text, deps):
    mirdc = 'mirdc = { path = "%s" }\n' % os.path.join(TOP, "cargo-integration", "mirdc")
    package(work, "kern", "lib.rs", KERN + text, deps + mirdc)
    package(work, "native", "main.rs", run.NATIVE + text, deps)
    command(["cargo-mirdc", "mirdc", "build", "-p", "kern", "--emit", "pmir"], work)
    command([ENV["CARGO"], "build", "-q", "-p", "native"], work)
    pmir = glob.glob(os.path.join(work, "target", "mirdc", "debug", "*.pmir.json"))[0]
    lines = run.inputs(run.test_names(text), 60)
    want = list(run.native_lines(run.run([os.path.join(work, "target", "debug", "native")], lines)))
    bad = {}
    for level in ("-O0", "-O2"):
        bad.update(run.replay(os.path.join(run.OBJ, "exec", "run_pmir"), pmir, level, lines, want))
    for fn, cases in bad.items():
        print("not ok %s: %s: %s: %d wrong; got `%s`, want `%s`" % ((label, name, fn, len(cases)) + cases[0]))
    if not bad:
        print("ok %s: %s: %d calls of %d functions agree" % (label, name, len(want) - 1, len(run.test_names(text))))
    return not bad


def read(name):
    with open(os.path.join(PARTS, name), encoding="utf-8") as f:
        return f.read()


def local(work):
    write(os.path.join(work, "Cargo.toml"), '[workspace]\nmembers = ["dep", "mid", "kern", "native"]\nresolver = "2"\n')
    for part in ("dep", "mid"):
        shutil.copytree(os.path.join(PARTS, part), os.path.join(work, part))
    return compare("path dependencies", work, read("local.rs"), LOCAL)


def fetch(work):
    """The folder of the crates; None and why not."""
    debs = os.path.join(work, "debs")
    os.makedirs(debs)
    try:
        p = subprocess.run(["apt-get", "download", "-qq"] + ["librust-%s-dev" % d for d in DEBS], cwd=debs,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        if p.returncode != 0:
            return None, p.stdout.strip().split("\n")[-1]
        for deb in glob.glob(os.path.join(debs, "*.deb")):
            subprocess.run(["dpkg", "-x", deb, os.path.join(work, "reg")], check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as e:
        return None, str(e)
    return os.path.join(work, "reg", "usr", "share", "cargo", "registry"), ""


def vendored(work):
    registry, why = fetch(work)
    if not registry:
        print("ok skipped: %s: vendored crates: %s" % (label, why))
        return True
    write(os.path.join(work, ".cargo", "config.toml"),
          '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' % registry)
    write(os.path.join(work, "Cargo.toml"), '[workspace]\nmembers = ["kern", "native"]\nresolver = "2"\n')
    return compare("vendored crates", work, read("vendored.rs"), VENDORED)


def refused(work):
    """What cannot be had is refused with its name, its place and the kernel."""
    mirdc = 'mirdc = { path = "%s" }\n' % os.path.join(TOP, "cargo-integration", "mirdc")
    write(os.path.join(work, "Cargo.toml"), '[workspace]\nmembers = ["dep", "kern"]\nresolver = "2"\n')
    shutil.copytree(os.path.join(PARTS, "dep"), os.path.join(work, "dep"))
    package(work, "kern", "lib.rs", KERN + "tests! {\n    calls(a, b) { dep::for_the_host(a as f32) as u64 }\n}\n",
            'dep = { path = "../dep" }\n' + mirdc)
    try:
        command(["cargo-mirdc", "mirdc", "build", "-p", "kern"], work)
        said = ""
    except RuntimeError as e:
        said = str(e)
    wanted = ["error[MD0187]", "`core::arch::x86_64::_mm_set_ss`", "dep/src/lib.rs:", "in kernel `calls`", "= help:"]
    missing = [w for w in wanted if w not in said]
    print("%s %s: an instruction of the host in another crate is refused%s" % ("not ok" if missing else "ok", label, ": no %s in %s" % (missing, said) if missing else ""))
    return not missing


def main():
    good = True
    for part in (local, refused, vendored):
        with tempfile.TemporaryDirectory() as work:
            try:
                good = part(work) and good
            except RuntimeError as e:
                print("not ok %s: %s" % (label, e))
                good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
