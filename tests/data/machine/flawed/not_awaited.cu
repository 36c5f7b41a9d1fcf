/*!autotune
template  not_awaited
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* An asynchronous copy is read before it was waited for. */
extern "C" __global__ void flawed_not_awaited(T *out, T *in, int n)
{
    __shared__ T tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + i) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncthreads();
    out[i] = tile[255 - threadIdx.x];
    asm volatile("cp.async.wait_all;" ::: "memory");
}
