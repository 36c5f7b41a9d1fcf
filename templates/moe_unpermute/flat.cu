/*!autotune
template  flat                         # a thread has a piece of a token's row, and reads it from all of its experts at once
use       access policy wide

param     VEC     = 2 4 8 16 32        # bytes of an access
param     EACH    = 1 2 4              # pieces of a thread
param     AHEAD   = 1 2 4 8 16         # experts whose pieces are on their way at once
param     THREADS = 64 128 256 512     # threads a block
param     HINT    = none once          # reads and writes are marked as not needed again

const     TOP     = top
let       pitch   = hidden * sizeof(T) / VEC # pieces of a row
const     ACROSS  = ceil_div(pitch, THREADS * EACH) # blocks side by side for a row
const     PITCH   = pitch
const     RAGGED  = pitch % (THREADS * EACH) != 0

require   VEC >= sizeof(T)
require   hidden * sizeof(T) % VEC == 0 # every row begins aligned
require   VEC <= 16 || device.cc >= 100 # older devices have no wider ones
require   2 * VEC > gcd(hidden * sizeof(T), 16) # far narrower than the alignment allows is slow
require   AHEAD <= top
require   top % AHEAD == 0 || AHEAD == 8 || AHEAD == 4
require   AHEAD * EACH * VEC <= 256    # 64 registers hold what is read
require   2 * pitch > THREADS * EACH || (EACH == 1 && THREADS == 64) # at least half of the threads have something
require   THREADS <= device.max_threads_per_block
require   tokens * ACROSS <= device.max_grid_x

arg       out in place weight
grid      tokens * ACROSS
block     THREADS
default   VEC=16 EACH=1 AHEAD=4 THREADS=256 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int VEC = 16, EACH = 1, AHEAD = 4, THREADS = 256, TOP = 8, ACROSS = 4, PITCH = 1024, RAGGED = 0;
constexpr int HINT_none = 0, HINT_once = 1, HINT = HINT_none;
#include "../common/access.cuh"
#include "../common/policy.cuh"
#include "../common/wide.cuh"
#endif

/* A block has a part of one token's row, so that its experts and their weights are the same for all of its threads. */
extern "C" __global__ void __launch_bounds__(THREADS)
moe_unpermute_flat(T *__restrict__ out, const T *__restrict__ in, const int *__restrict__ place, const float *__restrict__ weight)
{
    constexpr int  PER  = VEC / ES;
    constexpr bool ONCE = HINT == HINT_once;
    using Piece = Vector<PER>;
    using Bits = typename Piece::Bits;
    const long long token = blockIdx.x / ACROSS;
    const int first = (int)blockIdx.x % ACROSS * (THREADS * EACH) + (int)threadIdx.x;
    float sum[EACH][PER] = {};

#pragma unroll 1
    for (int k = 0; k < TOP; k += AHEAD) {
        Piece piece[AHEAD][EACH];
        float by[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            if (TOP % AHEAD != 0 && k + a >= TOP)
                break;
            const long long row = place[token * TOP + k + a];
            by[a] = weight[token * TOP + k + a];
#pragma unroll
            for (int i = 0; i < EACH; i++)
                if (!RAGGED || first + i * THREADS < PITCH)
                    piece[a][i].bits = load<false, ONCE>((const Bits *)in + row * PITCH + first + i * THREADS);
        }
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            if (TOP % AHEAD != 0 && k + a >= TOP)
                break;
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int e = 0; e < PER; e++)
                    sum[i][e] = fmaf(by[a], (float)piece[a][i].element[e], sum[i][e]);
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (!RAGGED || first + i * THREADS < PITCH) {
            Piece to;
#pragma unroll
            for (int e = 0; e < PER; e++)
                to.element[e] = (T)sum[i][e];
            store<ONCE>((Bits *)out + token * PITCH + first + i * THREADS, to.bits);
        }
}
