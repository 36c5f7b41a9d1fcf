/*!autotune
template  reads_output
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* The output is read before anybody wrote it. */
extern "C" __global__ void flawed_reads_output(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const T before = *(volatile T *)(out + i);
    out[i] = in[i ^ 255] + (before == 12345 ? 1 : 0);
}
