"""SIGKILL at random moments. After each the artifacts are whole files of the old or the new run, a reader takes
them, and what the killed run left is gone after the next one. `fault_kill.py all` kills the pass as well."""
import os, random, signal, subprocess, sys, time
from fault_lib import *

EVERY = ("--emit", "pmir,nvvm,ltoir,cubin,bundle,record")


def digests(folder):
    return {k: v[0] for k, v in snapshot(folder).items() if not TEMP.search(k)}


def kills(p, name, target, seed):
    """Old and new differ in --fmad; every file must be one of the two, at all times."""
    rng = random.Random(seed)
    sets = []
    for fmad in ("off", "on"):
        d = p.compile(*EVERY, "--fmad", fmad)
        check("%s: the run with --fmad %s is sound" % (name, fmad), d.rc == 0, d)
        sets.append(digests(p.out))
    t0 = time.monotonic()
    p.compile(*EVERY, "--fmad", "off")
    warm = time.monotonic() - t0
    bad, killed, saw_temp, mixed, i = [], 0, 0, 0, -1
    while killed < target and i < 4 * target:
        i += 1
        fmad = ("on", "off")[i % 2]
        # Half of them aim at the end, where the files are written.
        after = rng.uniform(0, warm) if i % 4 < 2 else rng.uniform(0.6 * warm, warm)
        argv = p.argv(*EVERY, "--fmad", fmad)
        child = subprocess.Popen(argv, env=p.env(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(after)
        child.poll() is None and os.killpg(child.pid, signal.SIGKILL)
        rc = child.wait()
        killed += rc == -signal.SIGKILL
        # The machine may have become faster since the last measurement, or slower.
        warm *= 0.9 if rc == 0 else 1.02
        now = digests(p.out)
        saw_temp += bool(leftovers(p.out))
        if now.keys() != sets[0].keys() or any(v not in (sets[0][k], sets[1][k]) for k, v in now.items()):
            bad.append((i, "a file is of neither run", now))
        mixed += now not in sets
        d = run([READ] + [os.path.join(p.out, n) for n in now if n.endswith((".mirdc", ".cubin", ".record.json"))],
                env=p.env())
        if d.rc != 0:
            bad.append((i, "the reader", str(d)))
        if i % 5 == 4:
            d = p.compile(*EVERY, "--fmad", fmad)
            if d.rc != 0 or digests(p.out) != sets[i % 2 == 0] or leftovers(p.out):
                bad.append((i, "the next run", str(d), leftovers(p.out)))
    print("   %d of %d runs killed, %d left temporary files, %d between two sets" % (killed, i + 1, saw_temp, mixed))
    check("%s: %d kills leave whole artifacts" % (name, killed), not bad and killed == target, bad[:3])
    check("%s: the last run leaves nothing else" % name, p.compile(*EVERY).rc == 0 and not leftovers(p.dir), leftovers(p.dir))


def main():
    everything = sys.argv[1:] == ["all"]
    with Place("two_kernels") as p:
        kills(p, "warm cache", 100 if everything else 45, 5)
    if everything:
        with Place("two_kernels") as p:
            plain = p.argv
            p.argv = lambda *a: plain(*a) + ["--cache-dir", "/proc/none"]
            kills(p, "no cache", 30, 9)
        with Place("saxpy") as p:
            p.dump = os.path.join(p.dir, "saxpy.rs")
            shutil.copy(os.path.join(ROOT, "test/e2e/fault_saxpy.rs"), p.dump)
            os.mkdir(os.path.join(p.dir, "tmp"))
            os.environ["TMPDIR"] = os.path.join(p.dir, "tmp")
            kills(p, "with the pass", 20, 13)


main()
finish()
