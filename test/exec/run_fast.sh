#!/bin/sh
# A small fixed set of the miscompile net; all of it is test/exec/run.py.
exec /usr/bin/python3 "$(dirname "$0")/run.py" --fast
