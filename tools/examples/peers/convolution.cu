/* convolution.cu - the convolution that one writes first: an output a thread, everything from the caches. */
#include <cuda_runtime.h>

static __global__ void plain(float *out, const float *in, const float *filter, int rows, int cols)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    float sum = 0;
    if (x >= cols || y >= rows)
        return;
    for (int i = 0; i < 17; i++)
        for (int j = 0; j < 17; j++)
            sum += in[(size_t)(y + i) * (size_t)(cols + 16) + x + j] * filter[i * 17 + j];
    out[(size_t)y * cols + x] = sum;
}

extern "C" void convolution_plain(float *out, const float *in, const float *filter, int rows, int cols, cudaStream_t stream)
{
    const dim3 block(32, 8), grid((cols + 31) / 32, (rows + 7) / 8);
    plain<<<grid, block, 0, stream>>>(out, in, filter, rows, cols);
}
