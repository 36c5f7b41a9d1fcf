/*!autotune
template  big_shared                   # asks for more shared memory than any device has
grid      ceil_div(count, 256)
block     256
shared    1000000
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void copy_big_shared(T *out, const T *in, long long batch, long long rows, long long cols)
{
    extern __shared__ unsigned char room[];
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    room[threadIdx.x] = 0;
    if (i < count)
        out[i] = in[i];
}
