/*!autotune
op        marked                       # y = x, with scratch memory
shape     n
type      T = f32
type      M = u64
arg       y T[n] output
arg       x T[n] input uniform -1 1
arg       n i32
scratch   mark M[ceil_div(n, 256) + 2]
reference marked_reference
grid      ceil_div(n, 256)
block     256
traffic   2 * n * sizeof(T)
ceiling   copy n
*/
extern "C" __global__ void marked_reference(T *y, const T *x, int n, M *mark)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
