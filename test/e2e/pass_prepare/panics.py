"""The reasons for which the functions of panics.rs stop. Argument: the dump."""
import json, sys

WANT = {
    "equal": ["panic", "assertion `left == right` failed"],
    "differ": ["panic", "assertion `left != right` failed"],
    "never": ["panic", "internal error: entered unreachable code: no {} here"],
    "wanted": ["panic", "a number"],
    "unwrapped": ["panic", "called `Option::unwrap()` on a `None` value"],
    "strict": ["add_overflow", ""],
    "range": ["bounds", "slice range out of bounds"],
    "element": ["bounds", None],
    "divided": ["div_zero", None],
}
d = json.load(open(sys.argv[1]))
seen = {}
for f in d["fns"]:
    for _, term in f["blocks"]:
        if term[0] == "trap":
            seen.setdefault(f["name"], []).append(term[1:3])
        elif term[0] == "assert":
            seen.setdefault(f["name"], []).append([term[3], None])
for name, want in WANT.items():
    assert want in seen.get(name, []), (name, want, seen.get(name))
    assert all(s == want for s in seen[name]), (name, seen[name])
