#!/usr/bin/env python3
"""Foreign dumps whose trees are damaged: each is refused with a code, or taken; nothing crashes, hangs or fails without
a word. The damage depends on the seed alone. --keep DIR writes the damaged dumps instead of running them."""
import copy, json, os, random, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MIRDC = os.path.join(os.environ.get("BUILD", os.path.join(HERE, "..", "..", "build")), "bin", "mirdc")
CORPUS = os.path.join(HERE, "..", "fuzz", "corpus", "smir")
FILES = {"root.json": ["--export", "root", "--entry", "nothing"], "a_kernel.json": ["--entry", "scale"]}
WORDS = ["Deref", "Field", "Tuple", "Return", "Not", "Mut", "", "Single", "Direct", "ZeroSized", "Add", "Cmp", "Unsize"]
NUMBERS = [0, 1, 2, 3, 7, 64, 255, 4294967295, 4294967296, 2**63, 2**64 - 1, 2**64, -1, 1.5, 10**30]


def nodes(tree, out, depth=0):
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for k, v in items:
        out.append((tree, k, depth))
        if isinstance(v, (dict, list)):
            nodes(v, out, depth + 1)


def damage(tree, rng):
    out = []
    nodes(tree, out)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        parent, key, _ = rng.choice(out)
        try:
            old = parent[key]
        except (KeyError, IndexError):
            continue
        how = rng.randrange(9)
        if how == 0 and isinstance(parent, dict):
            del parent[key]
        elif how == 1 and isinstance(parent, list):
            parent.insert(key, copy.deepcopy(old))
        elif how == 2 and isinstance(parent, list):
            del parent[key]
        elif how == 3:
            parent[key] = None
        elif how == 4 and isinstance(old, int) or how == 5 and isinstance(old, int):
            parent[key] = rng.choice([old + 1, old - 1, old * 2] + NUMBERS)
        elif how == 6:
            parent[key] = rng.choice(WORDS)
        elif how == 7:
            other = rng.choice(out)
            try:
                parent[key] = copy.deepcopy(other[0][other[1]])
            except (KeyError, IndexError):
                pass
        else:
            parent[key] = rng.choice(NUMBERS)


def main():
    count = int(os.environ.get("COUNT", "250"))
    keep = sys.argv[2] if sys.argv[1:2] == ["--keep"] else None
    bad = refused = 0
    for name, args in FILES.items():
        with open(os.path.join(CORPUS, name), encoding="utf-8") as f:
            whole = json.load(f)
        for seed in range(count):
            tree = copy.deepcopy(whole)
            damage(tree, random.Random("%s %d" % (name, seed)))
            text = json.dumps(tree)
            if keep:
                with open(os.path.join(keep, "%s-%d" % (name, seed)), "w", encoding="utf-8") as f:
                    f.write(text)
                continue
            with tempfile.TemporaryDirectory() as work:
                path = os.path.join(work, "d.smir.json")
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                p = subprocess.run([MIRDC, "check", path, "-q"] + args, capture_output=True, text=True, timeout=60)
            refused += p.returncode == 1
            if p.returncode not in (0, 1) or (p.returncode == 1 and "error[MD" not in p.stderr):
                bad += 1
                print("not ok %s seed %d: status %d\n%s" % (name, seed, p.returncode, p.stderr[-2000:]))
    if not keep:
        print("%s damaged foreign dumps: %d, refused %d" % ("not ok" if bad or not refused else "ok", count * len(FILES), refused))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
