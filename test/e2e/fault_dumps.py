"""Damaged and hostile dumps through `mirdc compile`: one coded message, status 1, and the artifacts of
the run before stay as they are, their times too. `mirdc check` has test/e2e/pmir_hostile.py."""
import json, os, random, resource, sys
from fault_lib import *

BIG = 200_000_000


def cut_everywhere(p, good, before):
    """A dump that stops anywhere is refused; none of the places is special."""
    rng = random.Random(7)
    places = sorted({0, 1, 2, len(good.rstrip()) - 1, len(good) // 2} | {rng.randrange(len(good.rstrip())) for _ in range(60)})
    bad = []
    for n in places:
        with open(p.dump, "wb") as f:
            f.write(good[:n])
        d = p.compile("--emit", "bundle,record,nvvm,pmir")
        if not (d.rc == 1 and len(d.codes) == 1 and d.errors == 1 and d.out == "" and snapshot(p.out) == before):
            bad.append((n, str(d)))
    check("a dump cut at %d places is refused each time" % len(places), not bad, bad[:3])


def flipped(p, good, before):
    """Any single changed byte: compiled or refused, never a crash; refused leaves the old files."""
    rng = random.Random(11)
    bad, refusals, rounds = [], 0, 150
    for i in range(rounds):
        at = rng.randrange(len(good))
        with open(p.dump, "wb") as f:
            f.write(good[:at] + bytes([rng.randrange(256)]) + good[at + 1:])
        d = run([MIRDC, "compile", p.dump, "--out-dir", p.out + "2", "--emit", "nvvm,pmir"], env=p.env())
        refusals += d.rc == 1
        if not (d.rc == 0 or (d.rc == 1 and d.codes and d.out == "")):
            bad.append((at, str(d)))
    check("%d single changed bytes never crash the compiler" % rounds, not bad, bad[:3])
    check("most of them are refused", refusals > rounds / 2, refusals)
    check("the other folder is untouched", snapshot(p.out) == before)


def replaced(p, good, before, name, code, words, old, new, count=1):
    assert old in good, name
    with open(p.dump, "wb") as f:
        f.write(good.replace(old, new, count))
    refused(name, p.compile(), code, words, before, p.out)


def written(p, before, name, data, code, words=""):
    with open(p.dump, "wb") as f:
        f.write(data)
    refused(name, p.compile(), code, words, before, p.out)


def small():
    with Place("saxpy") as p:
        with open(p.dump, "rb") as f:
            good = f.read()
        first = p.compile("--emit", "bundle,record,nvvm,pmir")
        check("the sound dump compiles", first.rc == 0, first)
        before = snapshot(p.out)
        written(p, before, "an empty dump is refused", b"", "MD0200", "empty")
        written(p, before, "random bytes are refused", random.Random(3).randbytes(5000), "MD0200")
        written(p, before, "deep nesting is refused", b'{"schema":' + b"[" * 200000, "MD0200", "deeper")
        written(p, before, "text that is not UTF-8 is refused", good.replace(b"saxpy", b"sax\xffy", 1), "MD0200", "UTF-8")
        replaced(p, good, before, "a newer version is refused by its number", "MD0202", "9", b'"version":1', b'"version":9')
        replaced(p, good, before, "an unknown capability is refused by its name", "MD0203", "time-travel",
                 b'"requires":[', b'"requires":["time-travel"' + (b"," if b'"requires":[]' not in good else b""))
        replaced(p, good, before, "a doubled key is refused", "MD0200", "twice", b'"version":1', b'"version":1,"version":1')
        for key in ("overflow_checks", "debug_assertions"):
            d = json.loads(good)
            del d["unit"][key]
            written(p, before, "a dump that does not state `%s` is refused" % key, json.dumps(d).encode(), "MD0205", key)
        cut_everywhere(p, good, before)
        flipped(p, good, before)
    with Place("valid") as p:
        with open(p.dump, "rb") as f:
            good = f.read()
        check("the second sound dump compiles", p.compile("--emit", "nvvm").rc == 0)
        before = snapshot(p.out)
        replaced(p, good, before, "an array of 2^64-1 elements is refused", "MD0210", "", b'"len":4', b'"len":18446744073709551615')
        replaced(p, good, before, "a size of 2^64 is refused", "MD0201", "", b'"size":16', b'"size":18446744073709551616')
        replaced(p, good, before, "a type that holds itself is refused", "MD0211", "",
                 b'{"name":"next","ty":26', b'{"name":"next","ty":25')
    no_kernel()


def no_kernel():
    with Place("saxpy") as p:
        d = json.load(open(p.dump))
        d["kernels"] = []
        with open(p.dump, "w") as f:
            json.dump(d, f)
        refused("a dump without a kernel is refused", p.compile(), "MD0019", "no kernel")
        check("and no output folder is made", not os.path.exists(p.out))


def limited(p, name, limit, *args):
    def set_limit():
        if not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return run(p.argv(*args), env=p.env(), preexec_fn=set_limit, timeout=300)


def big():
    with Place("saxpy") as p:
        check("the sound dump compiles", p.compile("--emit", "nvvm").rc == 0)
        before = snapshot(p.out)
        limit = 5 * BIG + 400_000_000
        for name, head, part in (("brackets", b"", b"[" * 1000), ("spaces", b"", b" " * 1000),
                                 ("one string", b'{"schema":"', b"x" * 1000),
                                 ("one array of numbers", b'{"schema":"pmir","version":1,"requires":[', b"1234567," * 125)):
            with open(p.dump, "wb") as f:
                f.write(head)
                for _ in range(BIG // len(part)):
                    f.write(part)
            d = limited(p, name, limit)
            ok = d.rc == 1 and d.codes == ["MD0200"] and len(d.err) < 4000 and snapshot(p.out) == before
            check("200 MB of %s are refused in bounded memory" % name, ok, d)
        with open(p.dump, "wb") as f:
            f.truncate((4 << 30) + 1)
        refused("a dump of more than 4 GiB is refused unread", p.compile(), "MD0003", "too large", before, p.out)


(big if sys.argv[1:] == ["big"] else small)()
finish()
