/*!autotune
template  march                        # a warp goes down a strip; each row passes through all steps in registers

param     VEC    = 1 2 4 8             # columns of a lane: more of them, fewer shuffles and a smaller part that strips share
param     WARPS  = 1 2 4 8             # strips of a block, side by side
param     HIGH   = 32 64 96 128 192 256 384 512 # rows that a warp writes; it reads 2 * steps more
param     AHEAD  = 1 2 3 6             # rows that are on their way from memory
param     BLOCKS = 1 2 3 4 6 8 12 16   # on a multiprocessor: what the compiler may spend of registers
param     STORE  = plain streaming     # whether the L2 should keep what is written

let       margin = ceil_div(steps, VEC)             # lanes at either end whose last steps lack neighbours
let       useful = (32 - 2 * margin) * VEC
let       strips = ceil_div(cols, useful)
let       registers = (2 * steps + AHEAD + 6) * VEC + 40
const     STEPS  = steps

fixed     rows > 0                     # the sizes are constants

require   cols % VEC == 0              # vectors begin at multiples of their size
require   VEC >= 4 || cols % 4 != 0    # wider ones are fewer instructions
require   margin <= 8                  # half of a warp's work is used at least
require   registers <= 200 && registers * WARPS * 32 * BLOCKS <= device.max_registers_per_block
require   4 * registers * WARPS * 32 * BLOCKS >= device.max_registers_per_block # enough rows are on their way
require   WARPS * BLOCKS <= 64
require   HIGH <= 32 || HIGH < 2 * rows
require   ceil_div(rows, HIGH) <= 65535

grid      ceil_div(strips, WARPS) ceil_div(rows, HIGH)
block     WARPS * 32
default   VEC=4 WARPS=4 HIGH=128 AHEAD=2 BLOCKS=4 STORE=plain
*/

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
constexpr int VEC = 4, WARPS = 4, HIGH = 128, AHEAD = 2, BLOCKS = 4, STEPS = 4;
enum { STORE_plain = 0, STORE_streaming = 1 };
constexpr int STORE = STORE_plain;
#define AUTOTUNE_ARG(name) name
#endif

/*
 * Of each step the warp has the last two rows. When row r comes from memory, step 1 of row r - 1 can be computed, then step 2
 * of row r - 2, and so on; step STEPS of row r - STEPS is stored. Neighbours in a row come by shuffles, so nothing waits at a
 * barrier. At either end of the strip a column is lost with each step: strips overlap by those, and begin where vectors do.
 *
 * Most warps never see the border of the plate. Those that do look at each element: one of the border does not change, so
 * what lies beyond it, zeros here, is never used.
 */
constexpr int MARGIN = (STEPS + VEC - 1) / VEC, USEFUL = (32 - 2 * MARGIN) * VEC;
constexpr int ROUND = 6; /* rows after which rows are in the same registers again: a multiple of 3 and of AHEAD */
constexpr int ROUNDS = (HIGH + 2 * STEPS + ROUND - 1) / ROUND;

struct alignas(VEC < 4 ? VEC * sizeof(T) : 4 * sizeof(T)) Row { /* a lane's part of it */
    T at[VEC];
};

/* What a warp knows of its strip. */
struct Strip {
    int col;                     /* the lane's first */
    int top, bottom, rows, cols; /* rows to write, and those that there are */
    bool read, write;            /* whether the lane does */
};

__device__ __forceinline__ void store(T *to, const Row &row)
{
    if constexpr (STORE == STORE_plain)
        *(Row *)to = row;
    else if constexpr (VEC == 1)
        __stcs(to, row.at[0]);
    else if constexpr (VEC == 2)
        __stcs((float2 *)to, make_float2(row.at[0], row.at[1]));
    else
#pragma unroll
        for (int i = 0; i < VEC; i += 4)
            __stcs((float4 *)(to + i), make_float4(row.at[i], row.at[i + 1], row.at[i + 2], row.at[i + 3]));
}

/* Row r, or where it is not needed, whatever can be read. */
template <bool border> __device__ __forceinline__ Row load(const T *in, const Strip &s, int r)
{
    if (!border)
        return *(const Row *)(in + (long long)min(r, s.bottom + STEPS - 1) * s.cols + s.col);
    Row row = {};
    if (s.read && r >= 0 && r < min(s.bottom + STEPS, s.rows))
        row = *(const Row *)(in + (long long)r * s.cols + s.col);
    return row;
}

/* The next step of row y, which is `middle`. */
template <bool border>
__device__ __forceinline__ Row next_step(const Row &above, const Row &middle, const Row &below, T rate, const Strip &s, int y)
{
    const T left = __shfl_up_sync(0xffffffffu, middle.at[VEC - 1], 1), right = __shfl_down_sync(0xffffffffu, middle.at[0], 1);
    Row next;
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        const T before = i == 0 ? left : middle.at[max(i - 1, 0)], after = i == VEC - 1 ? right : middle.at[min(i + 1, VEC - 1)];
        const T around = (above.at[i] + below.at[i]) + (before + after);
        next.at[i] = middle.at[i] + rate * (around - 4 * middle.at[i]);
        if (border && (y == 0 || y == s.rows - 1 || s.col + i == 0 || s.col + i == s.cols - 1))
            next.at[i] = middle.at[i];
    }
    return next;
}

template <bool border> __device__ __forceinline__ void march(T *out, const T *in, T rate, const Strip &s)
{
    Row ahead[AHEAD], above[STEPS], middle[STEPS];

#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        ahead[i] = load<border>(in, s, s.top - STEPS + i);
#pragma unroll
    for (int i = 0; i < STEPS; i++)
        above[i] = middle[i] = Row{};

#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int i = 0; i < ROUND; i++) {
            const int r = s.top - STEPS + round * ROUND + i;
            Row row = ahead[i % AHEAD];
            ahead[i % AHEAD] = load<border>(in, s, r + AHEAD);
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                const Row next = next_step<border>(above[step], middle[step], row, rate, s, r - step - 1);
                above[step] = middle[step];
                middle[step] = row;
                row = next;
            }
            if (s.write && r - STEPS >= s.top && r - STEPS < s.bottom)
                store(out + (long long)(r - STEPS) * s.cols + s.col, row);
        }
    }
}

extern "C" __global__ void __launch_bounds__(WARPS * 32, BLOCKS)
    stencil_march(T *__restrict__ out, const T *__restrict__ in, T rate, int AUTOTUNE_ARG(rows), int AUTOTUNE_ARG(cols), int AUTOTUNE_ARG(steps))
{
    const int lane = (int)threadIdx.x % 32, strip = (int)blockIdx.x * WARPS + (int)threadIdx.x / 32;
    const int first = strip * USEFUL - MARGIN * VEC, end = first + 32 * VEC;
    Strip s;

    s.col = first + lane * VEC;
    s.top = (int)blockIdx.y * HIGH;
    s.bottom = min(s.top + HIGH, rows);
    s.rows = rows;
    s.cols = cols;
    s.read = s.col >= 0 && s.col < cols;
    s.write = s.read && lane >= MARGIN && lane < 32 - MARGIN;
    if (first <= 0 || end >= cols || s.top <= STEPS || s.bottom >= rows - STEPS)
        march<true>(out, in, rate, s);
    else
        march<false>(out, in, rate, s);
}
