#!/bin/sh
# Each message of the reader and the verifier comes up in a unit test.
exec /usr/bin/python3 "$(dirname "$0")/pmir_rules.py"
