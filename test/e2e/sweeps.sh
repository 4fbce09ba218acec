#!/bin/sh
# The sweeps over examples/: error, ffi, lto, debug, compile-only, one of standard.
exec /usr/bin/python3 "$(dirname "$0")/sweeps.py"
