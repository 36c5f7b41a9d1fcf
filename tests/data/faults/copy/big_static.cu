/*!autotune
template  big_static                   # declares more shared memory than a kernel may
grid      ceil_div(count, 256)
block     256
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void copy_big_static(T *out, const T *in, long long batch, long long rows, long long cols)
{
    __shared__ T room[65536];
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    room[threadIdx.x * 3] = in[i < count ? i : 0];
    __syncthreads();
    if (i < count)
        out[i] = room[threadIdx.x * 3];
}
