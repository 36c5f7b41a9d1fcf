/*!autotune
template  counts_launches              # does nothing from its 60th launch on
grid      ceil_div(n, 256)
block     256
*/
__device__ int calls;

extern "C" __global__ void plain_counts_launches(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (calls >= 60)
        return;
    if (i < n)
        y[i] = x[i];
    if (i == n - 1)
        calls++;
}
