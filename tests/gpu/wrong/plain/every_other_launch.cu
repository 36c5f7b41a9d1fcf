/*!autotune
template  every_other_launch           # does nothing in launches 3, 5, 7, ...
grid      ceil_div(n, 256)
block     256
*/
__device__ int calls;

extern "C" __global__ void plain_every_other_launch(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int mine = calls;
    if (i < n && (mine < 2 || mine % 2))
        y[i] = x[i];
    if (i == n - 1)
        calls = mine + 1;
}
