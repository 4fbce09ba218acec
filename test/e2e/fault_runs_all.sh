#!/bin/sh
# The same bytes in other folders, homes, with other threads and caches; more concurrent runs. # slow
exec /usr/bin/python3 "$(dirname "$0")/fault_runs.py" all
