#!/bin/bash
# A thousand random functions against rustc's own code (gen.py), and the program that makes them small.
# slow
here=$(dirname "$0")
python3 "$here/gen_shrink.py" && exec python3 "$here/gen.py" --seed 1 --count 200 --crates 5 --checks turns
