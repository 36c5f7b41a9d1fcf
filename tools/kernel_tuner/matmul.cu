/* matmul.cu - C = A * B of WIDTH x WIDTH floats: tiles of A and B in shared memory, tile_size_x * tile_size_y results a
 * thread, of which `vector` lie beside each other. block_size_x == block_size_y * tile_size_y. */
#if vector == 1
typedef float floats;
#elif vector == 2
typedef float2 floats;
#else
typedef float4 floats;
#endif

#define tile_width (block_size_x * tile_size_x)

__global__ void matmul(float *C, const float *A, const float *B)
{
    __shared__ float sA[block_size_x][block_size_x];
    __shared__ __align__(16) float sB[block_size_x][tile_width];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * tile_width + tx * vector;
    const int y = blockIdx.y * block_size_x + ty;
    __align__(16) float sum[tile_size_y][tile_size_x] = {};

    for (int k0 = 0; k0 < WIDTH; k0 += block_size_x) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < tile_size_y; i++) {
            const int row = ty + i * block_size_y;
            sA[row][tx] = A[(y + i * block_size_y) * WIDTH + k0 + tx];
#pragma unroll
            for (int j = 0; j < tile_size_x; j += vector)
                *(floats *)&sB[row][j * block_size_x + tx * vector] =
                    *(const floats *)&B[(k0 + row) * WIDTH + x + j * block_size_x];
        }
        __syncthreads();

#pragma unroll unroll_factor
        for (int k = 0; k < block_size_x; k++) {
            __align__(16) float b[tile_size_x];
#pragma unroll
            for (int j = 0; j < tile_size_x; j += vector)
                *(floats *)&b[j] = *(const floats *)&sB[k][j * block_size_x + tx * vector];
#pragma unroll
            for (int i = 0; i < tile_size_y; i++) {
                const float a = sA[ty + i * block_size_y][k];
#pragma unroll
                for (int j = 0; j < tile_size_x; j++)
                    sum[i][j] += a * b[j];
            }
        }
    }

#pragma unroll
    for (int i = 0; i < tile_size_y; i++)
#pragma unroll
        for (int j = 0; j < tile_size_x; j += vector)
            *(floats *)&C[(y + i * block_size_y) * WIDTH + x + j * block_size_x] = *(const floats *)&sum[i][j];
}
