#!/bin/sh
# `cargo mirdc build` of what is up to date starts neither the pass nor the driver; any change starts them.
# slow
exec /usr/bin/python3 "$(dirname "$0")/cargo_fresh.py"
