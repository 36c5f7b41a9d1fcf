/*!autotune
template  turns                        # blocks stay, read gamma once, and ask for their next row before they write this one
use       norm                         # with its parameters

param     LANES   = 64 128 256 512 1024 # threads that have a row
param     ROWS    = 1 2 4              # of a block at a time
param     BLOCKS  = 1 2 3 4 6 8        # of a multiprocessor
param     GAMMA   = registers shared   # where it is

const     EACH    = ceil_div(hidden, LANES * ELEMS) # times as many of a thread
const     RAGGED  = hidden % (LANES * ELEMS) != 0
let       step    = BLOCKS * device.sms * ROWS # rows that all blocks have at a time

require   2 * ELEMS > gcd(hidden, 8) || LANES * ELEMS >= hidden # far narrower than the alignment allows is slow
require   2 * hidden > LANES * ELEMS   # at least half of the threads have something
require   EACH * ELEMS <= 64           # they are in registers
require   LANES * ROWS <= 1024 && LANES * ROWS >= 64
require   (EACH * ELEMS * (2 + (GAMMA == GAMMA_registers) + ADD) / 2 + 40) * LANES * ROWS * BLOCKS <= device.max_registers_per_block # no spills
require   LANES * ROWS * BLOCKS <= 2048 && LANES * ROWS * BLOCKS >= 256
require   GAMMA == GAMMA_registers || EACH * LANES * ELEMS * sizeof(T) <= 40960
require   down > step                  # blocks have several rows

arg       q scales sum in residual gamma eps tokens
grid      BLOCKS * device.sms
block     LANES * ROWS
default   LANES=256 ROWS=1 BLOCKS=4 GAMMA=registers ELEMS=8 HINT=none BYTES=16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int LANES = 256, ROWS = 1, BLOCKS = 2, GAMMA_registers = 0, GAMMA_shared = 1, GAMMA = GAMMA_registers;
constexpr int ELEMS = 8, LAYOUT = 1, ADD = 1, HIDDEN = 4096, GROUP = 4096, EACH = 2, RAGGED = 0, WHOLE = 1;
constexpr int BYTES = 16, HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT_apart = 3, HINT = HINT_none;
#include "../common/norm.cuh"
#endif

struct Is {
    static constexpr int  LANES = ::LANES, ELEMS = ::ELEMS, EACH = ::EACH, BYTES = ::BYTES, HIDDEN = ::HIDDEN, GROUP = ::GROUP;
    static constexpr int  LAYOUT = ::LAYOUT;
    static constexpr bool RAGGED = ::RAGGED != 0, WHOLE = ::WHOLE != 0, ONCE = HINT == HINT_once || HINT == HINT_apart;
};
using Piece = typename Share<Is>::Piece;
constexpr bool KEEP = HINT >= HINT_keep, SHARED = GAMMA == GAMMA_shared;

/* What a thread has read of a row, and of the residual. */
struct Coming {
    Share<Is> x, other;

    __device__ __forceinline__ void read(const T *in, const T *residual, long long token, long long tokens, int lane)
    {
        const long long first = token < tokens ? token * HIDDEN : 0; /* threads without a row read one, and write nothing */
        x.template read<KEEP>(in + first, lane);
        if (ADD)
            other.template read<KEEP>(residual + first, lane);
    }
};

extern "C" __global__ void __launch_bounds__(LANES * ROWS, BLOCKS)
rmsnorm_quant_turns(unsigned char *__restrict__ q, unsigned char *__restrict__ scales, T *__restrict__ sum, const T *__restrict__ in,
    const T *__restrict__ residual, const T *__restrict__ gamma, float eps, long long tokens)
{
    constexpr int WARPS = LANES / 32; /* that have a row */
    __shared__ Sums  parts[2][ROWS][WARPS];
    __shared__ Piece gamma_shared[SHARED ? EACH * LANES : 1];
    const int lane = (int)threadIdx.x % LANES, row = (int)threadIdx.x / LANES;
    const long long down = LAYOUT == SCALES_BLOCKS ? (tokens + 127) / 128 * 128 : tokens;
    Coming next;
    Share<Is> weight;
    const auto gamma_of = [&](int i) -> Piece { return SHARED ? gamma_shared[SHARED ? i * LANES + lane : 0] : weight.piece[i]; };

    next.read(in, residual, (long long)blockIdx.x * ROWS + row, tokens, lane);
    weight.template read<false>(gamma, lane);
    for (int i = 0; SHARED && i < EACH; i++)
        if (row == 0)
            gamma_shared[SHARED ? i * LANES + lane : 0] = weight.piece[i];
    if (SHARED)
        __syncthreads();
    const long long step = (long long)gridDim.x * ROWS;
    int turn = 0;
#pragma unroll 1
    for (long long first = (long long)blockIdx.x * ROWS; first < down; first += step, turn ^= 1) {
        const long long token = first + row;
        Share<Is> mine = next.x;
        Largest<Is> largest;

        if (ADD)
            mine.add(next.other, sum + token * HIDDEN, lane, token < tokens);
        if (first + step < down)
            next.read(in, residual, token + step, tokens, lane);
        largest.find(mine, gamma_of);
        Sums all = sums_of_warp<WHOLE>({ mine.squares(), WHOLE ? largest.of[0] : 0 });
        if (lane % 32 == 0)
            parts[turn][row][lane / 32] = all;
        __syncthreads(); /* two parts: nobody is more than one barrier ahead */
        all = joined<WARPS, WHOLE>(parts[turn][row]);
        if (WHOLE)
            largest.of[0] = all.largest;
        write_normalized<Is>(q, scales, mine, gamma_of, largest, all.squares, eps, lane, token, tokens);
    }
}
