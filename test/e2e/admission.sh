#!/bin/bash
# What is admitted, on the stable toolchain.
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/../admission/run.py" --toolchain stable
