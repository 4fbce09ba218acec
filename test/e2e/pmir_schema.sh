#!/bin/sh
# docs/pmir.schema.json against dumps that are right and wrong, by Debian's python3-jsonschema.
exec /usr/bin/python3 "$(dirname "$0")/pmir_schema.py"
