"""Looks at a dump of kernels.rs. Arguments: FILE MODE."""
import json, sys

d = json.load(open(sys.argv[1]))
mode = sys.argv[2]
unit = d["unit"]
kernels = {k["name"]: k for k in d["kernels"]}
fns = d["fns"]
types = d["types"]


def code(name):
    return json.dumps(fns[kernels[name]["fn"]]["blocks"])


assert unit["crate"] == "kernels" and unit["edition"] == "2024", unit
assert d["files"][0]["path"] == "kernels.rs" and len(d["files"][0]["sha256"]) == 64
assert all(not f["path"].startswith("/") for f in d["files"])

if mode == "entry":
    assert sorted(kernels) == ["hidden", "run", "tiled"], sorted(kernels)
    k = kernels["run"]
    assert k["protocol"] == 0 and k["path"] == "kernels::inner::plain", k
    assert [p["name"] for p in k["params"]] == ["a", "b", "result"]
    assert [p["pass"] for p in k["params"]] == ["scalar", "aggregate", "pointer"], k
    sys.exit(0)

dev = mode == "dev"
assert unit["overflow_checks"] == dev and unit["debug_assertions"] == dev, unit
assert unit["opt_level"] == ("0" if dev else "3")
assert unit["features"] == ([] if dev else ["wide"])
assert sorted(kernels) == ["hidden", "tiled"]

t = kernels["tiled"]
assert t["launch"] == {"block": [32, 2, 1], "min_blocks": 2,
                       "dynamic_shared": {"bytes": 1024, "align": t["launch"]["dynamic_shared"]["align"]}}, t
assert [p["pass"] for p in t["params"]] == ["aggregate", "slice", "slice"]
fields = {f["name"]: f for f in t["params"][0]["fields"]}
assert sorted(fields) == ["by", "times", "unused"] and fields["unused"]["size"] == 8
assert kernels["hidden"]["launch"] == {"max_block": 256}
assert t["path"].endswith("::tiled") and t["span"] is not None

spaces = {s["name"].split("::")[-1]: s for s in d["statics"]}
assert spaces["TILE"]["space"] == "shared" and spaces["TILE"]["alloc"] is None
assert spaces["SCALE"]["space"] == "const" and spaces["SCALE"]["host_visible"]
assert spaces["TABLE"]["space"] == "global" and not spaces["TABLE"]["mut"]
table = d["allocs"][spaces["TABLE"]["alloc"]]
assert table["bytes"] == "0700050003000100", table
names = d["allocs"][spaces["NAMES"]["alloc"]]
assert [r[:2] for r in names["relocs"]] == [[0, "alloc"], [16, "alloc"]], names

ptx = [b[1] for b in fns[kernels["hidden"]["fn"]]["blocks"] if b[1][0] == "ptx"]
assert len(ptx) == 1 and ptx[0][1] == "add.u32 $0, $1, $2; // $$ {}", ptx
assert [o[:2] for o in ptx[0][2]] == [["out", "r"], ["in", "r"], ["in", "r"]]
traps = [b[1] for b in fns[kernels["hidden"]["fn"]]["blocks"] if b[1][0] == "trap"]
assert [x[1:3] for x in traps] == [["panic", "nine is not allowed"]], traps

exports = [f for f in fns if f.get("export")]
assert [f["symbol"] for f in exports] == ["sum"] and exports[0]["abi"] == "c"
assert ("add_overflow" in json.dumps(exports[0]["blocks"])) == dev
assert '"Mul"' in json.dumps(exports[0]["blocks"]) or dev
assert "Arguments" not in json.dumps([x["name"] for x in types])
symbols = {x["symbol"] for x in d["externs"]}
assert "__mirdc_barrier" in symbols and code("tiled").count('"ext"') > 5
