#!/usr/bin/env python3
"""Runs all tests in parallel and closes with "N passed, N failed".

Kinds: unit programs (each cmocka test counts), golden cases, replays of the fuzz corpora, scripts
in test/e2e (a script prints "ok NAME" or "not ok NAME" for each check; one without such lines
counts once), and the checks of the source tree in test/lint.py. A script whose head holds
"# slow" is left out by --fast. --only TEXT runs what has TEXT in its name.
"""
import argparse, concurrent.futures, os, re, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.path.dirname(HERE)
sys.path.insert(0, HERE)
import golden


def call(argv, env, timeout=900, cwd=SRC):
    try:
        p = subprocess.run(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, timeout=timeout,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return p.returncode, p.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as e:
        return 124, (e.stdout or b"").decode("utf-8", "replace") + "\ntimed out"


def tail(text, n=40):
    return "\n".join(text.strip().split("\n")[-n:])


def unit(path, env):
    rc, out = call([path], env)
    passed = len(re.findall(r"^\[       OK \]", out, re.M))
    failed = len(set(re.findall(r"^\[  FAILED  \] ([A-Za-z_]\w*)$", out, re.M)))
    if rc != 0 and failed == 0:
        failed = 1
    if passed + failed == 0:
        failed = 1
    return passed, failed, out if failed else "", path


def script(path, env):
    run = [path] if os.access(path, os.X_OK) else (
        [sys.executable, path] if path.endswith(".py") else ["bash", path])
    rc, out = call(run, env)
    passed = len(re.findall(r"^ok ", out, re.M))
    failed = len(re.findall(r"^not ok ", out, re.M))
    if rc != 0 and failed == 0:
        failed = 1
    if rc == 0 and passed + failed == 0:
        passed = 1
    return passed, failed, out if failed else "", " ".join(run)


def golden_case(name, build):
    try:
        why = golden.check_case(name, build)
    except Exception as e:  # a case that cannot run is a failed case
        why = repr(e)
    return (0, 1, why, "test/golden.py " + name) if why else (1, 0, "", "")


def collect(args, env):
    build, obj = os.path.abspath(args.build), os.path.abspath(args.obj)
    jobs = []
    for f in sorted(os.listdir(os.path.join(HERE, "unit"))):
        if f.startswith("test_") and f.endswith(".c"):
            exe = os.path.join(obj, "unit", f[:-2])
            jobs.append(("unit " + f[:-2], lambda e=exe: unit(e, env)))
    for name in golden.cases():
        jobs.append(("golden " + name, lambda n=name: golden_case(n, build)))
    for f in sorted(os.listdir(os.path.join(HERE, "fuzz"))):
        if f.startswith("fuzz_") and f.endswith(".c"):
            exe = os.path.join(obj, "fuzz", f[:-2])
            corpus = os.path.join(HERE, "fuzz", "corpus", f[5:-2])
            jobs.append(("fuzz " + f[5:-2], lambda e=exe, c=corpus: whole([e, c], env)))
    for folder in ("e2e", "exec"):
        d = os.path.join(HERE, folder)
        for f in sorted(os.listdir(d)) if os.path.isdir(d) else []:
            path = os.path.join(d, f)
            if not (f.endswith(".sh") or (f.endswith(".py") and f.startswith("run"))):
                continue
            with open(path, encoding="utf-8") as fh:
                slow = "# slow" in fh.read(2000)
            if not (slow and args.fast):
                jobs.append((folder + " " + f, lambda p=path: script(p, env)))
    lint = os.path.join(HERE, "lint.py")
    if os.path.exists(lint):
        jobs.append(("lint", lambda: script(lint, env)))
    kinds = args.kinds.split(",") if args.kinds else None
    return [j for j in jobs if args.only in j[0] and (not kinds or j[0].split(" ")[0] in kinds)]


def whole(argv, env):
    rc, out = call(argv, env)
    return (1, 0, "", "") if rc == 0 else (0, 1, out, " ".join(argv))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--build", default=os.path.join(SRC, "build"))
    ap.add_argument("--obj", default=os.path.join(SRC, "build/obj/release"))
    ap.add_argument("--fast", action="store_true")
    ap.add_argument("--only", default="")
    ap.add_argument("--kinds", help="only these of unit,golden,fuzz,e2e,exec,lint")
    ap.add_argument("-j", type=int, default=os.cpu_count() or 2)
    ap.add_argument("-v", action="store_true")
    args = ap.parse_args()
    env = dict(os.environ, BUILD=os.path.abspath(args.build), SRC=SRC, OBJ=os.path.abspath(args.obj),
               PATH=os.path.join(os.path.abspath(args.build), "bin") + ":" + os.environ["PATH"])
    # The job server of the make that started this is not handed on: its descriptors are closed here.
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CARGO_MAKEFLAGS"):
        env.pop(name, None)
    total = [0, 0]
    jobs = collect(args, env)
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        started = {pool.submit(lambda j=job: (time.time(), j[1](), time.time())): job[0] for job in jobs}
        for done in concurrent.futures.as_completed(started):
            t0, (passed, failed, out, again), t1 = done.result()
            total[0] += passed
            total[1] += failed
            if failed:
                print("FAIL %s\n%s\n  again: %s" % (started[done], tail(out), again), flush=True)
            elif args.v:
                print("ok %s (%d, %.1f s)" % (started[done], passed, t1 - t0), flush=True)
    if not jobs:
        total[1] += 1
        print("no test found")
    print("%d passed, %d failed" % tuple(total))
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
