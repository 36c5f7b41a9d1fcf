/* vector_add.cu - c = a + b: tile_size_x accesses of `vector` floats a thread, a block's width apart. */
#if vector == 1
typedef float floats;
#elif vector == 2
typedef float2 floats;
#else
typedef float4 floats;
#endif

static __device__ float sum(float a, float b)
{
    return a + b;
}

static __device__ float2 sum(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

static __device__ float4 sum(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__global__ void vector_add(float *c, const float *a, const float *b, int n)
{
    const int first = blockIdx.x * (block_size_x * tile_size_x) + threadIdx.x;

#pragma unroll
    for (int t = 0; t < tile_size_x; t++) {
        const int i = first + t * block_size_x;
        if (i < n / vector)
            ((floats *)c)[i] = sum(((const floats *)a)[i], ((const floats *)b)[i]);
    }
}
