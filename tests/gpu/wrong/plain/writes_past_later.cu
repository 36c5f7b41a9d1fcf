/*!autotune
template  writes_past_later            # does so from its 30th launch on
grid      ceil_div(n, 256)
block     256
*/
__device__ int calls;

extern "C" __global__ void plain_writes_past_later(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
    if (i == n - 1 && ++calls >= 30)
        y[n] = 1;
}
