#!/usr/bin/env bash
# run.sh BUILD SOURCE CMAKE FIXTURE_STORE: what is installed must serve C, C++ and Python, through pkg-config and
# through CMake, from a prefix that was moved, without a GPU.
set -euo pipefail
build=$1 source=$2 cmake=$3 fixture=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work CUDA_VISIBLE_DEVICES=''
unset AUTOTUNE_DB AUTOTUNE_CACHE XDG_DATA_HOME XDG_CACHE_HOME
CMAKE_GENERATOR=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt") # there may be no make
export CMAKE_GENERATOR
cd "$work"

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
quietly() { "$@" >log 2>&1 || { cat log >&2; fail "$*"; }; }

quietly "$cmake" --install "$build" --prefix "$work/first"
mv first prefix
for page in bash-completion/completions/autotune zsh/site-functions/_autotune fish/vendor_completions.d/autotune.fish man/man1/autotune.1; do
  [[ -s prefix/share/$page ]] || fail "share/$page was not installed"
done
library=$(echo prefix/lib*/libautotune.so prefix/lib/*/libautotune.so | tr ' ' '\n' | grep -v '\*' | head -n 1)
library=$work/$library
folder=${library%/*}
[[ -e $library && -e $folder/libautotune.a && -x prefix/bin/autotune ]] || fail "not all was installed: $(find prefix)"

echo '== exported'
# What the headers declare, each with the version that brought it.
cat prefix/include/autotune/*.h | tr '\n' ' ' | grep -oE 'AUTOTUNE_API [^;(]*\(' | grep -oE 'at_[a-z_]+\($' | tr -d '(' |
  sort -u >declared
nm -D --defined-only --with-symbol-versions "$library" | awk '$2 == "T" { print $3 }' >versioned
sed 's/@.*//' versioned | sort -u | diff -u declared - || fail 'exported are others than the headers declare'
grep -v '@@AUTOTUNE_[0-9]' versioned && fail 'these have no version'
readelf -d "$library" | grep -E 'NEEDED.*(cuda|nvrtc)' && fail 'must be opened at run time'

echo '== environment'
# The header lists the variables that the library reads: those that its sources name, and that are in the library.
grep -rhE '(getenv\(|_ENV +)"[A-Z_]+"|_variables\[.*\{ "[A-Z_]+"' "$source/tuner" "$source/db" --include=*.[ch] --exclude-dir=cli --exclude-dir=mpi |
  grep -oE '"[A-Z_]+' | tr -d '"' | sort -u | while read -r name; do
    if grep -qaP "$name\x00" "$library"; then echo "$name"; fi
  done >named
sed -n '/ Environment: /,/ Each is read/p' prefix/include/autotune/autotune.h | sed 's/.*Environment: //; s/ Each is read.*//' |
  grep -oE '[A-Z][A-Z_]+' | sort -u >listed
diff -u listed named || fail 'autotune.h lists other variables than the library reads'

echo '== headers alone'
for header in prefix/include/autotune/*.h; do
  printf '#include <autotune/%s>\n' "${header##*/}" | tee header.c >header.cpp
  cc -std=c11 -Wall -Wextra -pedantic -Werror -Iprefix/include -fsyntax-only header.c
  c++ -std=c++17 -Wall -Wextra -pedantic -Werror -Iprefix/include -fsyntax-only header.cpp
done

expect() { # PROGRAM
  export LD_LIBRARY_PATH=$folder
  "$1" 4096 4096 f32 | sed 's/^not run: .*/not run/; s/[0-9]* bytes, kernel/N bytes, kernel/' >seen
  diff -u - seen <<'EXPECTED' || fail "$1"
transpose 4096x4096 f32: exact
  device    NVIDIA H200, sm_90, 132 multiprocessors
  template  tile_rows
  config    TILE=32 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=out_fast
  launch    grid 16384x1x1, block 32x8x1, 0 bytes of dynamic shared memory
  measured  36.00 us, 3728 GB/s, for 4096x4096 on NVIDIA H200
  source    N bytes, kernel transpose_tile_rows
not run
EXPECTED
  unset LD_LIBRARY_PATH
}
expect_line() { # COMMAND...
  local line
  line=$(LD_LIBRARY_PATH=$folder "$@") # all of it: a reader that leaves early would break the pipe
  line=${line%%$'\n'*}
  [[ $line == "transpose 4096x4096"*": exact, tile_rows TILE=32"* ]] || fail "$*: $line"
}

mkdir -p "$HOME/.local/share/autotune"
"$fixture" "$HOME/.local/share/autotune/autotune.db"

if command -v pkg-config >/dev/null; then
  echo '== pkg-config'
  export PKG_CONFIG_PATH=$folder/pkgconfig
  read -ra flags < <(pkg-config --cflags --libs autotune)
  cc -std=gnu11 -Wall -Wextra -Werror "$source/tools/examples/transpose.c" "${flags[@]}" -ldl -o transpose
  expect ./transpose
  c++ -std=c++17 -Wall -Wextra -pedantic -Werror "$source/tools/examples/lookup.cpp" "${flags[@]}" -o lookup
  expect_line ./lookup
  [[ $(pkg-config --modversion autotune) == "$(sed -n 's/.*project(autotune VERSION \([0-9.]*\).*/\1/p' \
    "$source/CMakeLists.txt")" ]] || fail 'version'
else
  echo '== pkg-config is not installed: left out'
fi

echo '== find_package'
quietly "$cmake" -S "$source/tools/examples" -B examples -DCMAKE_PREFIX_PATH="$work/prefix"
quietly "$cmake" --build examples
expect examples/transpose
expect_line examples/lookup

echo '== autotune_add_pack'
mkdir packs
cat >packs/CMakeLists.txt <<'LIST'
cmake_minimum_required(VERSION 3.22)
project(packs LANGUAGES C)
find_package(autotune REQUIRED)
add_executable(program program.c)
autotune_add_pack(program SIZES rows=1..512 cols=64,128 KERNELS 2 DEVICE H200 H100 NAME turn)
target_include_directories(program PRIVATE "${CUDA_INCLUDE}")
target_link_libraries(program PRIVATE "${DRIVER}")
add_custom_target(listed)
autotune_add_pack(listed OP copy SHAPES asked.txt WITHIN 20%)
if(WRONG)
  autotune_add_pack(listed OP copy SIZE cols=1..8)
endif()
LIST
cat >packs/program.c <<'PROGRAM'
#include "turn.h"
int main(void)
{
    const int64_t aligns[] = { 256, 256 };
    turn_plan plan;
    return turn_find(&plan, turn_model("NVIDIA H100 80GB HBM3", 90, 132), 1, 100, 64, aligns) != CUDA_SUCCESS;
}
PROGRAM
printf 'copy 1000 f32 calls=3\n' >packs/asked.txt
if "$build/autotune" check --only linear --sample 1 --shape 64 --dtype u8 >log 2>&1; then
  driver=$build/tests/unit/fake/libcuda.so.1
  cuda=$(sed -n 's/^AT_CUDA_INCLUDE:[A-Z]*=//p' "$build/CMakeCache.txt")
  # Chosen by few problems: by 1000, as without the option, it takes 15 s.
  printf '#!/bin/sh\nexec "%s" "$@" --problems 50\n' "$work/prefix/bin/autotune" >few
  chmod +x few
  quietly "$cmake" -S packs -B packed -DCMAKE_PREFIX_PATH="$work/prefix" -DAUTOTUNE_PROGRAM="$work/few" -DDRIVER="$driver" \
    -DCUDA_INCLUDE="$cuda"
  quietly "$cmake" --build packed --target program
  LD_LIBRARY_PATH=$(dirname "$driver") packed/program || fail 'the pack has no kernel for 100x64'
  "$cmake" --build packed --target program >log 2>&1
  grep -q 'autotune: pack' log && fail 'made again, and nothing had changed'
  quietly "$cmake" --build packed --target listed
  grep -q '"listed_problems": 1' packed/copy_f32.pack/copy_f32.json || fail "$(head -12 packed/copy_f32.pack/copy_f32.json)"
  printf 'copy 2000 f32\n' >>packs/asked.txt
  touch -d '+2 seconds' packs/asked.txt
  quietly "$cmake" --build packed --target listed
  grep -q '"listed_problems": 2' packed/copy_f32.pack/copy_f32.json || fail 'not made again, and the list had changed'
  "$cmake" -S packs -B packed -DWRONG=ON >log 2>&1 && fail 'took a word that it does not know'
  tr -s ' \n' ' ' <log | grep -q 'expected SIZES or SHAPES and its value' || fail "$(cat log)"
else
  echo '== there is no NVRTC here: left out'
fi

echo '== autotune_add_kernel'
mkdir kernels
cat >kernels/CMakeLists.txt <<'LIST'
cmake_minimum_required(VERSION 3.22)
project(kernels LANGUAGES C)
find_package(autotune REQUIRED)
add_custom_target(known)
autotune_add_kernel(known SHAPE 4096x4096)
autotune_add_kernel(known SHAPE 4096x4096 DTYPE f32 DEVICE H200 OUTPUT again.cu)
add_custom_target(expected)
autotune_add_kernel(expected SHAPE 4096x4099)
add_custom_target(another)
autotune_add_kernel(another OP copy SHAPE 200 DATABASE new.db TUNE 10m)
add_custom_target(unknown)
autotune_add_kernel(unknown OP copy SHAPE 100 DATABASE new.db TUNE 10m)
if(HEADERS)
  add_library(included STATIC empty.c)
  add_custom_target(filed)
  autotune_add_kernel(filed OP filed SHAPE 300 DATABASE new.db TEMPLATES templates TUNE 10m)
  autotune_add_kernel(included OP moved SHAPE 300 DATABASE new.db TEMPLATES templates HEADERS "inc of mine" other TUNE 10m)
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/moved_300_f32.cu PROPERTIES HEADER_FILE_ONLY ON)
  get_target_property(folders included INCLUDE_DIRECTORIES)
  message(STATUS "folders: ${folders}")
endif()
if(NOWHERE)
  autotune_add_kernel(known SHAPE 4096x4096 HEADERS nowhere)
endif()
if(WRONG)
  autotune_add_kernel(known SHAPES 4096x4096)
endif()
LIST
quietly "$cmake" -S kernels -B made -DCMAKE_PREFIX_PATH="$work/prefix"
grep -q "^AUTOTUNE_PROGRAM:.*=$work/prefix/bin/autotune$" made/CMakeCache.txt || fail 'not the program of that prefix'
quietly "$cmake" --build made --target known
grep -q '^cudaError_t transpose_4096x4096_f32(' made/transpose_4096x4096_f32.cu || fail "$(cat log)"
cmp made/transpose_4096x4096_f32.cu made/again.cu
"$cmake" --build made --target known >log 2>&1
grep -q 'autotune: transpose' log && fail 'made again, and nothing had changed'
touch -d '+2 seconds' "$HOME/.local/share/autotune/autotune.db"
"$cmake" --build made --target known >log 2>&1
grep -q 'autotune: transpose' log || fail 'not made again, and the database had changed'
touch -d '-1 hour' "$HOME/.local/share/autotune/autotune.db"
quietly "$cmake" --build made --target expected
grep -q '^// not measured' made/transpose_4096x4099_f32.cu || fail "$(head -9 made/transpose_4096x4099_f32.cu)"
grep -q 'transpose 4096x4099 f32 was not tuned' log || fail "$(cat log)"
"$cmake" --build made --target unknown >log 2>&1 && fail 'built without a winner and without a GPU'
tr -s ' \n' ' ' <log >said
grep -q 'copy 100 f32: autotune: error: .*or build there with TUNE' said || fail "$(cat log)"
"$cmake" -S kernels -B made -DWRONG=ON >log 2>&1 && fail 'took a word that it does not know'
tr -s ' \n' ' ' <log | grep -q "found 'SHAPES;4096x4096'; expected SHAPE" || fail "$(cat log)"
if "$build/autotune" check --only linear --sample 1 --shape 64 --dtype u8 >log 2>&1; then
  # On a driver that computes on the CPU.
  quietly "$cmake" -S kernels -B made -DWRONG=OFF -DAUTOTUNE_PROGRAM="$build/tests/e2e/autotune_quick"
  LD_LIBRARY_PATH=$build/tests/e2e/driver quietly "$cmake" --build made --target unknown
  grep -q '^cudaError_t copy_100_f32(' made/copy_100_f32.cu || fail "$(cat log)"
  [[ -e kernels/new.db ]] || fail 'what was tuned is not in the database'
  # There is a winner near it by now, which will not do where TUNE was said.
  LD_LIBRARY_PATH=$build/tests/e2e/driver quietly "$cmake" --build made --target another
  grep -q '^// measured' made/copy_200_f32.cu || fail "$(head -9 made/copy_200_f32.cu)"
  # A kernel that includes a library's headers: the target has them, too.
  mkdir -p kernels/templates/moved 'kernels/inc of mine/lib' kernels/other
  printf '#include <far.h>\n#define AT(p) p[INDEX]\n' >'kernels/inc of mine/lib/at.h'
  printf '#define INDEX i\n' >kernels/other/far.h
  touch kernels/empty.c
  cat >kernels/templates/moved/op.cu <<'KERNEL'
/*!autotune
op        moved
shape     batch=1 rows=1 n
type      T = f32
arg       out T[n] output
arg       in T[n] input bits
arg       batch i64
arg       rows i64
arg       n i64
reference copy_moved
grid      ceil_div(n, 256)
block     256
check     exact
traffic   2 * n * sizeof(T)
*/
extern "C" __global__ void copy_moved(T *out, const T *in, long long batch, long long rows, long long n)
{
    long long i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
KERNEL
  cat >kernels/templates/moved/included.cu <<'KERNEL'
/*!autotune
template  included
kernel    copy_included
param     N = 64
grid      ceil_div(n, N)
block     N
*/
#include <lib/at.h>
extern "C" __global__ void copy_included(T *out, const T *in, long long batch, long long rows, long long n)
{
    long long i = blockIdx.x * N + threadIdx.x;
    if (i < n)
        AT(out) = AT(in);
}
KERNEL
  quietly "$cmake" -S kernels -B made -DHEADERS=ON
  grep -q "folders: $work/kernels/inc of mine;$work/kernels/other$" log || fail "$(cat log)"
  LD_LIBRARY_PATH=$build/tests/e2e/driver quietly "$cmake" --build made --target included
  grep -q '^// compile with   -I DIR, which has <lib/at.h>, -I DIR2, which has <far.h>$' made/moved_300_f32.cu ||
    fail "$(head -19 made/moved_300_f32.cu)"
  grep -q '^#include <lib/at.h>$' made/moved_300_f32.cu || fail "$(cat made/moved_300_f32.cu)"
  # Made again when anything that it was made of has changed, and not before; a header that has come counts, too.
  LD_LIBRARY_PATH=$build/tests/e2e/driver quietly "$cmake" --build made --target included # the database is there now
  LD_LIBRARY_PATH=$build/tests/e2e/driver quietly "$cmake" --build made --target included
  grep -q 'autotune: moved' log && fail 'made again, and nothing had changed'
  for file in 'inc of mine/lib/at.h' other/far.h other/new.hpp templates/moved/beside.h new.db; do
    sleep 1.1 # some file systems and makes know whole seconds
    touch "kernels/$file"
    LD_LIBRARY_PATH=$build/tests/e2e/driver quietly "$cmake" --build made --target included
    grep -q 'autotune: moved' log || fail "not made again, and $file had changed: $(cat log)"
  done
  # Files that templates name, wherever they are and whatever their names end in.
  mkdir -p kernels/templates/filed kernels/lib
  { printf '\x93NUMPY\1\0v\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (300,), }"; seq 1000 | head -c 1200; } \
    >'kernels/templates/filed/x y.npy'
  cp 'kernels/templates/filed/x y.npy' kernels/answer
  cat >kernels/templates/filed/op.cu <<'KERNEL'
/*!autotune
op        filed
shape     batch=1 rows=1 n
type      T = f32
arg       out T[n] output
arg       in T[n] input file "x y.npy"
arg       batch i64
arg       rows i64
arg       n i64
reference file "../../answer"
traffic   2 * n * sizeof(T)
*/
KERNEL
  cat >kernels/templates/filed/own.cu <<'KERNEL'
/*!autotune
template  own
source    ../../own_kernel
include   ../../lib
kernel    copy_own
param     N = 64
grid      ceil_div(n, 64)
block     N
*/
KERNEL
  cat >kernels/own_kernel <<'KERNEL'
#include "thread"
extern "C" __global__ void copy_own(float *out, const float *in, long long batch, long long rows, long long n)
{
    if (THREAD < n)
        out[THREAD] = in[THREAD];
}
KERNEL
  echo '#define THREAD (blockIdx.x * 64 + threadIdx.x)' >kernels/lib/thread
  for _ in 1 2; do # the second time the database is there
    LD_LIBRARY_PATH=$build/tests/e2e/driver quietly "$cmake" --build made --target filed
  done
  LD_LIBRARY_PATH=$build/tests/e2e/driver quietly "$cmake" --build made --target filed
  grep -q 'autotune: filed' log && fail 'made again, and nothing had changed'
  for file in 'templates/filed/x y.npy' answer own_kernel lib/thread; do
    sleep 1.1
    touch "kernels/$file"
    LD_LIBRARY_PATH=$build/tests/e2e/driver quietly "$cmake" --build made --target filed
    grep -q 'autotune: filed' log || fail "not made again, and $file had changed: $(cat log)"
  done
  "$cmake" -S kernels -B made -DNOWHERE=ON >log 2>&1 && fail 'took a folder that is not there'
  tr -s ' \n' ' ' <log | grep -q "found no folder $work/kernels/nowhere; expected one after HEADERS" || fail "$(cat log)"
else
  echo 'without NVRTC nothing is tuned: left out'
fi

if command -v python3 >/dev/null; then
  echo '== Python'
  expect_line env AUTOTUNE_LIBRARY="$library" python3 "$source/tools/examples/transpose.py" 4096x4096:f32
fi

echo '== what comes with it'
rm -r "$HOME/.local/share/autotune"
LD_LIBRARY_PATH=$folder examples/transpose 4096 4096 f32 >seen
grep -q '^transpose 4096x4096 f32: exact$' seen || fail "$(cat seen)"
if command -v python3 >/dev/null; then
  env AUTOTUNE_LIBRARY="$library" PYTHONPATH="$source/tools/python" PYTHONDONTWRITEBYTECODE=1 python3 -c '
import autotune
from autotune import _tuner
question = ("transpose", (4096, 4096), "f32")
assert autotune.Tuner(tune_s=1).find(*question).origin == "shipped with autotune"
assert autotune.Tuner(no_shipped=True).find(*question, arch="sm_90").origin == ""
found = autotune.Tuner().find(*question)
args = found.launches[0].args
assert [(arg.name, arg.role) for arg in args][:3] == [("out", "output"), ("in", "input"), ("batch", "scalar")], args
assert _tuner.in_order(found.buffers, {"in": 2, "out": 1}) == [1, 2]
try:
    _tuner.in_order(found.buffers, {"in": 2, "output": 1})
    raise SystemExit("a buffer of another name was taken")
except ValueError as error:
    assert "expected out, in" in str(error), error' || fail 'Python'
fi

echo '== nothing known'
LD_LIBRARY_PATH=$folder AUTOTUNE_NO_SHIPPED=1 examples/transpose 64 64 f32 >seen
grep -q '^transpose 64x64 f32: none$' seen || fail "$(cat seen)"
grep -q 'no such database' seen || fail "$(cat seen)"

if command -v dpkg-deb >/dev/null; then
  echo '== Debian packages'
  quietly "${cmake%cmake}cpack" -G DEB --config "$build/CPackConfig.cmake" -B deb
  mkdir unpacked
  for package in deb/*.deb; do
    dpkg-deb -x "$package" unpacked
    dpkg-deb -f "$package" Package
  done >packages
  diff -u - packages <<<$'autotune\nlibautotune-dev\nlibautotune0.1' || fail 'other packages were made'
  LD_LIBRARY_PATH=$work/unpacked/usr/lib unpacked/usr/bin/autotune list ops | grep -q '^transpose: ' || fail 'the packaged program does not run'
  for file in share/zsh/vendor-completions/_autotune share/doc/autotune/copyright lib/python3/dist-packages/autotune/py.typed \
    share/man/man1/autotune.1.gz include/autotune/autotune.h lib/pkgconfig/autotune.pc; do
    [[ -e unpacked/usr/$file ]] || fail "the packages have no $file: $(find unpacked)"
  done
  [[ -z $(find unpacked -name __pycache__) ]] || fail 'the package has what Python has compiled here'
  ! readelf -S unpacked/usr/lib/libautotune.a | grep -q '\.debug_info' || fail 'libautotune.a has what only a debugger reads'
  depends=$(dpkg-deb -f deb/autotune_*.deb Depends)
  [[ $depends == "libc6 (>= "*"), libsqlite3-0 (>= "*"), zlib1g (>= "*"), libautotune0.1 (= "*"), python3" ]] || fail "Depends: $depends"
  # What these packages have, and nothing else.
  others=$(readelf -d unpacked/usr/bin/autotune unpacked/usr/lib/libautotune.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -vE '^(lib(c|m|dl|pthread)\.so\.[26]|ld-linux-.*|libsqlite3\.so\.0|libz\.so\.1)$' | sort -u || true)
  [[ -z $others ]] || fail "the packages need more than they say: $others"
  if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error deb/*.deb >log 2>&1 || { cat log >&2; fail 'lintian'; }
  fi
else
  echo '== Debian packages: left out'
fi
