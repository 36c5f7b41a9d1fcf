/*!autotune
template  rows                         # a row is in the registers of some threads; memory is read once
use       norm                         # with its parameters

param     LANES   = 32 64 128 256 512 1024 # threads that have a row
param     ROWS    = 1 2 4 8            # of a block
param     EARLY   = 0 1                # gamma is asked for with the row, or when the row's sum is known

const     EACH    = ceil_div(hidden, LANES * ELEMS) # times as many of a thread
const     RAGGED  = hidden % (LANES * ELEMS) != 0

require   EARLY == 1 || !WHOLE         # the largest of a row is known with its sum
require   2 * ELEMS > gcd(hidden, 8) || LANES * ELEMS >= hidden # far narrower than the alignment allows is slow
require   2 * hidden > LANES * ELEMS   # at least half of the threads have something
require   EACH * ELEMS <= 64           # they are in registers
require   LANES * ROWS <= 1024 && LANES * ROWS >= 64
require   (EACH * ELEMS * (1 + EARLY) + 32) * LANES * ROWS <= device.max_registers_per_block
require   ROWS == 1 || 2 * ceil_div(down, ROWS) > device.sms # else fewer multiprocessors have something
require   ceil_div(down, ROWS) <= device.max_grid_x

arg       q scales sum in residual gamma eps tokens
grid      ceil_div(down, ROWS)
block     LANES * ROWS
default   LANES=256 ROWS=1 ELEMS=8 EARLY=1 HINT=none BYTES=16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int LANES = 256, ROWS = 1, ELEMS = 8, EARLY = 1, LAYOUT = 1, ADD = 1, HIDDEN = 4096, GROUP = 4096, EACH = 2, RAGGED = 0, WHOLE = 1;
constexpr int BYTES = 16, HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT_apart = 3, HINT = HINT_none;
#include "../common/norm.cuh"
#endif

struct Is {
    static constexpr int  LANES = ::LANES, ELEMS = ::ELEMS, EACH = ::EACH, BYTES = ::BYTES, HIDDEN = ::HIDDEN, GROUP = ::GROUP;
    static constexpr int  LAYOUT = ::LAYOUT;
    static constexpr bool RAGGED = ::RAGGED != 0, WHOLE = ::WHOLE != 0, ONCE = HINT == HINT_once || HINT == HINT_apart;
};
constexpr bool KEEP = HINT >= HINT_keep;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
rmsnorm_quant_rows(unsigned char *__restrict__ q, unsigned char *__restrict__ scales, T *__restrict__ sum, const T *__restrict__ in,
    const T *__restrict__ residual, const T *__restrict__ gamma, float eps, long long tokens)
{
    constexpr int WARPS = LANES / 32; /* that have a row */
    __shared__ Sums parts[ROWS][WARPS];
    const int lane = (int)threadIdx.x % LANES, row = (int)threadIdx.x / LANES;
    const long long token = (long long)blockIdx.x * ROWS + row, first = token < tokens ? token * HIDDEN : 0;
    Share<Is> mine, weight; /* threads without a row read one, and write nothing */
    Largest<Is> largest;
    const auto gamma_of = [&](int i) -> const typename Share<Is>::Piece & { return weight.piece[i]; };

    mine.template read<KEEP>(in + first, lane);
    if (EARLY)
        weight.template read<false>(gamma, lane);
    if (ADD) {
        Share<Is> other;
        other.template read<KEEP>(residual + first, lane);
        mine.add(other, sum + first, lane, token < tokens);
    }
    if (WHOLE)
        largest.find(mine, gamma_of);
    Sums all = sums_of_warp<WHOLE>({ mine.squares(), WHOLE ? largest.of[0] : 0 });
    if (WARPS > 1 && lane % 32 == 0)
        parts[row][lane / 32] = all;
    if (EARLY && !WHOLE) /* while other warps wait for their elements */
        largest.find(mine, gamma_of);
    if (WARPS > 1) {
        __syncthreads();
        all = joined<WARPS, WHOLE>(parts[row]);
    }
    if (!EARLY) {
        weight.template read<false>(gamma, lane);
        largest.find(mine, gamma_of);
    }
    if (WHOLE)
        largest.of[0] = all.largest;
    write_normalized<Is>(q, scales, mine, gamma_of, largest, all.squares, eps, lane, token, tokens);
}
