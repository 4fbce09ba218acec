#!/bin/sh
# Concurrent runs into one folder give what a single run gives.
exec /usr/bin/python3 "$(dirname "$0")/fault_runs.py"
