/*!autotune
template  few                          # for few tokens: narrower pieces, several of one row for a thread, k and v by other threads
use       quant

param     ELEMS   = 1 2 4 8            # elements of a piece
param     PIECES  = 1 2 4              # of a row, of a thread
param     APART   = 0 1                # k and v are other blocks'
param     THREADS = 64 128 256 512     # threads a block
param     HINT    = none once          # reads are marked as not needed again

const     CONVERT = bytes == 1         # the cache has e4m3
const     WIDTH   = width
const     LANES   = width / (ELEMS * PIECES) # threads of a row
let       items   = tokens * LANES

require   width % (ELEMS * PIECES) == 0 # every piece is aligned
require   ELEMS * sizeof(T) <= 16
require   4 * ELEMS > gcd(width, 8)    # far narrower than the alignment allows is slow
require   moved <= 1 << 24             # of more, `flat` is faster
require   THREADS <= device.max_threads_per_block

arg       k_cache v_cache k v slot k_scale v_scale slots tokens
grid      ceil_div(items, THREADS) APART + 1
block     THREADS
default   ELEMS=8 PIECES=1 APART=0 THREADS=128 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int ELEMS = 4, PIECES = 1, APART = 0, THREADS = 128, CONVERT = 1, WIDTH = 1024, LANES = 256;
constexpr int HINT_none = 0, HINT_once = 1, HINT = HINT_none;
#include "../common/quant.cuh"
#endif

struct Piece { /* of a row */
    Vector<ELEMS> part;

    __device__ __forceinline__ float operator[](int i) const { return (float)part.element[i]; }

    __device__ __forceinline__ void write(unsigned char *cache, long long place, float by) const
    {
        if constexpr (CONVERT && ELEMS >= 4) {
            write_e4m3<ELEMS, false, 16>(cache + place, *this, by);
        } else if constexpr (CONVERT) {
#pragma unroll
            for (int i = 0; i < ELEMS; i++)
                cache[place + i] = (unsigned char)convert_pair<TO_E4M3>((*this)[i] * by, 0);
        } else
            *(typename Vector<ELEMS>::Bits *)((T *)cache + place) = part.bits;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS)
kv_write_few(unsigned char *__restrict__ k_cache, unsigned char *__restrict__ v_cache, const T *__restrict__ k, const T *__restrict__ v,
    const long long *__restrict__ slot, const float *__restrict__ k_scale, const float *__restrict__ v_scale, long long slots,
    long long tokens)
{
    constexpr int BOTH = APART ? 1 : 2, NEXT = LANES * ELEMS; /* between two pieces */
    const unsigned item = blockIdx.x * THREADS + threadIdx.x, token = item / LANES, column = item % LANES * ELEMS;
    Piece piece[BOTH][PIECES];

    if (token >= tokens)
        return;
    const long long row = slot[token];
#pragma unroll
    for (int of = 0; of < BOTH; of++) {
        const T *const from = ((APART ? blockIdx.y : of) ? v : k) + (long long)token * WIDTH + column;
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            piece[of][i].part.bits = load<false, HINT == HINT_once>((const typename Vector<ELEMS>::Bits *)(from + i * NEXT));
    }
    if (row < 0 || row >= slots)
        return;
#pragma unroll
    for (int of = 0; of < BOTH; of++) {
        const bool is_v = APART ? blockIdx.y : of;
        const float by = CONVERT ? 1 / *(is_v ? v_scale : k_scale) : 1;
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            piece[of][i].write(is_v ? v_cache : k_cache, row * WIDTH + column + i * NEXT, by);
    }
}
