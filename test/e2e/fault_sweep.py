"""MIRDC_FAULT makes the n-th open, write, sync, rename, lock, spawn or allocation fail, for every n until none
is met. The run ends with status 0 or 1 (101 without memory), never by a signal; a run that failed has changed
no artifact, and the next run works. `sweep.py all` also goes through the allocations and the pass."""
import concurrent.futures, os, sys
from fault_lib import *

EVERY = ("--emit", "pmir,nvvm,ltoir,cubin,bundle,record")


def sweep(p, site, args, numbers, allowed, fresh_cache):
    """Returns how many n met a failure that was reported, and what went wrong."""
    bad, failed = [], 0
    before = snapshot(p.out)

    def one(n):
        # A place of its own, so that sweeps can run side by side.
        out, cache = os.path.join(p.dir, "out%s%d" % (site, n)), os.path.join(p.dir, "cache%s%d" % (site, n))
        shutil.copytree(p.out, out)
        if not fresh_cache:
            shutil.copytree(p.cache, cache)
        was = snapshot(out)
        argv = [MIRDC, "compile", p.dump, "--out-dir", out, "--cache-dir", cache, *args]
        d = run(argv, env=p.env({"MIRDC_FAULT": "%s:%d" % (site, n)}))
        now = snapshot(out)
        temps, left = leftovers(out), {k: v for k, v in now.items() if not TEMP.search(k)}
        why = None
        if d.rc not in allowed:
            why = "status"
        elif d.rc == 1 and (not d.codes or d.out != ""):
            why = "no code"
        elif d.rc == 1 and (left != was or temps):
            why = "artifacts changed"
        elif d.rc == 101 and any(k in was and v[0] not in (was[k][0], p.new.get(k)) for k, v in left.items()):
            why = "artifact damaged"
        if why is None and n % 7 == 1:
            d2 = run(argv, env=p.env())
            if d2.rc != 0 or snapshot(out, False).keys() != was.keys() or leftovers(out):
                why, d = "the next run", d2
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(cache, ignore_errors=True)
        return d.rc, why and (n, why, str(d))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for rc, why in pool.map(one, numbers):
            failed += rc != 0
            if why:
                bad.append(why)
    if snapshot(p.out) != before:
        bad.append("the sweep's own folder changed")
    return failed, bad


def prepare(p, *change):
    """Artifacts of an earlier run with other options, so that a half written set would show."""
    d = p.compile(*EVERY, "--fmad", "off")
    check("the run before is sound", d.rc == 0, d)
    probe = os.path.join(p.dir, "probe")
    d = run([MIRDC, "compile", p.dump, "--out-dir", probe, *EVERY, *change], env=p.env())
    check("a run without a fault is sound", d.rc == 0, d)
    p.new = {k: v[0] for k, v in snapshot(probe).items()}
    shutil.rmtree(probe)


def fast():
    with Place("two_kernels") as p:
        prepare(p)
        # One more than there are: the last ones must succeed, so the range is known to be complete.
        for site, most, least in (("open", 34, 7), ("write", 15, 6), ("sync", 15, 6), ("rename", 15, 6), ("lock", 3, 1)):
            failed, bad = sweep(p, site, EVERY, range(1, most + 1), (0, 1), False)
            check("each failing %s leaves the old artifacts (%d of %d runs failed)" % (site, failed, most),
                  not bad and least <= failed < most, bad[:3])
        failed, bad = sweep(p, "write", EVERY, range(1, 60, 4), (0, 1), True)
        check("failing writes with an empty cache leave the old artifacts (%d runs failed)" % failed, not bad, bad[:3])
        failed, bad = sweep(p, "alloc", EVERY, [1, 2, 3, 5, 9, 17, 33, 65, 129, 257, 300], (0, 101), False)
        check("failing allocations end with 101 (%d runs failed)" % failed, not bad and failed > 5, bad[:3])


def everything():
    with Place("two_kernels") as p:
        prepare(p)
        failed, bad = sweep(p, "alloc", EVERY, range(1, 600, 3), (0, 101), False)
        check("failing allocations end with 101 (%d runs failed)" % failed, not bad and failed > 60, bad[:3])
        failed, bad = sweep(p, "alloc", EVERY, range(1, 900, 11), (0, 101), True)
        check("the same with an empty cache (%d runs failed)" % failed, not bad and failed > 15, bad[:3])
        for site in ("write", "rename"):
            failed, bad = sweep(p, site, EVERY, range(1, 80), (0, 1), True)
            check("each failing %s with an empty cache (%d runs failed)" % (site, failed), not bad and failed < 79, bad[:3])
    others()
    source = os.path.join(ROOT, "test/e2e/fault_saxpy.rs")
    with Place("saxpy") as p:
        p.dump = os.path.join(p.dir, "saxpy.rs")
        shutil.copy(source, p.dump)
        prepare(p)
        for site, numbers, allowed in (("spawn", range(1, 9), (0, 1)), ("open", range(1, 50, 2), (0, 1)), ("write", range(1, 20), (0, 1)),
                                       ("alloc", range(1, 1200, 60), (0, 1, 101))):
            failed, bad = sweep(p, site, EVERY, numbers, allowed, False)
            check("each failing %s of a run with the pass (%d runs failed)" % (site, failed), not bad and failed, bad[:3])


def others():
    """The other commands that write a file, and the pass alone."""
    with Place() as p:
        check("the artifacts to work on", p.compile("--emit", "bundle,ltoir").rc == 0)
        at = lambda *n: os.path.join(p.dir, *n)
        for name, out, argv in (("link", at("x.cubin"), [MIRDC, "link", at("out", "saxpy.sm_90.ltoir"), "-o", at("x.cubin")]),
                                ("extract", at("y.cubin"), [READ, at("out", "saxpy.mirdc"), "-x", "cubin", "-o", at("y.cubin")]),
                                ("the pass", at("z.json"), [PASS, "--out", at("z.json"), os.path.join(ROOT, "test/e2e/fault_saxpy.rs")])):
            check("%s works without a fault" % name, run(argv, env=p.env()).rc == 0)
            want = snapshot(p.dir)[os.path.basename(out)]
            for site in ("open", "write", "sync", "rename", "lock", "spawn"):
                bad = []
                for n in range(1, 9):
                    d = run(argv, env=p.env({"MIRDC_FAULT": "%s:%d" % (site, n)}))
                    now = snapshot(p.dir)[os.path.basename(out)]
                    if d.rc not in (0, 1) or (d.rc == 1 and (not d.codes or now != want)) or now[0] != want[0] or leftovers(p.dir):
                        bad.append((n, str(d)))
                    want = now
                check("%s: a failing %s leaves the old file" % (name, site), not bad, bad[:2])


(everything if sys.argv[1:] == ["all"] else fast)()
finish()
