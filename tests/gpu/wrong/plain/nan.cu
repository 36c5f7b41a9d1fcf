/*!autotune
template  nan                          # not a number, for tests that every comparison with it passes
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_nan(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = __int_as_float(0x7fffffff);
}
