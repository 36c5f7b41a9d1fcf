# A whole program as it stands: its kernel is checked, executed and exported without its host, and what is missing is named.
mkdir -p dir/twice src/lib
cat >src/twice.cu <<'END'
#include <stdio.h>
#include <vector>
#include "helper_cuda.h"
#include "lib/scale.h"
#define CHECK(call) do { if ((call) != cudaSuccess) { printf("failed\n"); exit(1); } } while (0)
#define DEV __device__ __forceinline__
#define BLOCK 256
const int ROUNDS = 10;
static std::vector<float> values;
__global__ void twice(float *out, const float *in, int n);

DEV float by(float x) { return scale(x) * WAYS; }

__global__ void twice(float *out, const float *in, int n)
{
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = by(in[i]);
}

int main()
{
    float *out, *in;
    CHECK(cudaMalloc(&out, 4 << 20));
    CHECK(cudaMalloc(&in, 4 << 20));
    for (int i = 0; i < ROUNDS; i++)
        twice<<<(1 << 20) / BLOCK, BLOCK>>>(out, in, 1 << 20);
    return 0;
}
END
cat >src/lib/scale.h <<'END'
#pragma once
#include <iostream>
#define WAYS 2
inline void show(float x) { std::cout << x; }
__device__ inline float scale(float x) { return x + 0 * FLT_MIN; }
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
source    ../../src/twice.cu device
param     BLOCK = 64 128
kernel    twice
grid      ceil_div(n, BLOCK)
block     BLOCK
*/
END
at check twice --templates dir

echo '--- a mistake is told where it stands, and what might declare the name'
sed -i 's/by(in\[i\])/checked(in[i])/' src/twice.cu
at check twice --templates dir | grep -v '^sm_\|^arch\|kernels,'

echo '--- a parameter takes the place of a macro; one that nothing uses is told'
sed -i 's/checked(in/by(in/' src/twice.cu
sed -i 's/^param .*/&\nparam     WAYS = 2\nparam     ROUNDS = 10 20/' dir/twice/theirs.cu
at check twice --templates dir
