/* Random bits by xorshift; another stream for each buffer. */
__global__ void autotune_fill(unsigned char *to, size_t bytes, unsigned long long seed)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += (size_t)gridDim.x * blockDim.x) {
        unsigned long long x = (i + 1) * 0x9e3779b97f4a7c15ull ^ seed * 0xd1342543de82ef95ull;
        x ^= x >> 29;
        x *= 0xbf58476d1ce4e5b9ull;
        to[i] = (unsigned char)(x >> 40);
    }
}

static void autotune_fill_buffer(int buffer, void *memory, unsigned long long seed, cudaStream_t stream)
{
    autotune_fill<<<1024, 256, 0, stream>>>((unsigned char *)memory, autotune_buffers[buffer].bytes, seed);
}

static bool autotune_is_restored(int buffer)
{
    return autotune_buffers[buffer].input && autotune_buffers[buffer].output;
}

__global__ void autotune_compare(const unsigned char *got, const unsigned char *expected, size_t bytes, unsigned long long *wrong)
{
    unsigned long long own = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += (size_t)gridDim.x * blockDim.x)
        own += got[i] != expected[i];
    if (own)
        atomicAdd(wrong, own);
}

/* Bit for bit. */
static bool autotune_is_right(int buffer, const void *got, const void *expected)
{
    unsigned long long *memory = nullptr, wrong = 0;
    autotune_must(cudaMalloc((void **)&memory, sizeof wrong), "cudaMalloc");
    autotune_must(cudaMemset(memory, 0, sizeof wrong), "cudaMemset");
    autotune_compare<<<1024, 256>>>((const unsigned char *)got, (const unsigned char *)expected, autotune_buffers[buffer].bytes, memory);
    autotune_must(cudaMemcpy(&wrong, memory, sizeof wrong, cudaMemcpyDeviceToHost), "comparison");
    cudaFree(memory);
    if (wrong)
        std::printf("%s: %llu of %zu bytes are wrong\n", autotune_buffers[buffer].name, wrong,
                    autotune_buffers[buffer].bytes);
    return wrong == 0;
}

