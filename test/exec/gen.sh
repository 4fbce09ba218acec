#!/bin/bash
# A crate of random functions against rustc's own code (gen.py).
# slow
exec python3 "$(dirname "$0")/gen.py" --seed 1 --count 60
