/*!autotune
template  unset_shared                   # adds to shared memory that nobody has cleared
grid      ceil_div(count, 256)
block     256
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void copy_unset_shared(T *out, const T *in, long long batch, long long rows, long long cols)
{
    __shared__ unsigned bits[256];
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    atomicXor(&bits[threadIdx.x], i < count ? (unsigned)(((const unsigned *)in)[i]) : 0u);
    __syncthreads();
    if (i < count)
        ((unsigned *)out)[i] = bits[threadIdx.x];
}
