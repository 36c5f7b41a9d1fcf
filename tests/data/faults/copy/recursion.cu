/*!autotune
template  recursion                   # deeper than any stack
grid      ceil_div(count, 256)
block     256
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

static __device__ __noinline__ unsigned deep(unsigned n, volatile unsigned *top)
{
    volatile unsigned frame[64];
    frame[n % 64] = n;
    if (n == 0)
        return *top;
    return deep(n - 1, &frame[n % 64]) + frame[(n * 7) % 64];
}

extern "C" __global__ void copy_recursion(T *out, const T *in, long long batch, long long rows, long long cols)
{
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    volatile unsigned top = 1;
    if (i < count)
        out[i] = in[i] + (T)deep(1000000u + (unsigned)i, &top);
}
