/*!autotune
template  traps_late                   # traps in its 40th launch
grid      ceil_div(n, 256)
block     256
*/
__device__ int calls;

extern "C" __global__ void plain_traps_late(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
    if (i == n - 1 && ++calls == 40)
        asm volatile("trap;");
}
