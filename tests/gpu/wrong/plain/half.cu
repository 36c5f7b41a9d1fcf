/*!autotune
template  half                         # writes the first half of its output, and leaves the rest as it was
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_half(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n / 2)
        y[i] = x[i];
}
