/* One row of autotune_data for each buffer: numbers as the code above has them. */
static __device__ size_t autotune_first()
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ size_t autotune_step()
{
    return (size_t)gridDim.x * blockDim.x;
}

__global__ void autotune_bits(unsigned char *to, size_t bytes, unsigned long long seed)
{
    for (size_t i = autotune_first(); i < bytes; i += autotune_step())
        to[i] = (unsigned char)(atx_random(seed, i / 8) >> i % 8 * 8);
}

__global__ void autotune_generate(void *to, size_t count, autotune_contents c, unsigned long long seed)
{
    for (size_t i = autotune_first(); i < count; i += autotune_step())
        atx_set_bits(to, i, atx_number_bytes(c.number), atx_generate(i, count, c.number, c.how, &c.filling, seed));
}

/* found[0]: how many numbers are wrong; then sums of squares of what the others are off, and of what is right. */
__global__ void autotune_compare(const void *got, const void *right, size_t count, autotune_contents c, double *found)
{
    double wrong = 0, off[ATX_SQUARES] = {}, all[ATX_SQUARES] = {};
    for (size_t i = autotune_first(); i < count; i += autotune_step()) {
        const atx_u64 x = atx_bits_at(got, i, atx_number_bytes(c.number)), y = atx_bits_at(right, i, atx_number_bytes(c.number));
        const double  by = atx_wrong_by(x, y, c.number, c.rule, c.relative, c.absolute), value = atx_number_value(y, c.number);
        const bool    far = c.rule == ATX_NORM ? !atx_is_finite(by) : by > 0;
        wrong += far;
        atx_squares_add(off, c.rule == ATX_NORM && !far ? by : 0);
        atx_squares_add(all, atx_is_finite(value) ? value : 0);
    }
    atomicAdd(&found[0], wrong);
    for (int k = 0; k < ATX_SQUARES; k++) {
        atomicAdd(&found[1 + k], off[k]);
        atomicAdd(&found[1 + ATX_SQUARES + k], all[k]);
    }
}

/* How far off the whole is goes behind the sums. */
__global__ void autotune_norm(double *found)
{
    found[1 + 2 * ATX_SQUARES] = atx_norm_of(found + 1, found + 1 + ATX_SQUARES);
}

static size_t autotune_count(int buffer)
{
    return autotune_buffers[buffer].bytes / (autotune_data[buffer].number & 15);
}

static void autotune_fill_buffer(int buffer, void *memory, unsigned long long seed, cudaStream_t stream)
{
    autotune_contents c = autotune_data[buffer];
    c.filling.other = seed - buffer + c.of; /* see autotune_seed */
    if (c.zero)
        autotune_must(cudaMemsetAsync(memory, 0, autotune_buffers[buffer].bytes, stream), "cudaMemsetAsync");
    else if (c.how == ATX_BITS)
        autotune_bits<<<1024, 256, 0, stream>>>((unsigned char *)memory, autotune_buffers[buffer].bytes, seed);
    else
        autotune_generate<<<1024, 256, 0, stream>>>(memory, autotune_count(buffer), c, seed);
}

static bool autotune_is_restored(int buffer)
{
    return autotune_data[buffer].zero || (autotune_buffers[buffer].input && autotune_buffers[buffer].output);
}

static bool autotune_is_right(int buffer, const void *got, const void *expected)
{
    const autotune_contents c = autotune_data[buffer];
    double *memory = nullptr, found[2 + 2 * ATX_SQUARES] = {};
    autotune_must(cudaMalloc((void **)&memory, sizeof found), "cudaMalloc");
    autotune_must(cudaMemset(memory, 0, sizeof found), "cudaMemset");
    autotune_compare<<<1024, 256>>>(got, expected, autotune_count(buffer), c, memory);
    autotune_norm<<<1, 1>>>(memory);
    autotune_must(cudaMemcpy(found, memory, sizeof found, cudaMemcpyDeviceToHost), "comparison");
    cudaFree(memory);
    const bool far = c.rule == ATX_NORM && !(found[1 + 2 * ATX_SQUARES] <= c.relative);
    if (found[0] > 0 || far)
        std::printf("%s: %.0f of %zu numbers are wrong%s\n", autotune_buffers[buffer].name, found[0], autotune_count(buffer),
                    far ? ", and the whole is too far off" : "");
    return found[0] == 0 && !far;
}

