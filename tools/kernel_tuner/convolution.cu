/* convolution.cu - filters an image: output[y][x] = sum over i, j of input[y + i][x + j] * filter[i][j].
 * The input has filter_width - 1 more columns than the output, filter_height - 1 more rows.
 * tile_size_x * tile_size_y pixels a thread, block_size_x and block_size_y apart. */
#ifndef filter_width
#define filter_width 17
#define filter_height 17
#endif

#define input_width (image_width + filter_width - 1)
#define input_height (image_height + filter_height - 1)
#define tile_width (block_size_x * tile_size_x)
#define tile_height (block_size_y * tile_size_y)
#define shared_width (tile_width + filter_width - 1)
#define shared_height (tile_height + filter_height - 1)

#if read_only
#define READ(address) __ldg(address)
#else
#define READ(address) (*(address))
#endif

__global__ void convolution(float *output, const float *input, const float *filter)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x0 = blockIdx.x * tile_width, y0 = blockIdx.y * tile_height;
    float sum[tile_size_y][tile_size_x] = {};

#if use_shmem
    __shared__ float tile[shared_height][shared_width + use_padding];
    for (int i = ty; i < shared_height; i += block_size_y)
        for (int j = tx; j < shared_width; j += block_size_x)
            if (y0 + i < input_height && x0 + j < input_width)
                tile[i][j] = READ(&input[(y0 + i) * input_width + x0 + j]);
    __syncthreads();
#define PIXEL(row, column) tile[row][column]
#else
#define PIXEL(row, column) \
    READ(&input[min(y0 + (row), input_height - 1) * input_width + min(x0 + (column), input_width - 1)])
#endif

    for (int i = 0; i < filter_height; i++)
#pragma unroll
        for (int j = 0; j < filter_width; j++) {
            const float weight = READ(&filter[i * filter_width + j]);
#pragma unroll
            for (int ti = 0; ti < tile_size_y; ti++)
#pragma unroll
                for (int tj = 0; tj < tile_size_x; tj++)
                    sum[ti][tj] += PIXEL(ty + ti * block_size_y + i, tx + tj * block_size_x + j) * weight;
        }

#pragma unroll
    for (int ti = 0; ti < tile_size_y; ti++)
#pragma unroll
        for (int tj = 0; tj < tile_size_x; tj++) {
            const int y = y0 + ty + ti * block_size_y, x = x0 + tx + tj * block_size_x;
            if (y < image_height && x < image_width)
                output[y * image_width + x] = sum[ti][tj];
        }
}
