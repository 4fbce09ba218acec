#!/usr/bin/env python3
"""Golden cases of the command line.

A case is a folder test/golden/AREA/CASE/ with
  cmd      one line, split like a shell would but run without one; programs of build/bin by name;
           further lines: KEY=VALUE adds to the environment
  stdout, stderr, exit   what is expected; a missing file means empty, or 0
and any input files. The case runs in a private copy of its folder. `golden.py --update [AREA/CASE]`
rewrites the expectations; look at the diff before committing it.
"""
import os, re, shlex, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "golden")
EXPECT = ("stdout", "stderr", "exit")


def normalise(text, work, build):
    text = text.replace(work, "<DIR>").replace(build, "<BUILD>")
    text = text.replace(os.path.dirname(HERE), "<SRC>")
    text = re.sub(r"\b[0-9a-f]{64}\b", "<SHA256>", text)
    text = re.sub(r"/tmp/mirdc-[A-Za-z0-9]{6}", "<TMP>", text)
    text = re.sub(r"\b\d+(\.\d+)? ms\b", "<TIME>", text)
    return text


def cases():
    for area in sorted(os.listdir(ROOT)) if os.path.isdir(ROOT) else []:
        for case in sorted(os.listdir(os.path.join(ROOT, area))):
            if os.path.exists(os.path.join(ROOT, area, case, "cmd")):
                yield area + "/" + case


def read(path, default=""):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return default


def run_case(name, build):
    """Returns {stdout, stderr, exit} as normalised text."""
    src = os.path.join(ROOT, name)
    lines = read(os.path.join(src, "cmd")).strip().split("\n")
    work = tempfile.mkdtemp(prefix="golden-")
    try:
        shutil.copytree(src, work, dirs_exist_ok=True, symlinks=True,
                        ignore=shutil.ignore_patterns("cmd", *EXPECT))
        env = dict(os.environ, PATH=os.path.join(build, "bin") + ":" + os.environ["PATH"],
                   NO_COLOR="1", LC_ALL="C.UTF-8", XDG_CACHE_HOME=os.path.join(work, ".cache"))
        for line in lines[1:]:
            key, _, value = line.partition("=")
            env[key] = value.replace("$SRC", os.path.dirname(HERE))
        argv = [a.replace("$SRC", os.path.dirname(HERE)) for a in shlex.split(lines[0])]
        argv[0] = shutil.which(argv[0], path=env["PATH"]) or argv[0]
        p = subprocess.run(argv, cwd=work, env=env, stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=300)
        got = {"stdout": p.stdout.decode("utf-8", "replace"),
               "stderr": p.stderr.decode("utf-8", "replace"), "exit": str(p.returncode) + "\n"}
        return {k: normalise(v, work, build) for k, v in got.items()}
    finally:
        shutil.rmtree(work, ignore_errors=True)


def check_case(name, build):
    """None when it passes, otherwise a text that shows the difference."""
    import difflib
    got = run_case(name, build)
    out = []
    for k in EXPECT:
        want = read(os.path.join(ROOT, name, k), "0\n" if k == "exit" else "")
        if got[k].strip() != want.strip():
            out += difflib.unified_diff(want.splitlines(), got[k].splitlines(),
                                        "expected " + k, "got " + k, lineterm="")
    return "\n".join(out) if out else None


def update(names, build):
    for name in names:
        for k, v in run_case(name, build).items():
            path = os.path.join(ROOT, name, k)
            if v.strip() in (("0",) if k == "exit" else ("",)):
                if os.path.exists(path):
                    os.remove(path)
            else:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(v)
        print("updated", name)


def main():
    args = sys.argv[1:]
    build = os.path.abspath(os.environ.get("BUILD", os.path.join(os.path.dirname(HERE), "build")))
    if args and args[0] == "--update":
        return update(args[1:] or list(cases()), build)
    failed = passed = 0
    for name in args or cases():
        why = check_case(name, build)
        if why is None:
            passed += 1
        else:
            failed += 1
            print("FAIL golden", name, "\n" + why)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
