#!/bin/bash
# Faults planted in the lowering, each of which the differential tests must find (mutants.py).
# slow
exec python3 "$(dirname "$0")/mutants.py"
