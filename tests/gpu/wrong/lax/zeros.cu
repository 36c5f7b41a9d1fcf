/*!autotune
template  zeros                        # 0, without a look at its input
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void lax_zeros(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = 0;
}
