/*!autotune
template  step                         # one step, as near to a copy as can be: a warp goes down a strip of whole vectors
use       access policy

param     VEC    = 1 2 4              # columns of a lane
param     WARPS  = 1 2 4 8            # strips of a block, side by side
param     HIGH   = 4 8 16 32 64 128   # rows that a warp writes; it reads two more
param     ROUND  = 1 2 4 8            # rows that are asked for at once
param     HINT   = none once keep     # what the caches are told of what is read and written: nothing, used once, to keep what is read

let       strips = ceil_div(cols, 32 * VEC)

fixed     rows > 0                     # the sizes are constants

require   steps == 1                   # nothing is kept for a second one
require   cols % VEC == 0              # vectors begin at multiples of their size
require   VEC == 4 || cols % (2 * VEC) != 0 # wider ones are fewer instructions
require   WARPS == 1 || strips > WARPS / 2 # at least half of the warps have something
require   ROUND <= HIGH
require   HIGH == 4 || HIGH < 2 * rows
require   ceil_div(rows, HIGH) <= 65535
require   HINT != HINT_keep || device.cc >= 80 # older devices have no such reads

grid      ceil_div(strips, WARPS) ceil_div(rows, HIGH)
block     WARPS * 32
default   VEC=4 WARPS=4 HIGH=16 ROUND=4 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
constexpr int VEC = 4, WARPS = 4, HIGH = 16, ROUND = 4;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT = HINT_none;
#define AUTOTUNE_ARG(name) name
#include "../../../templates/common/access.cuh"
#include "../../../templates/common/policy.cuh"
#endif

/*
 * Strips do not overlap, so that every access is whole sectors of memory. Neighbours in a row come by shuffles; what the
 * first and the last lane lack is one more access, to what another warp reads anyway. All rows of a round are asked for
 * before the first is used.
 */
using Part = Vector<VEC>;

struct Row {
    Part part;
    T    beside; /* of the first lane what is before it, of the last what is behind it */
};

struct Strip {
    int  col, before_or_behind; /* the lane's first column; the one of `beside`, or -1 */
    int  end, rows, cols;       /* one more than the last row that is read; the plate   */
    bool live;                  /* whether the lane has columns                         */
};

__device__ __forceinline__ void read(Row &row, const T *in, const Strip &s, int r)
{
    const long long at = (long long)r * s.cols;
    if (r < 0 || r >= s.end)
        return;
    if (s.live)
        row.part.bits = load<HINT == HINT_keep, HINT == HINT_once>((const Part::Bits *)in + (at + s.col) / VEC);
    if (s.before_or_behind >= 0)
        row.beside = in[at + s.before_or_behind];
}

/* The step of row y, which is `middle`. */
__device__ __forceinline__ Part next_step(const Part &above, const Row &middle, const Part &below, T rate, const Strip &s, int y)
{
    const int lane = (int)threadIdx.x % 32;
    const Part &row = middle.part;
    T left = __shfl_up_sync(0xffffffffu, row.element[VEC - 1], 1), right = __shfl_down_sync(0xffffffffu, row.element[0], 1);
    Part next;

    left  = lane == 0 ? middle.beside : left;
    right = lane == 31 ? middle.beside : right;
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        const T before = i == 0 ? left : row.element[i == 0 ? 0 : i - 1];
        const T after  = i == VEC - 1 ? right : row.element[i == VEC - 1 ? i : i + 1];
        const T around = (above.element[i] + below.element[i]) + (before + after);
        const bool border = y == 0 || y == s.rows - 1 || s.col + i == 0 || s.col + i == s.cols - 1;
        next.element[i] = border ? row.element[i] : row.element[i] + rate * (around - 4 * row.element[i]);
    }
    return next;
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    stencil_step(T *__restrict__ out, const T *__restrict__ in, T rate, int AUTOTUNE_ARG(rows), int AUTOTUNE_ARG(cols), int AUTOTUNE_ARG(steps))
{
    const int lane = (int)threadIdx.x % 32, top = (int)blockIdx.y * HIGH, bottom = min(top + HIGH, rows);
    Row row[ROUND + 2] = {};
    Strip s;

    s.col  = ((int)blockIdx.x * WARPS + (int)threadIdx.x / 32) * 32 * VEC + lane * VEC;
    s.live = s.col < cols;
    s.end  = min(bottom + 1, rows);
    s.rows = rows;
    s.cols = cols;
    s.before_or_behind = lane == 0 && s.live ? s.col - 1 : lane == 31 && s.col + VEC < cols ? s.col + VEC : -1;
    read(row[0], in, s, top - 1);
    read(row[1], in, s, top);
#pragma unroll 1
    for (int y = top; y < bottom; y += ROUND) {
#pragma unroll
        for (int i = 0; i < ROUND; i++)
            read(row[i + 2], in, s, y + 1 + i);
#pragma unroll
        for (int i = 0; i < ROUND; i++) {
            const Part next = next_step(row[i].part, row[i + 1], row[i + 2].part, rate, s, y + i);
            if (s.live && y + i < bottom)
                store<HINT == HINT_once>((Part::Bits *)out + ((long long)(y + i) * cols + s.col) / VEC, next.bits);
        }
        row[0] = row[ROUND];
        row[1] = row[ROUND + 1];
    }
}
