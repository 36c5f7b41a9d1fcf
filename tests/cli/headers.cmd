# Folders of headers that the user names: a library in inc, a kernel that includes it, and what goes wrong.
mkdir -p inc/lib/detail dir/twice src
cat >inc/lib/two.hpp <<'END'
#pragma once
#include "detail/deep.hpp"
template <class A> __device__ A doubled(A x) { return ONE * x + x; }
END
printf '#pragma once\n#define ONE 1\n' >inc/lib/detail/deep.hpp
cat >src/twice.cu <<'END'
#include <lib/two.hpp>
__global__ void __launch_bounds__(THREADS) twice(float *out, const float *in, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        out[i] = doubled(in[i]);
}
END
cat >dir/twice/op.cu <<'END'
/*!autotune
op        twice
shape     n
type      T = f32
arg       out T[n] output
arg       in T[n] input uniform -1 1
arg       n i32
reference twice_reference
grid      ceil_div(n, 256)
block     256
check     exact
traffic   2 * n * sizeof(T)
*/
extern "C" __global__ void twice_reference(T *out, const T *in, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}
END
cat >dir/twice/theirs.cu <<'END'
/*!autotune
template  theirs
source    ../../src/twice.cu
define    all
param     THREADS = 64 128 256
kernel    twice
grid      ceil_div(n, THREADS)
block     THREADS
*/
END
at list templates --templates dir --op twice --headers none
at list templates --templates dir --op twice --headers inc,src/twice.cu
at list templates --templates dir --op twice --headers inc
need_nvrtc
# Nobody names it; the option does; the environment does.
at check twice --templates dir --shape 1000 --sample 0 --jobs 1
at check twice --templates dir --shape 1000 --sample 0 --jobs 1 --headers inc
AUTOTUNE_HEADERS=$PWD/none:inc at check twice --templates dir --shape 1000 --jobs 1
AUTOTUNE_HEADERS=$PWD/src:inc at check twice --templates dir --execute --shape 1000
# A first draft of a file that includes it finds what the file itself lacks.
at adopt src/twice.cu -o new --headers inc
grep 'THREADS' new/twice/adopted.cu
# What is wrong in the library is told by its own line; a template leads nowhere else by its folder.
printf '#pragma once\n#define ONE nowhere\n' >inc/lib/detail/deep.hpp
at check twice --templates dir --shape 1000 --sample 1 --jobs 1 --headers inc
printf 'hidden:x:0:words\n' >secret
printf '#include <lib/../../secret>\n' >>src/twice.cu
at check twice --templates dir --shape 1000 --sample 1 --jobs 1 --headers inc
