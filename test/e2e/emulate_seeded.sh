#!/usr/bin/env bash
# Kernels with a mistake each, and the same mended.
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/emulate_seeded.py"
