#!/usr/bin/env bash
# find_cuda.sh SOURCE CMAKE: lays out CUDA as toolkits, conda and Debian do, and asks tools/find_cuda.cmake where it is.
set -euo pipefail
source=$1 cmake=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CUDA_HOME CUDA_PATH CONDA_PREFIX
cat >"$work/find.cmake" <<END
include($source/tools/find_cuda.cmake)
message("found \${AT_CUDA_INCLUDE} \${AT_NVRTC_FOLDER}")
END

# A toolkit that has its parts in these folders.
lay_out() { # ROOT INCLUDE LIB
  mkdir -p "$work/$1/$2" "$work/$1/$3"
  touch "$work/$1/$2/cuda.h" "$work/$1/$2/nvrtc.h" "$work/$1/$3/libnvrtc.so.13"
}

expect() { # INCLUDE LIB COMMAND...
  "${@:3}" -P "$work/find.cmake" >"$work/log" 2>&1 || true
  if ! grep -qxF "found $work/$1 $work/$2" "$work/log"; then
    printf 'FAILED: %s: expected %s and %s\n' "${*:3}" "$work/$1" "$work/$2" >&2
    cat "$work/log" >&2
    exit 1
  fi
}

lay_out toolkit include lib64
lay_out conda targets/x86_64-linux/include lib
lay_out arm targets/sbsa-linux/include targets/sbsa-linux/lib
lay_out x86 targets/x86_64-linux/include targets/x86_64-linux/lib
lay_out debian include lib/x86_64-linux-gnu
mkdir -p "$work/part/include" # of conda's packages the one with nvrtc.h is missing
touch "$work/part/include/cuda.h"

for variable in CUDA_HOME CUDA_PATH CONDA_PREFIX; do
  expect toolkit/include toolkit/lib64 env "$variable=$work/toolkit" "$cmake"
done
expect conda/targets/x86_64-linux/include conda/lib env CONDA_PREFIX="$work/conda" "$cmake"
expect x86/targets/x86_64-linux/include x86/targets/x86_64-linux/lib \
  "$cmake" -DCMAKE_SYSTEM_PROCESSOR=x86_64 "-DAT_CUDA_HOME=$work/x86"
expect arm/targets/sbsa-linux/include arm/targets/sbsa-linux/lib \
  "$cmake" -DCMAKE_SYSTEM_PROCESSOR=aarch64 "-DAT_CUDA_HOME=$work/arm"
expect debian/include debian/lib/x86_64-linux-gnu "$cmake" "-DAT_CUDA_HOME=$work/debian"
expect toolkit/include toolkit/lib64 \
  env CUDA_HOME="$work/toolkit" CUDA_PATH="$work/x86" CONDA_PREFIX="$work/conda" "$cmake"
expect toolkit/include toolkit/lib64 env CUDA_HOME="$work/part" CUDA_PATH="$work/toolkit" "$cmake"

# pip's extras and tools/setup fetch the same wheels: by the driver those of CUDA 12 or the newest.
names() { # the version of CUDA that nvidia-smi tells
  (
    eval "nvidia-smi() { echo 'CUDA Version: $1'; }"
    eval "$(sed -n '/^wheel_names()/,/^}/p' "$source/tools/setup")"
    wheel_names | sed 's/==13\.\*//g'
  )
}
for pair in 12.4:nvrtc12 13.0:nvrtc; do
  extra=$(sed -n "s/^${pair#*:} = //p" "$source/pyproject.toml" | tr -d '[]",')
  if [[ -z $extra || $(names "${pair%:*}") != "$extra" ]]; then
    printf 'FAILED: for CUDA %s tools/setup fetches %s; pyproject.toml: %s\n' "${pair%:*}" "$(names "${pair%:*}")" "$extra" >&2
    exit 1
  fi
done
[[ $(names 13.0) == *-cccl*-crt* && $(names 12.4) == *-cccl*-nvcc* ]] || # nv/target, cuda/std; crt/mma.h
  { echo 'FAILED: headers that CUDA itself includes are missing' >&2; exit 1; }
echo 'each was found'
