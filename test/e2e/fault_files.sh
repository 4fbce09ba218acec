#!/bin/sh
# Files that cannot be read or written: missing, of the wrong kind, without permission, disk full.
exec /usr/bin/python3 "$(dirname "$0")/fault_files.py"
