#!/bin/sh
# Runs what test/gpu/build.sh built, on a machine with a GPU. Prints each check and closes with
# "N passed, N failed". With --sanitize each program also runs under compute-sanitizer's memcheck, and those
# with native algorithms under its other tools as well.
set -u
cd "$(dirname "$0")/../.."
out=${BUILD:-build}/gpu
tools=${1:-}
echo "date: $(date -u +%Y-%m-%d)"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed 's/^/card and driver: /'
passed=0
failed=0
count() {
  p=$(grep -c '^ok ' "$1")
  f=$(grep -c '^not ok ' "$1")
  [ "$2" = 0 ] || [ "$f" -gt 0 ] || f=1
  [ $((p + f)) -gt 0 ] || f=1
  passed=$((passed + p))
  failed=$((failed + f))
}
log=$(mktemp)
for bundle in "$out"/*.mirdc; do
  name=$(basename "$bundle" .mirdc)
  echo "== $name"
  timeout 120 "$out/$name" "$bundle" >"$log" 2>&1
  rc=$?
  grep -v 'passed, .* failed' "$log"
  count "$log" $rc
  [ "$tools" = --sanitize ] && [ ! -e "test/gpu/$name.traps" ] || continue
  # Native algorithms share memory between calls: more is looked at.
  kinds=memcheck
  rest=
  case $name in
  block_sums | own_provider) kinds="memcheck racecheck initcheck synccheck" ;;
  callbacks) kinds="memcheck racecheck initcheck synccheck" rest=others ;;
  esac
  for kind in $kinds; do
    # shellcheck disable=SC2086
    timeout 300 compute-sanitizer --tool "$kind" --error-exitcode 86 "$out/$name" "$bundle" $rest >"$log" 2>&1
    if [ $? = 0 ]; then
      echo "ok $name under $kind"
      passed=$((passed + 1))
    else
      echo "not ok $name under $kind"
      tail -n 20 "$log"
      failed=$((failed + 1))
    fi
  done
done
rm -f "$log"
[ ! -e "$out/not-built" ] || sed 's/^not built: /not run: /' "$out/not-built"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
