#!/usr/bin/env bash
# Runs one transcript: run.sh NAME.cmd AUTOTUNE FIXTURE_STORE. In a .cmd, `at` is the program, `$DATA` is tests/data,
# `fixture FILE` makes a database with a small history, and each line's exit code is printed. `need_nvrtc` skips what
# follows where there is none, by compiling two small kernels. Exit code 77: skipped.
# Times, hashes, and lists that grow with every template or strategy are masked, and what `check` says while somebody
# waits is left out.
set -u
cmd=$1
AUTOTUNE=$2
FIXTURE=$3
DATA=$(cd "$(dirname "$cmd")/../data" && pwd)
work=$(mktemp -d)
home=$(mktemp -d) # elsewhere: a working directory that holds it is not read by templates
trap 'rm -rf "$work" "$home"' EXIT
export HOME=$home XDG_DATA_HOME=$work/data XDG_CACHE_HOME=$work/cache AUTOTUNE_DB='' AUTOTUNE_CACHE=''
unset AUTOTUNE_DB AUTOTUNE_CACHE AUTOTUNE_HEADERS AUTOTUNE_ALLOW
export AUTOTUNE_NO_SHIPPED=1 # a transcript is about its own store; shipped.cmd is not

at() {
  local status=0
  printf '$ autotune %s\n' "$*"
  "$AUTOTUNE" "$@" 2>&1 </dev/null || status=$?
  printf '[exit %d]\n' "$status"
}
fixture() { "$FIXTURE" "$1"; }
skip() { echo "skipped: $*" >&2; exit 77; }
need_nvrtc() { # options of check
  local status=0
  "$AUTOTUNE" check --only linear --shape 64 --dtype u8 --sample 1 --jobs 1 "$@" >/dev/null 2>"$work/said" || status=$?
  case $status in
    0) ;;
    3) skip "there is no NVRTC here, or it is too old" ;;
    *) cat "$work/said" >&2; echo "check ends with $status; expected 0, or 3 without NVRTC" >&2; exit 1 ;;
  esac
}

cd "$work" || exit 1
# shellcheck disable=SC1090
(. "$cmd") >"$work/out" || { status=$?; cat "$work/out"; exit "$status"; }
sed -E -e "s#$work#WORK#g; s#$DATA#DATA#g" -e 's/[0-9.]+ ms$/N ms/' -e 's/hash [0-9a-f]{12}/hash HASH/' \
  -e 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z/TIME/g' -e 's/[0-9.]+ s, [0-9]+ kernels a second, NVRTC [0-9.]+/N s/' \
  -e 's/[0-9a-f]{64}/HASH/g' -e 's/recording [0-9a-f]{8}/recording HASH/' -e 's/(transpose has:|or an operation|strategy: .*expected one of:) .*/\1 .../' \
  -e '/^[0-9]+ kernels, [0-9]+ failed, [0-9]+ a second; sm_/d' \
  "$work/out" >"$work/seen"
if [[ ${UPDATE:-0} == 1 ]]; then
  cp "$work/seen" "${cmd%.cmd}.expect"
elif ! diff -u "${cmd%.cmd}.expect" "$work/seen"; then
  echo "differs from ${cmd%.cmd}.expect; if that is meant: UPDATE=1 ctest -L cli" >&2
  exit 1
fi
