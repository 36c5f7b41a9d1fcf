/*!autotune
template  same_multiprocessor          # a block works only on the multiprocessor where it was in the first launch
grid      ceil_div(n, 256)
block     256
*/
__device__ unsigned where[65536];

extern "C" __global__ void plain_same_multiprocessor(T *y, const T *x, int n)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
    const int i = blockIdx.x * 256 + threadIdx.x;
    const unsigned was = where[blockIdx.x % 65536];
    if (was && was != sm + 1)
        return;
    if (i < n)
        y[i] = x[i];
    if (threadIdx.x == 0 && !was)
        where[blockIdx.x % 65536] = sm + 1;
}
