/*!autotune
template  big_block                   # asks for more threads than a block has
grid      ceil_div(count, 2048)
block     2048
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void copy_big_block(T *out, const T *in, long long batch, long long rows, long long cols)
{
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = in[i];
}
