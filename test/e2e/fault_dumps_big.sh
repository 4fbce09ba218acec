#!/bin/sh
# Dumps of 200 MB and of 4 GiB through the whole compiler, in bounded memory. # slow
exec /usr/bin/python3 "$(dirname "$0")/fault_dumps.py" big
