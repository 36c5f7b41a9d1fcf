/*!autotune
template  bulk                         # the copy engine brings a row into shared memory, and writes it whole to each of its experts
use       access checked ring

param     ROWS    = 1 2 4 8            # tokens of a block: a warp each
param     PIECES  = 1 2 4              # blocks that share a row
param     HINT    = none once          # writes are marked as not needed soon

const     TOP     = top
const     BYTES   = row_bytes / PIECES # of a row, in one block
const     SCALES  = scale_bytes        # of a row
const     SCALE_VEC = gcd(scale_bytes, 16) # bytes of an access to them

require   device.cc >= 90              # older devices have no such copies
require   row_bytes % (16 * PIECES) == 0 # they are of 16 bytes
require   BYTES >= 1024 || PIECES == 1
require   ROWS * BYTES <= device.max_shared_bytes - 1024
require   ROWS == 1 || ROWS <= tokens
require   ceil_div(tokens, ROWS) * PIECES <= device.max_grid_x

arg       out out_scales in scales place tokens
grid      ceil_div(tokens, ROWS) * PIECES
block     32 * ROWS
shared    ROWS * BYTES
default   ROWS=2 PIECES=1 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = int;
constexpr int ROWS = 2, PIECES = 1, TOP = 8, BYTES = 7168, SCALES = 32, SCALE_VEC = 16, HINT_none = 0, HINT_once = 1, HINT = HINT_none;
#include "../common/access.cuh"
#include "../common/checked.cuh"
#include "../common/ring.cuh"
#endif

/* A row is written in one piece, so that memory gets as few accesses as places allow, which are far from each other. */
extern "C" __global__ void __launch_bounds__(32 * ROWS)
moe_permute_bulk(unsigned char *__restrict__ out, unsigned char *__restrict__ out_scales, const unsigned char *__restrict__ in,
    const unsigned char *__restrict__ scales, const T *__restrict__ place, long long tokens)
{
    using Scale = Access<SCALE_VEC>::type;
    constexpr int WIDE = SCALES / SCALE_VEC;
    constexpr long long PITCH = (long long)BYTES * PIECES;
    extern __shared__ __align__(128) unsigned char rows[];
    __shared__ Barrier full[ROWS];
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, piece = (int)(blockIdx.x % PIECES);
    const long long token = (long long)(blockIdx.x / PIECES) * ROWS + warp;
    unsigned char *const row = rows + warp * BYTES;

    if (token >= tokens)
        return;
    if (lane == 0) {
        make_barrier(&full[warp], 1);
        barriers_are_made();
        arrive_announcing(&full[warp], BYTES);
        fetch(row, in + token * PITCH + piece * BYTES, BYTES, &full[warp]);
    }
    for (int i = piece * 32 + lane; i < WIDE * TOP; i += PIECES * 32) { /* while the row comes */
        const long long to = checked(place[token * TOP + i / WIDE], tokens * TOP);
        ((Scale *)out_scales)[to * WIDE + i % WIDE] = ((const Scale *)scales)[token * WIDE + i % WIDE];
    }
    __syncwarp();
    for (int k = lane; k < TOP; k += 32) {
        const long long to = checked(place[token * TOP + k], tokens * TOP);
        wait(&full[warp], 0);
        put<HINT == HINT_once>(out + to * PITCH + piece * BYTES, row, BYTES);
    }
    await_puts();
}
