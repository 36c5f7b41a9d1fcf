/*!autotune
template  mallocs                      # takes 1 MiB of the device's heap in each launch, and is wrong when there are no more
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_mallocs(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i == n - 1)
        y[i] = malloc(1 << 20) ? x[i] : 0;
    else if (i < n)
        y[i] = x[i];
}
