#!/bin/bash
# `mirdc explain` knows every code there is, in every spelling, and docs/diagnostics.md has the same words.
set -u
cd "$(dirname "$0")/../.." || exit 1
mirdc=${BUILD:-build}/bin/mirdc
bad=0
n=0
for code in $(sed -n 's/^DIAG(\(MD[0-9]*\),.*/\1/p' base/codes/*.def); do
  n=$((n + 1))
  text=$($mirdc explain "$code") || { echo "   explain $code failed"; bad=1; continue; }
  title=$(grep -h -A1 "^DIAG($code," base/codes/*.def | tr '\n' ' ' | sed 's/^[^"]*"//; s/",.*//')
  case $text in
  "$code: $title"*) ;;
  *) echo "   $code: the title is another: $text"; bad=1 ;;
  esac
  # A title alone explains nothing.
  [ "$(printf '%s\n' "$text" | sed 1,2d | wc -c)" -gt 40 ] || { echo "   $code: no explanation"; bad=1; }
  grep -qF "### $code: $title" docs/diagnostics.md || { echo "   $code: not in docs/diagnostics.md"; bad=1; }
  lower=$(printf '%s' "$code" | tr MD md)
  [ "$($mirdc explain "$lower")" = "$text" ] || { echo "   $lower: another text"; bad=1; }
done
[ $bad = 0 ] && [ $n -gt 100 ] && echo "ok explain knows all $n codes" || { echo "not ok explain knows all $n codes"; bad=1; }
for word in MD0000 MD9999 0203 MD02030 '' MD '../x'; do
  out=$($mirdc explain "$word" 2>/dev/null)
  rc=$?
  if [ $rc = 1 ] && [ -z "$out" ]; then echo "ok there is no code '$word'"; else echo "not ok there is no code '$word' (status $rc: $out)"; bad=1; fi
done
exit $bad
