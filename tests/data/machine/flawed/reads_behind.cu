/*!autotune
template  reads_behind
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* The last thread reads one element behind the end. */
extern "C" __global__ void flawed_reads_behind(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const T more = in[i + 1];
    out[i] = in[i ^ 255] + 0 * more;
}
