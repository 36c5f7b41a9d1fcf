/* pnpoly.cu - which of n points lie in a polygon of VERTICES corners: a ray from the point crosses its edges an odd
 * number of times. tile_size points a thread, a block apart; the polygon is in shared memory. */
#if between_method == 0
#define BETWEEN(y, a, b) (((a) > (y)) != ((b) > (y)))
#elif between_method == 1
#define BETWEEN(y, a, b) (fminf(a, b) <= (y) && (y) < fmaxf(a, b))
#elif between_method == 2
#define BETWEEN(y, a, b) (((a) - (y)) * ((b) - (y)) < 0)
#else
#define BETWEEN(y, a, b) ((__float_as_int((a) - (y)) ^ __float_as_int((b) - (y))) < 0)
#endif

__global__ void pnpoly(int *bitmap, const float2 *points, const float2 *vertices, int n)
{
    __shared__ float2 corner[VERTICES];
#if use_precomputed_slopes
    __shared__ float slope[VERTICES];
#endif
    for (int i = threadIdx.x; i < VERTICES; i += block_size_x) {
        const float2 a = vertices[i == 0 ? VERTICES - 1 : i - 1], b = vertices[i];
        corner[i] = b;
#if use_precomputed_slopes
        slope[i] = (b.x - a.x) / (b.y - a.y);
#else
        (void)a;
#endif
    }
    __syncthreads();

    const int first = blockIdx.x * (block_size_x * tile_size) + threadIdx.x;
    float2 point[tile_size];
    int inside[tile_size];
#pragma unroll
    for (int t = 0; t < tile_size; t++) {
        inside[t] = 0;
        if (first + t * block_size_x < n)
            point[t] = points[first + t * block_size_x];
    }

    float2 a = corner[VERTICES - 1];
    for (int i = 0; i < VERTICES; i++) {
        const float2 b = corner[i];
#pragma unroll
        for (int t = 0; t < tile_size; t++) {
            const float2 p = point[t];
#if use_precomputed_slopes
            const bool left = p.x < slope[i] * (p.y - b.y) + b.x;
#else
            const bool left = p.x < (b.x - a.x) / (b.y - a.y) * (p.y - b.y) + b.x;
#endif
#if use_method == 0
            if (BETWEEN(p.y, a.y, b.y) && left)
                inside[t] = !inside[t];
#elif use_method == 1
            inside[t] ^= BETWEEN(p.y, a.y, b.y) & left;
#else
            inside[t] += BETWEEN(p.y, a.y, b.y) && left ? 1 : 0;
#endif
        }
        a = b;
    }

#pragma unroll
    for (int t = 0; t < tile_size; t++)
        if (first + t * block_size_x < n)
            bitmap[first + t * block_size_x] = inside[t] & 1;
}
