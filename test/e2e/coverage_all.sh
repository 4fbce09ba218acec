#!/bin/sh
# slow: what rustc prints for each test that docs/mir-coverage.md names. On a busy machine ten minutes may not do: what
# was not looked at is named then, and the next run goes on there, as long as source, pass and compiler are the same.
top=$(cd "$(dirname "$0")/../.." && pwd)
exec /usr/bin/python3 "$top/test/coverage.py" --run --kept "${MIRDC_COVERAGE_KEPT:-${BUILD:-$top/build}/coverage}" \
  --seconds "${MIRDC_COVERAGE_SECONDS:-600}"
