/*!autotune
template  two                          # a launch for parts, and one that adds them

param     BLOCKS  = 64 1024
param     THREADS = 128 256

launch    total_parts grid BLOCKS block THREADS arg x partial n
launch    total_whole grid 1 block 32 arg y partial
default   BLOCKS=64 THREADS=128
*/
__device__ static A across_warp(A sum)
{
    for (int lane = 16; lane; lane /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, lane);
    return sum;
}

extern "C" __global__ void total_parts(const T *x, A *partial, long long n)
{
    __shared__ A sums[THREADS / 32];
    A sum = 0;
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n; i += (long long)BLOCKS * THREADS)
        sum += x[i];
    sum = across_warp(sum);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = across_warp(threadIdx.x < THREADS / 32 ? sums[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            partial[blockIdx.x] = sum;
    }
}

extern "C" __global__ void total_whole(T *y, const A *partial)
{
    A sum = 0;
    for (int i = threadIdx.x; i < BLOCKS; i += 32)
        sum += partial[i];
    sum = across_warp(sum);
    if (threadIdx.x == 0)
        y[0] = (T)sum;
}
