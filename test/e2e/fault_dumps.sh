#!/bin/sh
# Hostile dumps through the whole compiler: one coded message, and the old artifacts stay.
exec /usr/bin/python3 "$(dirname "$0")/fault_dumps.py"
