/*!autotune
template  minus_zero                   # -0 for +0, which compares equal
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void relu_minus_zero(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i] > 0 ? x[i] : -0.0f;
}
