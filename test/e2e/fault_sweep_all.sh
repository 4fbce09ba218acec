#!/bin/sh
# Every allocation, and the pass, with injected faults. # slow
exec /usr/bin/python3 "$(dirname "$0")/fault_sweep.py" all
