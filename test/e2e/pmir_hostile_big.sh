#!/bin/sh
# Dumps of 200 MB, in bounded memory. # slow
exec /usr/bin/python3 "$(dirname "$0")/pmir_hostile.py" big
