/*!autotune
template  wrong_one                   # one element is wrong
grid      ceil_div(count, 256)
block     256
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void copy_wrong_one(T *out, const T *in, long long batch, long long rows, long long cols)
{
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count && i != count / 2)
        out[i] = in[i];
    if (i == count / 2)
        out[i] = in[i - 1];
}
