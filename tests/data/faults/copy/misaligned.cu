/*!autotune
template  misaligned                   # reads a vector at an odd address
grid      ceil_div(count, 256)
block     256
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void copy_misaligned(T *out, const T *in, long long batch, long long rows, long long cols)
{
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count / 4 - 4)
        ((uint4 *)out)[i] = *(const uint4 *)((const char *)in + 16 * i + 1);
}
