#!/bin/sh
# SIGKILL at random moments: artifacts stay whole, what is left is cleaned up.
exec /usr/bin/python3 "$(dirname "$0")/fault_kill.py"
