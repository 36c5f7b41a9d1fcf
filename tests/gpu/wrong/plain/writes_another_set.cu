/*!autotune
template  writes_another_set           # writes one element of a buffer that lies 8 MiB behind its output
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_writes_another_set(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
    if (i == n - 1)
        y[n + (2 << 20)] = 3;
}
