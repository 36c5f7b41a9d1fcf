/*!autotune
template  few                          # for few tokens: narrower pieces, several of one row for a thread, k and v by other threads
use       quant

param     ELEMS   = 1 2 4 8            # elements of a piece
param     PIECES  = 1 2 4              # of a row, of a thread
param     APART   = 0 1                # k and v are other blocks'
param     THREADS = 64 128 256 512     # threads a block
param     HINT    = none once          # writes are marked as not needed soon

const     CONVERT = bytes == 1         # the cache has e4m3
const     WIDTH   = width
const     LANES   = width / (ELEMS * PIECES) # threads of a row
let       items   = tokens * LANES

require   width % (ELEMS * PIECES) == 0 # every piece is aligned
require   ELEMS * sizeof(T) <= 16
require   4 * ELEMS > gcd(width, 8)    # far narrower than the alignment allows is slow
require   moved <= 1 << 24             # of more, `flat` is faster
require   THREADS <= device.max_threads_per_block

arg       k v k_cache v_cache slot k_scale v_scale slots tokens
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

struct Piece { /* of a row of a cache, as it is there */
    using Bits = Access<ELEMS * (CONVERT ? 1 : ES)>::type;
    union { Bits bits; T element[CONVERT ? 1 : ELEMS]; unsigned char code[ELEMS]; };

    __device__ __forceinline__ void write(T *to, float scale) const
    {
        Vector<ELEMS> out;
#pragma unroll
        for (int i = 0; i < ELEMS; i++)
            if constexpr (!CONVERT)
                out.element[i] = element[i];
            else if (i % 2 == 0) {
                const float2 two = from_e4m3(code[i] | (unsigned)(i + 1 < ELEMS ? code[i + 1] : 0) << 8);
                out.element[i] = (T)(two.x * scale);
                if (i + 1 < ELEMS)
                    out.element[i + 1] = (T)(two.y * scale);
            }
        store<HINT == HINT_once>((typename Vector<ELEMS>::Bits *)to, out.bits);
    }
};

extern "C" __global__ void __launch_bounds__(THREADS)
kv_gather_few(T *__restrict__ k, T *__restrict__ v, const unsigned char *__restrict__ k_cache, const unsigned char *__restrict__ v_cache,
    const long long *__restrict__ slot, const float *__restrict__ k_scale, const float *__restrict__ v_scale, long long slots,
    long long tokens)
{
    constexpr int BYTES = CONVERT ? 1 : ES, BOTH = APART ? 1 : 2, NEXT = LANES * ELEMS; /* between two pieces */
    const unsigned item = blockIdx.x * THREADS + threadIdx.x, token = item / LANES, column = item % LANES * ELEMS;
    Piece piece[BOTH][PIECES];

    if (token >= tokens)
        return;
    const long long row = slot[token];
#ifdef AUTOTUNE_CHECK
    if (row < 0 || row >= slots)
        __trap();
#endif
#pragma unroll
    for (int of = 0; of < BOTH; of++) {
        const unsigned char *const from = ((APART ? blockIdx.y : of) ? v_cache : k_cache) + (row * WIDTH + column) * BYTES;
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            piece[of][i].bits = load<false>((const Piece::Bits *)(from + i * NEXT * BYTES));
    }
#pragma unroll
    for (int of = 0; of < BOTH; of++) {
        const bool is_v = APART ? blockIdx.y : of;
        T *const to = (is_v ? v : k) + (long long)token * WIDTH + column;
        const float by = CONVERT ? *(is_v ? v_scale : k_scale) : 1;
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            piece[of][i].write(to + i * NEXT, by);
    }
}
