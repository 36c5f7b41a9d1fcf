/*!autotune
op        bits                         # y = x, of random bits
shape     n
type      T = u32
arg       y T[n] output
arg       x T[n] input bits
arg       n i32
reference bits_reference
grid      ceil_div(n, 256)
block     256
traffic   2 * n * sizeof(T)
ceiling   copy n
*/
extern "C" __global__ void bits_reference(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
