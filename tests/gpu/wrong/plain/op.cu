/*!autotune
op        plain                        # y = x
shape     n
type      T = f32
arg       y T[n] output
arg       x T[n] input uniform -1 1
arg       n i32
reference plain_reference
grid      ceil_div(n, 256)
block     256
traffic   2 * n * sizeof(T)
ceiling   copy n
*/
extern "C" __global__ void plain_reference(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
