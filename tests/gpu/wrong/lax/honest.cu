/*!autotune
template  honest                       # the kernel that should win
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void lax_honest(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i] * 1.000244140625f;
}
