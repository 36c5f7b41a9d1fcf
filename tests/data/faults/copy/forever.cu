/*!autotune
template  forever                   # never ends
grid      ceil_div(count, 256)
block     256
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void copy_forever(T *out, const T *in, long long batch, long long rows, long long cols)
{
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    volatile unsigned n = 0;
    while (n != 0xffffffffu || i >= 0)
        n = (n + 2) & ~1u;
    if (i < count)
        out[i] = in[i];
}
