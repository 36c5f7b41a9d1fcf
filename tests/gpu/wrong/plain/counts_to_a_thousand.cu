/*!autotune
template  counts_to_a_thousand         # does nothing from its 1000th launch on, which only a long re-measurement reaches
grid      ceil_div(n, 256)
block     256
*/
__device__ int calls;

extern "C" __global__ void plain_counts_to_a_thousand(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (calls >= 1000)
        return;
    if (i < n)
        y[i] = x[i];
    if (i == n - 1)
        calls++;
}
