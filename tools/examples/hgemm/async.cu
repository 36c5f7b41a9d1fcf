/*!autotune
template  async                        # wgmma, tiles brought by cp.async
use       wgmma
target    sm_90a

param     GROUPS = 1 2                 # warp groups of a block, 64 rows each
param     N = 64 128 256               # columns of a block
param     STAGES = 2 3 4               # tiles on their way, or in use
param     BAND = 1 8                   # rows of blocks that go over the columns together

const     M = 64 * GROUPS
const     STAGE_BYTES = (M + N) * 128
require   m % M == 0 && n % N == 0 && k % 64 == 0 # whole tiles alone
require   m / M % BAND == 0
require   k / 64 >= STAGES
require   STAGES * STAGE_BYTES + 1024 <= device.max_shared_bytes

grid      m / M * (n / N)
block     128 * GROUPS
shared    STAGES * STAGE_BYTES + 1024
default   GROUPS=2 N=128 STAGES=4 BAND=8
*/

__device__ __forceinline__ void bring(unsigned to, const T *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/* Rows of 64 factors, from `from` on, `k` from one row to the next. */
template <int rows> __device__ __forceinline__ void bring_tile(unsigned to, const T *from, int k)
{
#pragma unroll
    for (int i = threadIdx.x; i < rows * 8; i += 128 * GROUPS) {
        const int row = i / 8, part = i % 8;
        bring(to + row * ROW_BYTES + ((part ^ (row & 7)) << 4), from + (long long)row * k + part * 8);
    }
}

extern "C" __global__ void __launch_bounds__(128 * GROUPS) hgemm_async(T *c, const T *a, const T *b, int m, int n, int k)
{
    extern __shared__ char memory[];
    const unsigned tiles = ((unsigned)__cvta_generic_to_shared(memory) + 1023) & ~1023u;
    const int columns = n / N, band = blockIdx.x / (BAND * columns), within = blockIdx.x % (BAND * columns);
    const int row = (band * BAND + within % BAND) * M, column = within / BAND * N, group = threadIdx.x / 128;
    const T *from_a = a + (long long)row * k, *from_b = b + (long long)column * k;
    const int slices = k / ROW_FACTORS;
    float sums[N / 2];

    auto bring_stage = [&](int slice) {
        const unsigned to = tiles + slice % STAGES * STAGE_BYTES;
        if (slice < slices) {
            bring_tile<M>(to, from_a + slice * ROW_FACTORS, k);
            bring_tile<N>(to + M * ROW_BYTES, from_b + slice * ROW_FACTORS, k);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    for (int s = 0; s < STAGES - 1; s++)
        bring_stage(s);
    for (int s = 0; s < slices; s++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); /* products read as the copy engine does */
        __syncthreads(); /* it is there, for all; and of the one before all products are over */
        bring_stage(s + STAGES - 1);
        const unsigned at_a = tiles + s % STAGES * STAGE_BYTES + group * 64 * ROW_BYTES,
                       at_b = tiles + s % STAGES * STAGE_BYTES + M * ROW_BYTES;
        begin_products();
#pragma unroll
        for (int part = 0; part < 4; part++)
            multiply<N>(sums, tile_of(at_a + part * 32), tile_of(at_b + part * 32), s > 0 || part > 0);
        end_products();
        wait_for_products<0>();
    }
    store_sums<N>(c, sums, row + group * 64, column, m, n);
}
