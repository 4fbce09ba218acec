#!/bin/sh
# docs/mir-coverage.md has the rows that the code has; all of it is coverage_all.sh.
exec /usr/bin/python3 "$(dirname "$0")/../coverage.py"
