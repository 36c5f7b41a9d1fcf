/*!autotune
template  cluster                      # a row, or each of several, is in the registers of several blocks: of few tokens
use       norm                         # with its parameters

param     CLUSTER = 2 4 8              # blocks that share rows
param     WARPS   = 1 2 4 8 16         # of a block, for each row
param     ROWS    = 1 2 4 8 16         # so that each part of gamma is read for several rows

const     LANES   = CLUSTER * WARPS * 32 # threads that have a row
const     EACH    = ceil_div(hidden, LANES * ELEMS) # times as many of a thread
const     RAGGED  = hidden % (LANES * ELEMS) != 0

require   device.cc >= 90              # older devices have no clusters
require   2 * ELEMS > gcd(hidden, 8) || LANES * ELEMS >= hidden # far narrower than the alignment allows is slow
require   2 * hidden > LANES * ELEMS   # at least half of the threads have something
require   EACH * ELEMS <= 64           # they are in registers
require   WARPS * ROWS <= 32 && WARPS * ROWS >= 2
require   (EACH * ELEMS * 2 + 32) * WARPS * ROWS * 32 <= device.max_registers_per_block
require   ROWS == 1 || 2 * ceil_div(down, ROWS) * CLUSTER > device.sms # else fewer multiprocessors have something
require   ceil_div(down, ROWS) * CLUSTER <= 8 * device.sms # of more tokens each block has a row of its own

arg       q scales sum in residual gamma eps tokens
grid      ceil_div(down, ROWS) * CLUSTER
block     WARPS * ROWS * 32
default   CLUSTER=4 WARPS=1 ROWS=8 ELEMS=8 HINT=none BYTES=16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int CLUSTER = 4, WARPS = 1, ROWS = 8, LANES = 128, ELEMS = 8, LAYOUT = 1, ADD = 1, HIDDEN = 4096, GROUP = 4096, EACH = 4;
constexpr int RAGGED = 0, WHOLE = 1, BYTES = 16, HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT_apart = 3, HINT = HINT_none;
#include "../common/norm.cuh"
#endif

struct Is {
    static constexpr int  LANES = ::LANES, ELEMS = ::ELEMS, EACH = ::EACH, BYTES = ::BYTES, HIDDEN = ::HIDDEN, GROUP = ::GROUP;
    static constexpr int  LAYOUT = ::LAYOUT;
    static constexpr bool RAGGED = ::RAGGED != 0, WHOLE = ::WHOLE != 0, ONCE = HINT == HINT_once || HINT == HINT_apart;
};
constexpr bool KEEP = HINT >= HINT_keep;

/*
 * Every warp stores its sums into the shared memory of all blocks of its cluster, so that one barrier is enough. They must
 * have begun before: the other barrier, which nobody waits for while rows are on their way.
 */
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(WARPS * ROWS * 32)
rmsnorm_quant_cluster(unsigned char *__restrict__ q, unsigned char *__restrict__ scales, T *__restrict__ sum, const T *__restrict__ in,
    const T *__restrict__ residual, const T *__restrict__ gamma, float eps, long long tokens)
{
    __shared__ Sums parts[ROWS][CLUSTER * WARPS];
    const int rank = (int)__clusterRelativeBlockRank(), row = (int)threadIdx.x / (WARPS * 32);
    const int lane = rank * (WARPS * 32) + (int)threadIdx.x % (WARPS * 32);
    const long long token = (long long)(blockIdx.x / CLUSTER) * ROWS + row, first = token < tokens ? token * HIDDEN : 0;
    Share<Is> mine, weight; /* threads without a row read one, and write nothing */
    Largest<Is> largest;
    const auto gamma_of = [&](int i) -> const typename Share<Is>::Piece & { return weight.piece[i]; };

    __cluster_barrier_arrive();
    mine.template read<KEEP>(in + first, lane);
    weight.template read<false>(gamma, lane);
    if (ADD) {
        Share<Is> other;
        other.template read<KEEP>(residual + first, lane);
        mine.add(other, sum + first, lane, token < tokens);
    }
    if (WHOLE)
        largest.find(mine, gamma_of);
    Sums all = sums_of_warp<WHOLE>({ mine.squares(), WHOLE ? largest.of[0] : 0 });
    __cluster_barrier_wait();
    if (threadIdx.x % 32 < CLUSTER)
        *(Sums *)__cluster_map_shared_rank(&parts[row][lane / 32], threadIdx.x % 32) = all;
    __cluster_barrier_arrive();
    if (!WHOLE)
        largest.find(mine, gamma_of);
    __cluster_barrier_wait();
    all = joined<CLUSTER * WARPS>(parts[row]);
    if (WHOLE)
        largest.of[0] = all.largest;
    write_normalized<Is>(q, scales, mine, gamma_of, largest, all.squares, eps, lane, token, tokens);
}
