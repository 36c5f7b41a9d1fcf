/*!autotune
template  rows                         # a row is in the registers of some threads; memory is read once
use       quant

param     LANES   = 32 64 128 256 512 1024 # threads that have a row
param     ROWS    = 1 2 4 8            # of a block
param     ELEMS   = 4 8 16             # of a thread, side by side
param     EARLY   = 0 1                # gamma is asked for with the row, or when the row's sum is known
param     HINT    = none once keep apart # writes are marked as not needed soon; reads as to be kept in the L2; or both

const     LAYOUT  = layout
const     ADD     = add == add_yes
const     HIDDEN  = hidden
const     GROUP   = size
const     EACH    = ceil_div(hidden, LANES * ELEMS) # times as many of a thread
const     RAGGED  = hidden % (LANES * ELEMS) != 0
const     WHOLE   = group == group_row # one scale a row
let       down    = layout == layout_blocks ? ceil_div(tokens, 128) * 128 : tokens

require   hidden % ELEMS == 0          # rows are whole pieces
require   EARLY == 1 || !WHOLE         # the largest of a row is known with its sum
require   GROUP % ELEMS == 0           # a thread's elements share a scale
require   2 * ELEMS > gcd(hidden, 8) || LANES * ELEMS >= hidden # far narrower than the alignment allows is slow
require   2 * hidden > LANES * ELEMS   # at least half of the threads have something
require   EACH * ELEMS <= 64           # they are in registers
require   LANES * ROWS <= 1024 && LANES * ROWS >= 64
require   (EACH * ELEMS * (1 + EARLY) + 32) * LANES * ROWS <= device.max_registers_per_block
require   ROWS == 1 || ceil_div(down, ROWS) >= device.sms # else fewer multiprocessors have something
require   HINT == HINT_none || (device.cc >= 80 && moved >= device.l2_bytes / 4)
require   ceil_div(down, ROWS) <= device.max_grid_x

arg       q scales sum in residual gamma eps tokens
grid      ceil_div(down, ROWS)
block     LANES * ROWS
default   LANES=256 ROWS=1 ELEMS=8 EARLY=1 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int LANES = 256, ROWS = 1, ELEMS = 8, EARLY = 1, LAYOUT = 1, ADD = 1, HIDDEN = 4096, GROUP = 4096, EACH = 2, RAGGED = 0, WHOLE = 1;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT_apart = 3, HINT = HINT_none;
#include "../common/quant.cuh"
#endif

constexpr bool KEEP = HINT >= HINT_keep, ONCE = HINT == HINT_once || HINT == HINT_apart;
constexpr int  WARPS = LANES / 32; /* that have a row */

struct Sums { /* of a row's squares, and its largest magnitude with gamma */
    float squares, largest;

    __device__ __forceinline__ void join(const Sums &other)
    {
        squares += other.squares;
        largest = fmaxf(largest, other.largest);
    }
};

/* Of all threads that have a row, in each of them. */
__device__ __forceinline__ Sums of_row(Sums mine)
{
    __shared__ Sums parts[ROWS][WARPS];
    const int row = (int)threadIdx.x / LANES, warp = (int)threadIdx.x % LANES / 32;
#pragma unroll
    for (int i = 16; i > 0; i /= 2)
        mine.join({ __shfl_xor_sync(0xffffffffu, mine.squares, i), WHOLE ? __shfl_xor_sync(0xffffffffu, mine.largest, i) : 0 });
    if (WARPS == 1)
        return mine;
    if (threadIdx.x % 32 == 0)
        parts[row][warp] = mine;
    __syncthreads();
    Sums all = parts[row][0];
#pragma unroll
    for (int i = 1; i < WARPS; i++)
        all.join(parts[row][i]);
    return all;
}

struct Mine { /* what a thread has of a row */
    Elements<ELEMS> x[EACH], weight[EACH];
    int lane;

    __device__ __forceinline__ int column(int i) const { return (i * LANES + lane) * ELEMS; }
    __device__ __forceinline__ bool has(int i) const { return !RAGGED || i < EACH - 1 || column(i) < HIDDEN; }

    template <bool keep> __device__ __forceinline__ void read(Elements<ELEMS> (&to)[EACH], const T *from) const
    {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (has(i))
                to[i].template read<keep, false>(from + column(i));
            else
                to[i] = {};
    }

    __device__ __forceinline__ void add(const Elements<ELEMS> (&other)[EACH], T *sum)
    {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            for (int p = 0; p < ELEMS / Elements<ELEMS>::PER; p++) {
#pragma unroll
                for (int k = 0; k < Elements<ELEMS>::PER; k++)
                    x[i].part[p].element[k] = (T)((float)x[i].part[p].element[k] + (float)other[i].part[p].element[k]);
                if (has(i))
                    store<ONCE>((typename Elements<ELEMS>::Part::Bits *)(sum + column(i)) + p, x[i].part[p].bits);
            }
    }

    __device__ __forceinline__ Sums sums() const
    {
        Sums of = { 0, 0 };
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int k = 0; k < ELEMS; k++) {
                of.squares = fmaf(x[i][k], x[i][k], of.squares);
                if (WHOLE)
                    of.largest = fmaxf(of.largest, fabsf(x[i][k] * weight[i][k]));
            }
        return of;
    }
};

struct Normalized { /* elements of a thread that share a scale, but for a factor */
    const Elements<ELEMS> &x, &weight;

    __device__ __forceinline__ float operator[](int k) const { return x[k] * weight[k]; }

    __device__ __forceinline__ float largest() const
    {
        float most = 0;
#pragma unroll
        for (int k = 0; k < ELEMS; k++)
            most = fmaxf(most, fabsf((*this)[k]));
        return most;
    }
};

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
rmsnorm_quant_rows(unsigned char *__restrict__ q, unsigned char *__restrict__ scales, T *__restrict__ sum, const T *__restrict__ in,
    const T *__restrict__ residual, const T *__restrict__ gamma, float eps, long long tokens)
{
    constexpr int GROUPS = HIDDEN / GROUP, ACROSS = LAYOUT == SCALES_BLOCKS ? (GROUPS + 3) / 4 * 4 : GROUPS;
    constexpr int LANES_OF = WHOLE ? 1 : GROUP / ELEMS; /* that have a group */
    const long long token = (long long)blockIdx.x * ROWS + (int)threadIdx.x / LANES;
    const bool here = token < tokens;
    const long long first = here ? token * HIDDEN : 0; /* threads without a row read one, and write nothing */
    Mine mine;
    mine.lane = (int)threadIdx.x % LANES;

    mine.template read<KEEP>(mine.x, in + first);
    if (EARLY)
        mine.template read<false>(mine.weight, gamma);
    if (ADD) {
        Elements<ELEMS> other[EACH];
        mine.template read<KEEP>(other, residual + first);
        if (here)
            mine.add(other, sum + first);
    }
    const Sums all = of_row(mine.sums());
    if (!EARLY)
        mine.template read<false>(mine.weight, gamma);
    const float factor = rsqrtf(all.squares / (float)HIDDEN + eps);
    float scale = WHOLE ? scale_for<false>(all.largest * factor) : 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const Normalized y = { mine.x[i], mine.weight[i] };
        if (!WHOLE)
            scale = scale_for<LAYOUT >= SCALES_E8M0>(largest_of<LANES_OF>(y.largest()) * factor);
        if (here && mine.has(i)) {
            const int column = mine.column(i);
            write_e4m3<ELEMS, ONCE>(q + first + column, y, factor / scale);
            if (column % GROUP == 0)
                write_scale<LAYOUT>(scales, scale, token, column / GROUP, tokens, GROUPS);
        }
    }
    if (LAYOUT == SCALES_BLOCKS && token < (tokens + 127) / 128 * 128) /* what has no group */
        for (int g = (here ? GROUPS : 0) + mine.lane; g < ACROSS; g += LANES)
            write_scale<LAYOUT>(scales, 0, token, g, tokens, GROUPS);
}
