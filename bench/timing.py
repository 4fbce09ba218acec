"""Shared by the benchmarks: whole processes and their wall time."""
import os, subprocess, sys, time

SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def environment():
    """The programs of this tree come first."""
    return dict(os.environ, PATH=os.path.join(SRC, "build/bin") + ":" + os.environ["PATH"])


def run(argv, env, cwd=None):
    """Seconds that the process took, and its standard output; a failure ends the benchmark."""
    t0 = time.monotonic()
    p = subprocess.run(argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    dt = time.monotonic() - t0
    if p.returncode != 0:
        sys.exit("%s failed:\n%s%s" % (" ".join(argv), p.stdout.decode(), p.stderr.decode()))
    return dt, p.stdout.decode()
