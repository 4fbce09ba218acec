#!/bin/sh
# What debuggers and profilers are told: lines, scopes, inlining, variables and types in cubins, and a
# session with gdb on the same code compiled for this CPU.
# slow
exec /usr/bin/python3 "$(dirname "$0")/debug_info.py"
