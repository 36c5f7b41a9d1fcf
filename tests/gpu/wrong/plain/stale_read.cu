/*!autotune
template  stale_read                   # stores, and reads its own stores by ld.global.nc
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_stale_read(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    const T old = __ldg(&y[i]);
    y[i] = x[i] + 1;
    __syncthreads();
    T again;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(again) : "l"(&y[i]) : "memory");
    y[i] = again == x[i] + 1 ? x[i] : old;
}
