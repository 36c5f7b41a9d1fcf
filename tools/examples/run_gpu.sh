#!/usr/bin/env bash
# Runs the prebuilt example and the Python comparison on a GPU and checks their results. Builds nothing.
#
#   tools/examples/run_gpu.sh [BUILD]          BUILD: build; the database: $AUTOTUNE_DB or the default
set -uo pipefail
[[ ${1:-} != --help ]] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0; }
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
build=${1:-build}
failed=0

# rows cols type: aligned, ragged, narrow, every element size, and twice the same (the second from the cache).
while read -r rows cols type; do
  output=$("$build/tests/example_transpose" "$rows" "$cols" "$type") || failed=1
  printf '%s\n' "$output"
  if ! grep -q 'result    right' <<<"$output"; then
    printf 'FAILED: %s %s %s\n' "$rows" "$cols" "$type"
    failed=1
  fi
done <<'SHAPES'
4096 4096 f32
4096 4096 f32
4096 4096 u8
8191 8193 f32
8191 8193 u8
1000003 3 u8
3 1000003 c128
1 1 f16
17 1000 f64
262144 64 f16
512 2048 i32
SHAPES

libraries=("$build"/libautotune.so.*.*.*)
if python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
  AUTOTUNE_LIBRARY=${libraries[0]} python3 tools/examples/transpose.py || failed=1
else
  printf 'no torch with a GPU here: tools/examples/transpose.py was not compared\n'
fi
((failed == 0)) && printf 'all results are right\n'
exit "$failed"
