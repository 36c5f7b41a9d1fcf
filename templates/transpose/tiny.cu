/*!autotune
template  tiny                         # very many matrices of at most 32 bytes: each thread turns whole ones in registers

param     BYTES   = 16 32              # of whole matrices that a thread holds; 64 scatter a warp's accesses
param     THREADS = 64 128 256 512     # threads a block

const     ROWS    = rows
const     COLS    = cols
const     PIECE   = min(16, min(align_in, align_out)) # bytes of an access
let       matrix_bytes = rows * cols * sizeof(T)
let       threads = ceil_div(count * sizeof(T), BYTES)
let       blocks  = ceil_div(threads, THREADS)
const     EDGE    = count * sizeof(T) % (BYTES * THREADS) != 0 # the last block is not full
const     TAIL    = count * sizeof(T) % BYTES != 0 # nor the last thread
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   ld_in == cols && ld_out == rows # rows follow each other without gaps
require   batch > 1                    # a single matrix is cut into tiles
require   BYTES % matrix_bytes == 0    # a thread holds whole matrices
require   PIECE >= 4                   # narrower accesses waste a warp's requests
require   THREADS <= min(device.max_threads_per_block, max(64, threads))
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
default   BYTES=32 THREADS=128
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int BYTES = 16, THREADS = 128, ROWS = 2, COLS = 2, PIECE = 16, EDGE = 1, TAIL = 1;
#endif

template <int bytes> struct Access;
template <> struct Access<4> { using type = unsigned; };
template <> struct Access<8> { using type = uint2; };
template <> struct Access<16> { using type = uint4; };
using Bits = Access<PIECE>::type;

constexpr int ES     = sizeof(T);
constexpr int PACK   = ES < 4 ? 4 / ES : 1; /* elements in a 32-bit word  */
constexpr int PARTS  = ES < 4 ? 1 : ES / 4; /* 32-bit words in an element */
constexpr int WORDS  = BYTES / 4;
constexpr int PIECES = BYTES / PIECE;
constexpr int AREA   = ROWS * COLS;         /* elements of a matrix       */

union Held {
    Bits     piece[PIECES];
    unsigned word[WORDS];
};

/* Which element of the input an element of the output is, matrices one after the other. */
__device__ __forceinline__ constexpr int source(int e)
{
    return e / AREA * AREA + e % AREA % ROWS * COLS + e % AREA / ROWS;
}

/* All places are known to the compiler. */
__device__ __forceinline__ void turn(unsigned (&out)[WORDS], const unsigned (&in)[WORDS])
{
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        const int e = w / PARTS * PACK, a = source(e);
        if (PACK == 1) {
            out[w] = in[a * PARTS + w % PARTS];
        } else if (PACK == 2) {
            const int b = source(e + 1);
            out[w] = __byte_perm(in[a / 2], in[b / 2], (a % 2 ? 0x32 : 0x10) | (b % 2 ? 0x7600 : 0x5400));
        } else {
            const int b = source(e + 1), c = source(e + 2), d = source(e + 3);
            const unsigned low  = __byte_perm(in[a / 4], in[b / 4], a % 4 | (4 + b % 4) << 4);
            const unsigned high = __byte_perm(in[c / 4], in[d / 4], c % 4 | (4 + d % 4) << 4);
            out[w] = __byte_perm(low, high, 0x5410);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_tiny(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    const long long count = batch * AREA, thread = (long long)blockIdx.x * THREADS + threadIdx.x;
    const long long first = thread * (BYTES / ES); /* of its elements */

    if (!EDGE || first + BYTES / ES <= count) {
        Held held, turned;
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            held.piece[i] = ((const Bits *)in)[thread * PIECES + i];
        turn(turned.word, held.word);
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            ((Bits *)out)[thread * PIECES + i] = turned.piece[i];
    } else if (TAIL) { /* whole matrices, fewer than a thread holds */
        for (long long e = first; e < count; e++)
            out[e] = in[first + source((int)(e - first))];
    }
}
