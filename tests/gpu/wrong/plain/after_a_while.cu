/*!autotune
template  after_a_while                # does nothing 1 ms after its first launch, by the global timer
grid      ceil_div(n, 4096)
block     1024
*/
__device__ unsigned long long born;

static __device__ unsigned long long nanoseconds()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

extern "C" __global__ void plain_after_a_while(T *y, const T *x, int n)
{
    const unsigned long long now = threadIdx.x == 0 ? nanoseconds() : 0;
    if (__syncthreads_or(now && born && now - born > 1000000))
        return;
    for (int i = blockIdx.x * 4096 + threadIdx.x; i < n && i < (blockIdx.x + 1) * 4096; i += 1024)
        y[i] = x[i];
    if (now && blockIdx.x == 0 && !born)
        born = now;
}
