/*!autotune
op        stored                       # y = x through 2000 steps of the logistic map, with scratch memory
shape     n
type      T = f32
arg       y T[n] output
arg       x T[n] input uniform 0.1 0.9
arg       n i32
scratch   s T[n + 2]
reference stored_reference
grid      ceil_div(n, 256)
block     256
traffic   2 * n * sizeof(T)
ceiling   none
*/
extern "C" __global__ void stored_reference(T *y, const T *x, int n, T *s)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    T v = x[i];
    for (int k = 0; k < 2000; k++)
        v = 3.7f * v * (1 - v);
    y[i] = v;
}
