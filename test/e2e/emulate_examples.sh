#!/usr/bin/env bash
# The kernels of examples/ in the emulator, with all checks.
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/emulate_examples.py"
