#!/bin/sh
# Kernels that must be refused, with the place in the source and the kernel in the message.
exec /usr/bin/python3 "$(dirname "$0")/fault_kernels.py" "$@"
