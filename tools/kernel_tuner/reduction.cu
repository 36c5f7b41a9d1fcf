/* reduction.cu - adds the sum of n floats to *sum, which must be 0 before: num_blocks blocks walk the array by vectors,
 * with unroll_factor sums a thread; a block's are joined by shuffles or in shared memory. */
#if vector == 1
typedef float floats;
#elif vector == 2
typedef float2 floats;
#else
typedef float4 floats;
#endif

static __device__ float total(float a)
{
    return a;
}

static __device__ float total(float2 a)
{
    return a.x + a.y;
}

static __device__ float total(float4 a)
{
    return (a.x + a.y) + (a.z + a.w);
}

__global__ void reduction(float *sum, const float *array, int n)
{
    const floats *const from = (const floats *)array;
    const int count = n / vector, stride = block_size_x * num_blocks;
    float part[unroll_factor] = {};
    int i = blockIdx.x * block_size_x + threadIdx.x;

    for (; i + (unroll_factor - 1) * (long long)stride < count; i += unroll_factor * stride)
#pragma unroll
        for (int u = 0; u < unroll_factor; u++)
            part[u] += total(from[i + u * stride]);
    for (; i < count; i += stride)
        part[0] += total(from[i]);
#pragma unroll
    for (int u = 1; u < unroll_factor; u++)
        part[0] += part[u];

    float own = part[0];
    __shared__ float joined[block_size_x];
#if use_shuffle
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_down_sync(0xffffffff, own, step);
    if (threadIdx.x % 32 == 0)
        joined[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x < 32) {
        own = threadIdx.x < block_size_x / 32 ? joined[threadIdx.x] : 0;
        for (int step = 16; step > 0; step /= 2)
            own += __shfl_down_sync(0xffffffff, own, step);
    }
#else
    joined[threadIdx.x] = own;
    for (int step = block_size_x / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step)
            joined[threadIdx.x] = own += joined[threadIdx.x + step];
    }
#endif
    if (threadIdx.x == 0)
        atomicAdd(sum, own);
}
