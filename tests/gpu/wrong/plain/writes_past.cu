/*!autotune
template  writes_past                  # writes one element past the end of its output
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_writes_past(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
    if (i == n - 1)
        y[n] = 1;
}
