/*!autotune
template  writes_behind                   # writes one element behind the output
grid      ceil_div(count, 256)
block     256
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void copy_writes_behind(T *out, const T *in, long long batch, long long rows, long long cols)
{
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i <= count)
        out[i] = in[i < count ? i : 0];
}
