#!/usr/bin/env bash
# configure.sh SOURCE CMAKE GENERATOR CUDA_INCLUDE: configures as a newcomer does where something is missing. Without
# Criterion the program is built and the tests are left out; without what is needed the error says what to type.
set -euo pipefail
source=$1 cmake=$2 generator=$3 cuda=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CUDA_HOME

# Whether configuring ends as it must, and says so.
configure() { # EXIT_CODE WORDS OPTION...
  local status=0
  "$cmake" -S "$source" -B "$work/build" -G "$generator" "${@:3}" >"$work/log" 2>&1 || status=1
  if [[ $status != "$1" ]] || ! tr -s ' \n' ' ' <"$work/log" | grep -qF -- "$2"; then
    printf 'FAILED: %s: exit code %d, and expected %d and "%s"\n' "${*:3}" "$status" "$1" "$2" >&2
    cat "$work/log" >&2
    exit 1
  fi
}

configure 0 'Criterion was not found: tests are left out (Debian: libcriterion-dev; or tools/setup tests)' \
  -DCRITERION=OFF -DAT_CUDA_INCLUDE="$cuda"
"$cmake" --build "$work/build" --target help >"$work/targets"
grep -qw autotune "$work/targets" || { echo 'FAILED: the program is no target' >&2; exit 1; }
grep -qw test_util "$work/targets" && { echo 'FAILED: tests are targets' >&2; exit 1; }
configure 1 'apt-get install libsqlite3-dev zlib1g-dev' -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
configure 1 'or let tools/setup program build' -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=OFF -DAT_CUDA_INCLUDE=OFF
echo 'all said what to do'
