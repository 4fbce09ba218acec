#!/bin/sh
# Hostile and damaged dumps: each ends with one coded message and status 1, and nothing on stdout.
exec /usr/bin/python3 "$(dirname "$0")/pmir_hostile.py"
