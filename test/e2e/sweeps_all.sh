#!/bin/sh
# slow: every example for every architecture, its host tests, and the programs for the GPU
exec /usr/bin/python3 "$(dirname "$0")/sweeps.py" --slow
