#!/bin/sh
# More kills, also of the pass and without a cache. # slow
exec /usr/bin/python3 "$(dirname "$0")/fault_kill.py" all
