/*!autotune
template  registers                   # more of them a thread than a block of this size has
grid      ceil_div(count, 1024)
block     1024
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void copy_registers(T *out, const T *in, long long batch, long long rows, long long cols)
{
    constexpr int   LIVE  = 150;
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    T               held[LIVE];

#pragma unroll
    for (int k = 0; k < LIVE; k++)
        held[k] = in[(i + k * 4099) % count];
    __syncthreads(); /* all are read before the first is used */
    if (i < count) {
        T sum = held[0];
#pragma unroll
        for (int k = LIVE - 1; k > 0; k--)
            sum = held[k] == sum ? sum + held[k] : sum;
        out[i] = sum;
    }
}
