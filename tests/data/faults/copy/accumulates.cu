/*!autotune
template  accumulates                   # takes its output for zeros
grid      ceil_div(count, 256)
block     256
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void copy_accumulates(T *out, const T *in, long long batch, long long rows, long long cols)
{
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        ((unsigned *)out)[i] |= ((const unsigned *)in)[i];
}
