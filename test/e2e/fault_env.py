"""Odd surroundings: closed streams, few descriptors, no home, no temporary folder, no rustc, signals that ask to end.
Coded messages or success, never a crash, and artifacts as they were."""
import fcntl, os, resource, shutil, signal, subprocess, sys, time
from fault_lib import *

RS = os.path.join(ROOT, "test/e2e/fault_saxpy.rs")


def streams(p, want):
    """With a stream closed its number is free; no artifact may get what was meant for it."""
    for shut in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        shutil.rmtree(p.out, ignore_errors=True)
        d = run(["sh", "-c", '"$@" ' + shut, "sh"] + p.argv("-v", "--emit", "bundle,record,cubin"), env=p.env())
        check("with %s the artifacts are the same" % shut, d.rc in (0, 1) and snapshot(p.out, False) == want, d)
    with open(p.dump + ".bad", "w") as f:
        f.write("{")
    d = run(["sh", "-c", '"$@" 2>&-', "sh", MIRDC, "check", p.dump + ".bad"], env=p.env())
    check("a problem that cannot be told is status 1 still", d.rc == 1, d)


def descriptors(p):
    before = snapshot(p.out)
    bad, failed = [], 0
    for n in list(range(3, 16)) + [20, 30, 64]:
        d = p.compile("--fmad", "off", "--emit", "bundle,record,cubin", "--out-dir", p.out + str(n),
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
        failed += d.rc != 0
        # Without a single descriptor not even the program's libraries can be opened (127, by the loader).
        if not (d.rc == 0 or d.rc == 127 or (d.rc == 1 and len(d.codes) >= 1)) or CRASHED(d.rc):
            bad.append((n, str(d)))
        if d.rc != 0 and os.path.exists(p.out + str(n)) and os.listdir(p.out + str(n)):
            bad.append((n, os.listdir(p.out + str(n))))
    check("few descriptors never crash it (%d of 16 runs failed)" % failed, not bad and 0 < failed < 16, bad[:3])
    check("and change nothing", snapshot(p.out) == before)


def homes(p):
    env = p.env()
    for k in ("HOME", "XDG_CACHE_HOME", "MIRDC_CACHE_DIR"):
        env.pop(k, None)
    out = p.out + "-h"
    d = run([MIRDC, "compile", p.dump, "--out-dir", out], env=env)
    check("without a home it works, with a warning about the cache", d.rc == 0 and "MD0450" in d.err, d)
    env.update(HOME="relative", XDG_CACHE_HOME="also/relative")
    d = run([MIRDC, "compile", p.dump, "--out-dir", out], env=env, cwd=p.dir)
    check("relative homes are not used", d.rc == 0 and not os.path.exists(os.path.join(p.dir, "also")), d)
    d = run([MIRDC, "compile", p.dump, "--out-dir", out], env={})
    check("an empty environment does for a dump", d.rc in (0, 1) and (d.rc == 0 or d.codes == ["MD0400"]), d)


def temporary(p):
    before = snapshot(p.out)
    source = ["compile", RS, "--out-dir", p.out]
    d = run([MIRDC] + source, env=p.env({"TMPDIR": p.dir + "/nowhere"}))
    refused("a temporary folder that is nowhere is reported", d, "MD0005", "nowhere", before, p.out)
    d = run([MIRDC] + source, env=p.env({"TMPDIR": p.dump}))
    refused("a temporary folder that is a file is reported", d, "MD0005", "Not a directory", before, p.out)
    tmp = os.path.join(p.dir, "tmp")
    os.mkdir(tmp)
    no_rustc = os.path.join(p.dir, "path")
    os.mkdir(no_rustc)
    d = run([MIRDC] + source, env=p.env({"TMPDIR": tmp, "PATH": no_rustc}))
    refused("without rustc it says so", d, "MD0140", "", before, p.out)
    with open(no_rustc + "/rustc", "w") as f:
        f.write("#!/bin/sh\necho a bad day >&2\nexit 3\n")
    os.chmod(no_rustc + "/rustc", 0o755)
    d = run([MIRDC] + source, env=p.env({"TMPDIR": tmp, "PATH": no_rustc + ":/usr/bin:/bin", "RUSTC": ""}))
    refused("a rustc that fails is quoted", d, "MD0140", "a bad day", before, p.out)
    d = run([MIRDC] + source, env=p.env({"TMPDIR": tmp}))
    check("with both it works", d.rc == 0, d)
    check("and the temporary folder is empty after all of these", os.listdir(tmp) == [], os.listdir(tmp))


def asked_to_end(p):
    """SIGTERM and SIGINT to mirdc alone: the pass is told, and the temporary folder goes."""
    before = snapshot(p.out)
    tmp = os.path.join(p.dir, "tmp2")
    os.mkdir(tmp)
    for sig, wait in ((signal.SIGTERM, 0.1), (signal.SIGINT, 0.05), (signal.SIGTERM, 0.2), (signal.SIGTERM, 0.02)):
        argv = [MIRDC, "compile", RS, "--out-dir", p.out, "--cache-dir", "/proc/none", "--fmad", "off"]
        child = subprocess.Popen(argv, env=p.env({"TMPDIR": tmp}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        for _ in range(2000):
            if os.listdir(tmp):
                break
            time.sleep(0.005)
        time.sleep(wait)
        child.send_signal(sig)
        out, err = child.communicate(timeout=60)
        rc = child.returncode
        said = err.decode()
        name = "%s after %d ms" % (sig.name, 1000 * wait)
        check("%s ends a run with the pass" % name, rc == 1 and said.count("MD0008") == 1, "%s %s" % (rc, said))
        check("%s leaves the artifacts" % name, snapshot(p.out) == before)
    left = [os.path.relpath(os.path.join(r, n), tmp) for r, _, names in os.walk(tmp) for n in names]
    check("no temporary folder is left", os.listdir(tmp) == [], left[:10])


def asked_at_any_stage(p):
    """Either the run is told to end and changes nothing, or it has published all and the signal comes too late."""
    sets = []
    for fmad in ("off", "on"):
        t0 = time.monotonic()
        d = p.compile("--fmad", fmad, "--cache-dir", "/proc/none")
        took = time.monotonic() - t0
        check("the sound run with --fmad %s" % fmad, d.rc == 0, d)
        sets.append(snapshot(p.out, False))
    bad, ended = [], 0
    for i in range(24):
        form = ("human", "json")[i % 2]
        argv = p.argv("--fmad", ("off", "on")[i // 2 % 2], "--cache-dir", "/proc/none", "--message-format", form)
        before = snapshot(p.out, False)
        child = subprocess.Popen(argv, env=p.env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        time.sleep(0.03 + (took if i < 20 else 0) * i / 20)
        child.send_signal((signal.SIGTERM, signal.SIGINT)[i // 4 % 2])
        out, err = (t.decode() for t in child.communicate(timeout=60))
        rc, now = child.returncode, snapshot(p.out, False)
        ended += rc == 1
        told = err.count("error[MD0008]") if form == "human" else out.count('"MD0008"')
        if not (rc == 1 and told == 1 and now == before or rc == 0 and told == 0 and now == sets[i // 2 % 2]):
            bad.append((i, rc, out, err, now == before))
    check("a signal at any stage is told, or too late (%d of 24 ended)" % ended, not bad and 4 <= ended, bad[:3])
    check("and nothing temporary is left", not leftovers(p.dir), leftovers(p.dir))


def asked_while_waiting(p):
    """Where something temporary is held: another run keeps the folder, and a signal comes meanwhile."""
    before = snapshot(p.out)
    folder = os.open(p.out, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    child = subprocess.Popen(p.argv("--fmad", "off"), env=p.env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    waits = lambda: any(os.readlink("/proc/%d/fd/%s" % (child.pid, n)) == p.out
                        for n in os.listdir("/proc/%d/fd" % child.pid))
    for _ in range(4000):
        try:
            if child.poll() is not None or waits():
                break
        except OSError:
            pass  # a descriptor was closed in between
        time.sleep(0.005)
    child.send_signal(signal.SIGTERM)
    out, err = (t.decode() for t in child.communicate(timeout=60))
    os.close(folder)
    ok = child.returncode == 1 and err.count("error") == 1 and "error[MD0008]" in err
    check("a run that waits for a folder can be ended", ok and snapshot(p.out) == before, "%s %s" % (child.returncode, err))
    argv = ["sh", "-c", 'trap "" TERM; exec "$@"', "sh"] + p.argv("--fmad", "off", "--cache-dir", "/proc/none")
    child = subprocess.Popen(argv, env=p.env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.1)
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=60)
    check("a signal that was ignored before stays so", child.returncode == 0, child.returncode)


def main():
    with Place() as p:
        d = p.compile("--emit", "bundle,record,cubin")
        check("the sound run", d.rc == 0, d)
        want = snapshot(p.out, False)
        streams(p, want)
        descriptors(p)
        homes(p)
        temporary(p)
        asked_to_end(p)
        asked_at_any_stage(p)
        asked_while_waiting(p)


main()
finish()
