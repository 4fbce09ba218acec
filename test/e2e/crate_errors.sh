#!/bin/bash
# Messages of the macros and traits of the device crate, on the line that is at fault.
. "$(dirname "$0")/crate_common.bash"
while read -r label rustc _; do
  d=$work/$label
  mkdir -p "$d"
  "$rustc" --edition 2021 --crate-type proc-macro --crate-name mirdc_macros \
    "$crates/mirdc-macros/src/lib.rs" --out-dir "$d" -Dwarnings 2>"$work/log" &&
    "$rustc" --edition 2021 --crate-type rlib --crate-name mirdc "$crates/mirdc/src/lib.rs" \
      --emit metadata --out-dir "$d" --extern mirdc_macros="$d/libmirdc_macros.so" \
      --check-cfg 'cfg(mirdc_device)' -Dwarnings 2>>"$work/log" ||
    { not_ok "$label: the crates compile without a warning"; cat "$work/log"; continue; }
  ok "$label: the crates compile without a warning"
  for edition in 2021 2024; do
    python3 - "$label $edition" "$rustc" "$d" "$top/test/e2e/crate_errors/cases.txt" $edition <<'PY' || failed=1
import json, os, re, subprocess, sys
label, rustc, lib, path, edition = sys.argv[1:]
failed = False
for block in open(path, encoding="utf-8").read().split("\n== ")[1:]:
    name, src = block.split("\n", 1)
    # The lines keep their numbers: inner attributes first, then everything on one more line.
    head = "#![allow(dead_code, unused)]\n" if "deny(" not in src else "\n"
    if src.startswith("#!["):
        first, src = src.split("\n", 1)
        head = first + " #![allow(dead_code, unused_imports)]\n"
    lines = (head + "use mirdc::prelude::*; fn main() {}\n" + src).split("\n")
    want = [(i + 1, l.split("//~ ")[1]) for i, l in enumerate(lines) if "//~ " in l]
    file = os.path.join(lib, "case.rs")
    open(file, "w").write("\n".join(lines))
    p = subprocess.run([rustc, "--edition", edition, "--emit", "metadata", "--crate-type", "bin",
                        "--out-dir", lib, "-L", lib, "--error-format", "json", file,
                        "--extern", "mirdc=" + lib + "/libmirdc.rmeta"],
                       capture_output=True, text=True)
    seen = []

    def spans(d):
        for s in d["spans"]:
            while s:
                yield s["line_start"], s["line_end"]
                s = s["expansion"]["span"] if s["expansion"] else None

    for line in p.stderr.splitlines():
        d = json.loads(line)
        if d.get("level") in ("error", "warning"):
            at = {n for a, b in spans(d) for n in range(a, b + 1)}
            texts = [d["message"]] + [c["message"] for c in d["children"]] \
                + [s["label"] or "" for s in d["spans"]]
            seen.append((at, "\n".join(texts)))
    missing = [(n, w) for n, w in want
               if not any(w.lstrip("^") in t and (w[0] == "^" or n in at) for at, t in seen)]
    good = p.returncode != 0 and want and not missing
    print("ok " if good else "not ok ", label, ": ", name, sep="")
    if not good:
        failed = True
        print("  missing:", missing)
        for at, t in seen:
            print("  at", sorted(at), t.replace("\n", "\n    "))
sys.exit(failed)
PY
  done
done < <(toolchains)
exit $failed
