#!/bin/sh
# Runs what bench/gpu/build.sh built, on a machine with a GPU; nothing else is needed there. An argument
# takes the kernels that have it in their name. Closes with "N passed, N failed".
cd "$(dirname "$0")/../.." || exit 2
out=${OUT:-${BUILD:-build}/gpu-bench}
echo "date: $(date -u +%Y-%m-%d)"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed 's/^/card and driver: /'
exec "$out/bench" "$out" "$@"
