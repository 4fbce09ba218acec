#!/bin/sh
# slow: what rustc prints for each test that docs/mir-coverage.md names.
exec /usr/bin/python3 "$(dirname "$0")/../coverage.py" --run
