/*!autotune
template  flat                         # a thread reads a piece of a token's row once, and writes it for each of its experts, or for some
use       access policy wide checked

param     VEC     = 1 2 4 8 16 32      # bytes of an access
param     EACH    = 1 2 4              # pieces of a thread
param     SPLIT   = 1 2 4 8            # blocks that share a token's experts
param     THREADS = 64 128 256 512     # threads a block
param     HINT    = none once          # writes are marked as not needed soon

const     TOP     = top
const     PITCH   = row_bytes / VEC    # pieces of a row
const     SCALES  = scale_bytes        # of a row
const     SCALE_VEC = gcd(scale_bytes, 16) # bytes of an access to them
const     ACROSS  = ceil_div(PITCH, THREADS * EACH) # blocks side by side for a row
const     EXPERTS = ceil_div(top, SPLIT) # of a block
const     RAGGED  = PITCH % (THREADS * EACH) != 0

require   row_bytes % VEC == 0         # every row begins aligned
require   VEC <= 16 || device.cc >= 100 # older devices have no wider ones
require   2 * VEC > gcd(row_bytes, 16) # far narrower than the alignment allows is slow
require   2 * PITCH > THREADS * EACH || (EACH == 1 && THREADS == 64) # at least half of the threads have something
require   EXPERTS * (SPLIT - 1) < top  # every block has some
require   THREADS <= device.max_threads_per_block
require   tokens * ACROSS * SPLIT <= device.max_grid_x

arg       out out_scales in scales place tokens
grid      tokens * ACROSS * SPLIT
block     THREADS
default   VEC=16 EACH=1 SPLIT=1 THREADS=256 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = int;
constexpr int VEC = 16, EACH = 1, SPLIT = 1, THREADS = 256, TOP = 8, EXPERTS = 8, ACROSS = 4, PITCH = 1024, RAGGED = 0, SCALES = 32, SCALE_VEC = 16;
constexpr int HINT_none = 0, HINT_once = 1, HINT = HINT_none;
#include "../common/access.cuh"
#include "../common/checked.cuh"
#include "../common/policy.cuh"
#include "../common/wide.cuh"
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
moe_permute_flat(unsigned char *__restrict__ out, unsigned char *__restrict__ out_scales, const unsigned char *__restrict__ in,
    const unsigned char *__restrict__ scales, const T *__restrict__ place, long long tokens)
{
    constexpr bool ONCE = HINT == HINT_once;
    using Piece = Access<VEC>::type;
    using Scale = Access<SCALE_VEC>::type;
    const long long token = blockIdx.x / (ACROSS * SPLIT);
    const int part = (int)(blockIdx.x % (ACROSS * SPLIT)), across = part % ACROSS, expert = part / ACROSS * EXPERTS;
    const int first = across * (THREADS * EACH) + (int)threadIdx.x;
    Piece piece[EACH];

#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (!RAGGED || first + i * THREADS < PITCH)
            piece[i] = load<false>((const Piece *)in + token * PITCH + first + i * THREADS);
#pragma unroll
    for (int k = 0; k < EXPERTS; k++) {
        if (TOP % EXPERTS != 0 && expert + k >= TOP)
            break;
        const long long to = checked(place[token * TOP + expert + k], tokens * TOP);
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (!RAGGED || first + i * THREADS < PITCH)
                store<ONCE>((Piece *)out + to * PITCH + first + i * THREADS, piece[i]);
    }
    constexpr int WIDE = SCALES / SCALE_VEC;
    for (int i = part * THREADS + (int)threadIdx.x; i < WIDE * TOP; i += ACROSS * SPLIT * THREADS) {
        const long long to = checked(place[token * TOP + i / WIDE], tokens * TOP);
        ((Scale *)out_scales)[to * WIDE + i % WIDE] = ((const Scale *)scales)[token * WIDE + i % WIDE];
    }
}
