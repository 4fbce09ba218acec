#!/bin/bash
# What is admitted, on every toolchain and profile. Minutes.
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/../admission/run.py"
