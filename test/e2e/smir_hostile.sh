#!/bin/sh
# Damaged foreign dumps: each ends with a coded message, or is taken.
exec /usr/bin/python3 "$(dirname "$0")/smir_hostile.py"
