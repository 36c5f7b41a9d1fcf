/*!autotune
op        lax                          # y = x * (1 + 2^-12), with a tolerance that is too wide
shape     n
type      T = f32
arg       y T[n] output
arg       x T[n] input uniform -1e-4 1e-4
arg       n i32
reference lax_reference
grid      ceil_div(n, 256)
block     256
check     within 1e-3 relative 1e-3 absolute
traffic   2 * n * sizeof(T)
ceiling   copy n
*/
extern "C" __global__ void lax_reference(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i] * 1.000244140625f;
}
