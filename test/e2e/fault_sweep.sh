#!/bin/sh
# Injected faults at every place of a compilation: the old artifacts stay.
exec /usr/bin/python3 "$(dirname "$0")/fault_sweep.py"
