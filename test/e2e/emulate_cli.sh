#!/usr/bin/env bash
# Arguments and results of `mirdc emulate`, and kernels that never end well.
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/emulate_cli.py"
