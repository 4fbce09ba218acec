"""Files that cannot be read or written: each time one coded message, status 1, and what was there before
is there still."""
import os, shutil, socket, sys
from fault_lib import *

COMPILE = ("--emit", "bundle,record,ltoir,cubin,pmir")
INNER = os.environ.get("FAULT_INNER")


def sources(p):
    """Inputs that are no readable regular file."""
    before = snapshot(p.out)
    fifo, folder, sock = (os.path.join(p.dir, n) for n in ("f.pmir.json", "d.pmir.json", "s.pmir.json"))
    os.mkfifo(fifo)
    os.mkdir(folder)
    loop, gone = os.path.join(p.dir, "l.pmir.json"), os.path.join(p.dir, "g.pmir.json")
    os.symlink(loop, loop)
    os.symlink("nowhere", gone)
    s = socket.socket(socket.AF_UNIX)
    s.bind(sock)
    cases = [("a missing dump", os.path.join(p.dir, "none.pmir.json"), "MD0001", "No such file"),
             ("a folder as dump", folder, "MD0002", "not a regular file"),
             ("a FIFO as dump", fifo, "MD0002", "not a regular file"),
             ("a device as dump", "/dev/zero", "MD0002", "not a regular file"),
             ("a socket as dump", sock, "MD0001", "No such device"),
             ("a link to itself as dump", loop, "MD0001", "symbolic links"),
             ("a link to nothing as dump", gone, "MD0001", "No such file"),
             ("a path through a file", p.dump + "/x.pmir.json", "MD0001", "Not a directory")]
    for name, path, code, words in cases:
        for command in ("compile", "check"):
            extra = ["--out-dir", p.out] if command == "compile" else []
            d = run([MIRDC, command, path] + extra, env=p.env(), timeout=20)
            refused("%s is refused by `%s`" % (name, command), d, code, words, before, p.out)
    for name, path, code, words in cases:
        d = p.compile("--extern-lto", path, timeout=20)
        refused("%s is refused as foreign LTO input" % name.replace(" as dump", ""), d, code, words, before, p.out)
        d = run([MIRDC, "link", path, "-o", os.path.join(p.out, "l.cubin")], env=p.env(), timeout=20)
        refused("%s is refused by `link`" % name.replace(" as dump", ""), d, code, words, before, p.out)
    text = os.path.join(p.dir, "text.pmir.json")
    with open(text, "w") as f:
        f.write("fn main() {}\n")
    refused("Rust text under a dump's name is refused", run([MIRDC, "compile", text, "--out-dir", p.out], env=p.env()),
            "MD0200", "", before, p.out)
    odd = os.path.join(p.dir, "notes.txt")
    shutil.copy(text, odd)
    refused("a file that is neither dump nor Rust is refused", run([MIRDC, "compile", odd, "--out-dir", p.out], env=p.env()),
            "MD0014", "notes.txt", before, p.out)
    d = run([MIRDC, "compile", os.path.join(p.dir, "none.rs"), "--out-dir", p.out], env=p.env())
    check("a missing Rust source is refused by name", d.rc == 1 and "none.rs" in d.err and d.errors >= 1
          and snapshot(p.out) == before, d)


def targets(p):
    """Outputs that cannot be made."""
    before = snapshot(p.out)
    out = lambda *a: run([MIRDC, "compile", p.dump] + list(a), env=p.env())
    a_file = os.path.join(p.dir, "plain")
    open(a_file, "w").close()
    refused("a file in place of the output folder is refused", out("--out-dir", a_file), "MD0005", "plain")
    refused("an output folder below a file is refused", out("--out-dir", a_file + "/sub/dir"), "MD0005", "plain")
    taken = os.path.join(p.dir, "taken")
    os.makedirs(os.path.join(taken, "saxpy.record.json", "x"))
    refused("a folder in place of an artifact is refused", out("--out-dir", taken), "MD0004", "Is a directory")
    check("and the other artifact is not written either", sorted(os.listdir(taken)) == ["saxpy.record.json"], os.listdir(taken))
    refused("an output folder on a file system that takes no files is refused", out("--out-dir", "/proc/self/x"), "MD0005")
    long = "n" * 240
    refused("an artifact name that is too long is refused", out("--out-dir", p.out, "--target-name", long), "MD0530", "longer",
            before, p.out)
    refused("a target name with a slash is refused", out("--out-dir", p.out, "--target-name", "a/b"), "MD0530", "slash",
            before, p.out)
    d = out("-o", os.path.join(p.dir, "m" * 194 + ".mirdc"))
    check("a name of 200 bytes can be written", d.rc == 0 and leftovers(p.dir) == [], d)
    refused("a name of 260 bytes cannot", out("-o", os.path.join(p.dir, "m" * 254 + ".mirdc")), "MD0530")
    refused("`link` into a folder is refused", run([MIRDC, "link", os.path.join(p.out, "saxpy.sm_90.ltoir"), "-o", p.out],
            env=p.env()), "MD0004", "Is a directory", before, p.out)
    special = os.path.join(p.dir, "special")
    os.mkfifo(special)
    os.symlink("/dev/null", special + "2")
    refused("a FIFO is not replaced", out("-o", special), "MD0004", "not a regular file")
    refused("a device is not replaced", out("-o", special + "2"), "MD0004", "not a regular file")
    refused("`link` replaces no device", run([MIRDC, "link", os.path.join(p.out, "saxpy.sm_90.ltoir"), "-o", special + "2"],
            env=p.env()), "MD0004", "not a regular file")
    check("they are there as before", not os.path.isfile(special) and os.readlink(special + "2") == "/dev/null")
    full = run(["sh", "-c", '"$@" >/dev/full', "sh"] + p.argv("--emit", "nvvm"), env=p.env())
    check("a full standard output is reported", full.rc == 1 and full.codes == ["MD0009"], full)
    for argv in ([MIRDC, "help"], [MIRDC, "version"], [MIRDC, "doctor"], [MIRDC, "explain", "MD0009"], [MIRDC, "check", p.dump],
                 [MIRDC, "check", p.dump, "--message-format", "json"], [READ, p.dump], [READ, "--help"], [PASS, "--version"],
                 [os.path.join(BUILD, "bin", "cargo-mirdc"), "mirdc", "help"]):
        full = run(["sh", "-c", '"$@" >/dev/full', "sh"] + argv, env=p.env())
        check("so it is of `%s`" % " ".join([os.path.basename(argv[0])] + argv[1:2]), full.rc == 1 and full.codes[-1:] == ["MD0009"], full)
    d = run(["sh", "-c", '"$@" >&-', "sh"] + p.argv("--emit", "nvvm"), env=p.env())
    check("a closed standard output damages nothing", d.rc in (0, 1) and not CRASHED(d.rc)
          and {k: v[0] for k, v in snapshot(p.out).items() if k in before} == {k: v[0] for k, v in before.items()}, d)


def overlap(p):
    """An output that is an input, however it is reached."""
    good = open(p.dump, "rb").read()
    as_pmir = ("--emit", "pmir,bundle")
    def kept(name, argv):
        before = snapshot(p.dir)
        d = run(argv, env=p.env(), cwd=p.dir)
        ok = d.rc == 1 and d.codes == ["MD0016"] and d.errors == 1
        after = {k: v for k, v in snapshot(p.dir).items() if not k.startswith("cache")}
        before = {k: v for k, v in before.items() if not k.startswith("cache")}
        check(name, ok and after == before, str(d) + str(set(after.items()) ^ set(before.items())))
    here = os.path.basename(p.dump)
    kept("an output beside its input under the same name is refused", [MIRDC, "compile", here, *as_pmir])
    kept("the same through another spelling of the path", [MIRDC, "compile", p.dump, "--out-dir", "out/..", *as_pmir])
    kept("the same with -o", [MIRDC, "compile", here, "-o", "./" + here])
    twin = os.path.join(p.dir, "twin")
    os.mkdir(twin)
    os.link(p.dump, os.path.join(twin, here))
    kept("a hard link to the input is not replaced", [MIRDC, "compile", here, "--out-dir", "twin", *as_pmir])
    os.remove(os.path.join(twin, here))
    os.symlink(p.dump, os.path.join(twin, here))
    kept("a symbolic link to the input is not replaced", [MIRDC, "compile", here, "--out-dir", "twin", *as_pmir])
    os.remove(os.path.join(twin, here))
    os.symlink("twin", os.path.join(p.dir, "linked"))
    kept("an input reached through a linked folder is not replaced",
         [MIRDC, "compile", here, "--out-dir", "linked/..", *as_pmir])
    lto = os.path.join(p.out, "saxpy.sm_90.ltoir")
    kept("a foreign LTO input that would be overwritten is refused",
         [MIRDC, "compile", here, "--out-dir", "out", "--emit", "ltoir,cubin", "--extern-lto", lto])
    kept("`link` does not write over its input", [MIRDC, "link", lto, "-o", "out/../out/saxpy.sm_90.ltoir"])
    bundle = os.path.join(p.out, "saxpy.mirdc")
    kept("`read --extract` does not write over its input",
         [READ, "out/saxpy.mirdc", "--extract", "manifest", "-o", "./out/../out/saxpy.mirdc"])
    os.symlink(bundle, os.path.join(p.dir, "twin", "b"))
    kept("nor through a link", [READ, "out/saxpy.mirdc", "--extract", "manifest", "-o", "twin/b"])
    shutil.copy(os.path.join(ROOT, "test/e2e/fault_saxpy.rs"), os.path.join(p.dir, "k.rs"))
    os.link(os.path.join(p.dir, "k.rs"), os.path.join(p.dir, "k2.rs"))
    kept("the pass does not write over its source", [PASS, "--out", "k.rs", "k.rs"])
    kept("nor over a hard link to it", [PASS, "--out", "k2.rs", "k.rs"])
    kept("`compile` does not write over Rust source", [MIRDC, "compile", "k.rs", "--emit", "cubin", "-o", "k2.rs"])
    check("the dump is as it was", open(p.dump, "rb").read() == good)


def inner(p):
    """In a mount namespace of our own: small, full and read-only file systems."""
    mnt = os.path.join(p.dir, "mnt")
    os.mkdir(mnt)
    mount = lambda *a: subprocess.run(["mount", *a], check=True)
    mount("-t", "tmpfs", "-o", "size=4k", "none", mnt)
    d = run([MIRDC, "compile", p.dump, "--out-dir", mnt, *COMPILE], env=p.env())
    refused("a full disk is reported", d, "MD0004", "No space left")
    check("and leaves nothing behind", os.listdir(mnt) == [], os.listdir(mnt))
    mount("-o", "remount,size=64k", mnt)
    d = run([MIRDC, "compile", p.dump, "--out-dir", mnt, *COMPILE], env=p.env())
    check("with room it works", d.rc == 0, d)
    before = snapshot(mnt)
    used = sum(os.path.getsize(os.path.join(mnt, n)) // 4096 * 4 + 4 for n in os.listdir(mnt))
    mount("-o", "remount,size=%dk" % (used + 8), mnt)
    d = run([MIRDC, "compile", p.dump, "--out-dir", mnt, *COMPILE, "--fmad", "off"], env=p.env())
    refused("a disk that fills up under the second run is reported", d, "MD0004", "No space left", before, mnt)
    mount("-o", "remount,ro", mnt)
    d = run([MIRDC, "compile", p.dump, "--out-dir", mnt, *COMPILE, "--fmad", "off"], env=p.env())
    refused("a read-only disk is reported", d, "MD0004", "Read-only", before, mnt)
    d = run([MIRDC, "compile", p.dump, "--out-dir", mnt + "/new", *COMPILE], env=p.env())
    refused("a folder on a read-only disk is reported", d, "MD0005", "Read-only", before, mnt)
    d = run([MIRDC, "compile", p.dump, "--out-dir", p.out, "--cache-dir", mnt, *COMPILE], env=p.env())
    check("a read-only cache is a warning and no failure", d.rc == 0 and "MD0450" in d.err, d)
    subprocess.run(["umount", mnt])
    mount("-t", "tmpfs", "-o", "size=8k", "none", mnt)
    d = run([MIRDC, "compile", p.dump, "--out-dir", p.out, "--cache-dir", mnt, *COMPILE], env=p.env())
    check("a full cache is no failure", d.rc == 0, d)
    subprocess.run(["umount", mnt])


def as_nobody(p):
    """Without the powers of root, permissions count."""
    drop = lambda: (os.setgroups([]), os.setgid(65534), os.setuid(65534))
    os.chmod(p.dir, 0o755)
    env = p.env({"MIRDC_CACHE_DIR": "/nonexistent/cache", "HOME": "/nonexistent"})
    os.chmod(p.dump, 0)
    d = run([MIRDC, "compile", p.dump, "--out-dir", p.out], env=env, preexec_fn=drop)
    refused("an unreadable dump is reported", d, "MD0001", "Permission denied") if "cannot execute" not in d.err else None
    os.chmod(p.dump, 0o644)
    os.chmod(p.out, 0o555)
    before = snapshot(p.out)
    d = run([MIRDC, "compile", p.dump, "--out-dir", p.out], env=env, preexec_fn=drop)
    refused("an output folder without permission is reported", d, "MD0004", "Permission denied", before, p.out)
    d = run([MIRDC, "compile", p.dump, "--out-dir", p.dir + "/new"], env=env, preexec_fn=drop)
    refused("a folder that may not be created is reported", d, "MD0005", "Permission denied", before, p.out)


def size_limit(p):
    """A limit on the size of files, as quotas have it, must not end the run by its signal."""
    import resource
    before = snapshot(p.out)
    # The cache is met first, and its failures do not count.
    d = p.compile("--fmad", "off", "--cache-dir", "/proc/none", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)))
    refused("a limit on the size of files is reported", d, "MD0004", "File too large", before, p.out)
    check("and no temporary file is left", leftovers(p.dir) == [], leftovers(p.dir))


def main():
    with Place() as p:
        if INNER:
            return inner(p)
        check("the sound dump compiles", p.compile(*COMPILE).rc == 0)
        sources(p)
        targets(p)
        overlap(p)
        size_limit(p)
        if os.getuid() == 0:
            as_nobody(p)
        ok = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], stderr=subprocess.DEVNULL)
        if ok.returncode != 0:
            print("skipped: no mount namespace here; full and read-only disks are not tested")
            return
    os.environ["FAULT_INNER"] = "1"
    sys.stdout.flush()
    rc = subprocess.run(["unshare", "-rm", sys.executable, os.path.abspath(__file__)]).returncode
    check("the checks on small disks ran to their end", rc == 0, rc)


main()
finish()
