/*!autotune
template  march                        # a warp goes down a strip; each row passes through all steps in registers

param     VEC    = 1 2 4               # columns of a lane
param     WARPS  = 1 2 4 8             # strips of a block, side by side
param     HIGH   = 32 64 128 256 512   # rows that a warp writes
param     AHEAD  = 1 2 3 4 6           # rows that are on their way from memory
param     STORE  = plain streaming     # whether the L2 should keep what is written

let       margin = ceil_div(steps, VEC)             # lanes at either end whose last steps lack neighbours
let       useful = (32 - 2 * margin) * VEC
let       strips = ceil_div(cols, useful)
const     STEPS  = steps

fixed     rows > 0                     # the sizes are constants

require   cols % VEC == 0              # vectors begin at multiples of their size
require   margin <= 8                  # half of a warp's work is used at least
require   (2 * STEPS + AHEAD) * VEC <= 96 # registers
require   HIGH <= 32 || HIGH < 2 * rows
require   ceil_div(rows, HIGH) <= 65535

grid      ceil_div(strips, WARPS) ceil_div(rows, HIGH)
block     WARPS * 32
default   VEC=4 WARPS=4 HIGH=128 AHEAD=2 STORE=plain
*/

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
constexpr int VEC = 4, WARPS = 4, HIGH = 128, AHEAD = 2, STEPS = 4;
enum { STORE_plain = 0, STORE_streaming = 1 };
constexpr int STORE = STORE_plain;
#define AUTOTUNE_ARG(name) name
#endif

/*
 * Of each step the warp has the last two rows. When row r comes from memory, step 1 of row r - 1 can be computed, then step 2
 * of row r - 2, and so on; step STEPS of row r - STEPS is stored. Neighbours in a row come by shuffles, so nothing waits at a
 * barrier. At either end of the strip a column is lost with each step: strips overlap by those, and begin where vectors do.
 *
 * The border needs no other code: an element of it is not changed, so what lies beyond it, zeros here, is never used.
 */
constexpr int MARGIN = (STEPS + VEC - 1) / VEC, USEFUL = (32 - 2 * MARGIN) * VEC;

template <int vec> struct alignas(vec * sizeof(T)) Vector {
    T at[vec];
};
using Row = Vector<VEC>; /* a lane's part of it */

__device__ __forceinline__ void store(T *to, Row row)
{
    if constexpr (STORE == STORE_streaming && VEC == 4)
        __stcs((float4 *)to, *(const float4 *)&row);
    else if constexpr (STORE == STORE_streaming && VEC == 2)
        __stcs((float2 *)to, *(const float2 *)&row);
    else if constexpr (STORE == STORE_streaming)
        __stcs(to, row.at[0]);
    else
        *(Row *)to = row;
}

/* The next step of row `middle`; of a row of the border, the same. */
__device__ __forceinline__ Row next_step(const Row &above, const Row &middle, const Row &below, T rate, bool edge_row, int edge_first, int edge_last)
{
    const T left = __shfl_up_sync(0xffffffffu, middle.at[VEC - 1], 1), right = __shfl_down_sync(0xffffffffu, middle.at[0], 1);
    Row next;
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        const T before = i == 0 ? left : middle.at[i > 0 ? i - 1 : 0], after = i == VEC - 1 ? right : middle.at[i < VEC - 1 ? i + 1 : 0];
        const T around = (above.at[i] + below.at[i]) + (before + after);
        const bool edge = edge_row || (i == 0 && edge_first) || (i == VEC - 1 && edge_last);
        next.at[i] = edge ? middle.at[i] : middle.at[i] + rate * (around - 4 * middle.at[i]);
    }
    return next;
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    stencil_march(T *__restrict__ out, const T *__restrict__ in, T rate, int AUTOTUNE_ARG(rows), int AUTOTUNE_ARG(cols), int AUTOTUNE_ARG(steps))
{
    const int lane = (int)threadIdx.x % 32, strip = (int)(blockIdx.x * WARPS + threadIdx.x / 32);
    const int col = strip * USEFUL + (lane - MARGIN) * VEC;
    const int top = (int)blockIdx.y * HIGH, bottom = min(top + HIGH, rows);
    const int edge_first = col == 0, edge_last = col + VEC == cols;
    const bool inside = col >= 0 && col < cols, mine = inside && lane >= MARGIN && lane < 32 - MARGIN;
    Row ahead[AHEAD], above[STEPS], middle[STEPS];

    const auto load = [&](int r) {
        Row row = {};
        if (inside && r >= 0 && r < rows)
            row = *(const Row *)(in + (long long)r * cols + col);
        return row;
    };
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        ahead[i] = load(top - STEPS + i);
#pragma unroll
    for (int s = 0; s < STEPS; s++)
        above[s] = middle[s] = Row{};

#pragma unroll 6
    for (int r = top - STEPS; r < bottom + STEPS; r++) {
        Row row = ahead[0];
#pragma unroll
        for (int i = 1; i < AHEAD; i++)
            ahead[i - 1] = ahead[i];
        ahead[AHEAD - 1] = load(r + AHEAD);
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            const int y = r - s - 1;
            const Row next = next_step(above[s], middle[s], row, rate, y == 0 || y == rows - 1, edge_first, edge_last);
            above[s] = middle[s];
            middle[s] = row;
            row = next;
        }
        if (mine && r - STEPS >= top)
            store(out + (long long)(r - STEPS) * cols + col, row);
    }
}
