/*!autotune
template  shared                       # counted in shared memory first
param     BLOCKS  = 132 528
param     THREADS = 256 512
grid      BLOCKS
block     THREADS
shared    256 * 4
*/
extern "C" __global__ void bins_shared(T *y, const T *x, long long n)
{
    extern __shared__ T own[];
    for (int i = threadIdx.x; i < 256; i += THREADS)
        own[i] = 0;
    __syncthreads();
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n; i += (long long)BLOCKS * THREADS)
        atomicAdd(&own[x[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += THREADS)
        atomicAdd(&y[i], own[i]);
}
