#!/usr/bin/env bash
# subdirectory.sh SOURCE CMAKE GENERATOR CUDA_INCLUDE: a project that has the sources of autotune as a part of itself, by
# add_subdirectory and by FetchContent. It gets the libraries, autotune_add_kernel and autotune_add_pack, and of its own build nothing changes:
# no tests, benchmarks or files to install come along, and no setting of all its targets.
set -euo pipefail
source=$1 cmake=$2 generator=$3 cuda=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work CUDA_VISIBLE_DEVICES=''
unset AUTOTUNE_DB AUTOTUNE_CACHE XDG_DATA_HOME XDG_CACHE_HOME
cd "$work"

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
quietly() { "$@" >log 2>&1 || { cat log >&2; fail "$*"; }; }

mkdir app
cp "$source/tools/examples/transpose.c" "$source/tools/examples/lookup.cpp" app
cat >app/CMakeLists.txt <<'LIST'
cmake_minimum_required(VERSION 3.22)
project(app LANGUAGES C CXX)
enable_testing()
if(FETCH)
  include(FetchContent)
  FetchContent_Declare(autotune SOURCE_DIR ${AUTOTUNE_SOURCE})
  FetchContent_MakeAvailable(autotune)
else()
  add_subdirectory(${AUTOTUNE_SOURCE} autotune)
endif()
add_executable(with_static transpose.c)
target_link_libraries(with_static PRIVATE autotune::static ${CMAKE_DL_LIBS})
add_executable(with_shared lookup.cpp)
target_link_libraries(with_shared PRIVATE autotune::autotune)
add_custom_target(kernels ALL)
autotune_add_kernel(kernels SHAPE 4096x4096 DEVICE H200)
add_custom_target(packed)
autotune_add_pack(packed SIZES rows=1..64 cols=64 KERNELS 1 DEVICE H200)
add_test(NAME own COMMAND with_static)
install(TARGETS with_static)
LIST

configure() { # FOLDER OPTION...
  quietly "$cmake" -S app -B "$1" -G "$generator" -DAUTOTUNE_SOURCE="$source" -DAT_CUDA_INCLUDE="$cuda" "${@:2}"
  grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=$' "$1/CMakeCache.txt" || fail "$1: the build type is $(grep ^CMAKE_BUILD_TYPE "$1/CMakeCache.txt")"
  [[ ! -e $1/compile_commands.json && ! -e $1/CPackConfig.cmake ]] || fail "$1: the project got files that it did not ask for"
  (cd "$1" && "${cmake%cmake}ctest" -N) | grep -q '^Total Tests: 1$' || fail "$1: tests came along"
}

echo '== FetchContent'
configure fetched -DFETCH=ON

echo '== add_subdirectory'
configure added
quietly "$cmake" --build added --parallel "$(nproc)"
built=$(find added/autotune -maxdepth 1 -type f -executable -printf '%f\n' | sort | tr '\n' ' ')
[[ $built == 'autotune embed_images embed_winners libautotune.so'* ]] || fail "built: $built"
added/with_static 4096 4096 f32 | tee seen | grep -q '^transpose 4096x4096 f32: exact$' || fail "with_static: $(cat seen)"
added/with_shared >seen
grep -q '^transpose 4096x4096: exact, ' seen || fail "with_shared: $(cat seen)"
grep -q '^cudaError_t transpose_4096x4096_f32(' added/transpose_4096x4096_f32.cu || fail "$(cat log)"
quietly "$cmake" --build added
grep -q 'autotune: transpose' log && fail 'the kernel was made again, and nothing had changed'
if added/autotune/autotune check --only linear --sample 1 --shape 64 --dtype u8 >log 2>&1; then # there is NVRTC
  quietly "$cmake" --build added --target packed
  grep -q '^CUresult transpose_f32(' added/transpose_f32.pack/transpose_f32.h || fail "$(cat log)"
fi
quietly "$cmake" --install added --prefix "$work/prefix"
[[ $(cd prefix && find . -type f) == ./bin/with_static ]] || fail "installed: $(find prefix -type f)"
