/*!autotune
template  tensor                       # wgmma, tiles brought by tensor maps; one warp group brings, the others multiply
use       wgmma tensor
target    sm_90a

param     GROUPS = 1 2                 # warp groups that multiply, 64 rows each
param     N = 64 128 256               # columns of a block
param     STAGES = 2 3 4 6             # tiles on their way, or in use
param     BAND = 1 8                   # rows of blocks that go over the columns together

const     M = 64 * GROUPS
const     STAGE_BYTES = (M + N) * 128
require   k % 8 == 0 && n % 8 == 0     # rows begin at multiples of 16 bytes
require   STAGES * STAGE_BYTES + 1024 <= device.max_shared_bytes

tensormap tiles_a = a dims k m box 64 M swizzle 128 l2 256
tensormap tiles_b = b dims k n box 64 N swizzle 128 l2 256
arg       c tiles_a tiles_b m n k

let       bands = ceil_div(ceil_div(m, M), BAND)
grid      bands * BAND * ceil_div(n, N)
block     128 * (GROUPS + 1)
shared    STAGES * STAGE_BYTES + 1024
default   GROUPS=2 N=128 STAGES=4 BAND=8
*/

extern "C" __global__ void __launch_bounds__(128 * (GROUPS + 1))
    hgemm_tensor(T *c, const __grid_constant__ TensorMap tiles_a, const __grid_constant__ TensorMap tiles_b, int m, int n, int k)
{
    extern __shared__ char memory[];
    __shared__ Barrier full[STAGES], empty[STAGES];
    char *tiles = memory + (1024 - shared_address(memory) % 1024) % 1024;
    const int columns = (n + N - 1) / N, band = blockIdx.x / (BAND * columns), within = blockIdx.x % (BAND * columns);
    const int row = (band * BAND + within % BAND) * M, column = within / BAND * N, group = threadIdx.x / 128;
    const int slices = (k + ROW_FACTORS - 1) / ROW_FACTORS;
    if (row >= m)
        return;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            make_barrier(&full[i], 1);
            make_barrier(&empty[i], GROUPS);
        }
        barriers_are_made();
    }
    __syncthreads();

    if (group == GROUPS) { /* brings */
        if constexpr (GROUPS > 1)
            asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x % 128)
            return;
        for (int s = 0; s < slices; s++) {
            const int at = s % STAGES;
            char *to = tiles + at * STAGE_BYTES;
            if (s >= STAGES)
                wait(&empty[at], (s / STAGES - 1) & 1);
            arrive_announcing(&full[at], STAGE_BYTES);
            fetch_box(to, &tiles_a, s * ROW_FACTORS, row, &full[at]);
            fetch_box(to + M * ROW_BYTES, &tiles_b, s * ROW_FACTORS, column, &full[at]);
        }
        return;
    }

    if constexpr (GROUPS > 1) /* of 168 */
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float sums[N / 2];
    for (int s = 0; s < slices; s++) {
        const int at = s % STAGES;
        const unsigned of_a = shared_address(tiles + at * STAGE_BYTES) + group * 64 * ROW_BYTES,
                       of_b = shared_address(tiles + at * STAGE_BYTES) + M * ROW_BYTES;
        wait(&full[at], s / STAGES & 1);
        begin_products();
#pragma unroll
        for (int part = 0; part < 4; part++)
            multiply<N>(sums, tile_of(of_a + part * 32), tile_of(of_b + part * 32), s > 0 || part > 0);
        end_products();
        wait_for_products<1>(); /* those of the slice before are over, for the whole group once each warp says so */
        if (s > 0 && threadIdx.x % 128 == 0)
            arrive(&empty[(s - 1) % STAGES]);
    }
    wait_for_products<0>();
    store_sums<N>(c, sums, row + group * 64, column, m, n);
}
