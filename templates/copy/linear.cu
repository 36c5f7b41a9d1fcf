/*!autotune
template  linear                       # flat memory in order: the ceiling for everything that moves bytes

param     VEC      = 4 8 16            # bytes in an access
param     THREADS  = 64 128 256 512 1024 # threads a block
param     UNROLL   = 1 2 4 8           # accesses a thread, all read before the first is written
param     BLOCKS   = 0 1 2 4 8         # 0: a block for every piece; else so many a multiprocessor, taking turns
param     HINT     = none store both   # which accesses say that they are used only once

let       bytes    = count * sizeof(T)
let       vectors  = bytes / VEC
let       pieces   = max(1, ceil_div(vectors, THREADS * UNROLL))

require   VEC >= sizeof(T)             # nothing narrower than an element
require   VEC == 16 || (THREADS == 256 && UNROLL <= 2 && BLOCKS == 0 && HINT == HINT_none) # for comparison only
require   UNROLL * THREADS <= 2048     # a piece is at most 32 KB
require   BLOCKS * THREADS <= 2048     # more threads do not fit on a multiprocessor
require   BLOCKS == 0 || (BLOCKS * THREADS >= 1024 && UNROLL >= 2) # too few bytes in flight
require   BLOCKS == 0 || HINT == HINT_none
require   BLOCKS == 0 || pieces > BLOCKS * device.sms # a single turn is what 0 does
require   THREADS <= device.max_threads_per_block
require   pieces <= device.max_grid_x

grid      BLOCKS == 0 ? pieces : BLOCKS * device.sms
block     THREADS
default   VEC=16 THREADS=256 UNROLL=1 BLOCKS=0 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int VEC = 16, THREADS = 256, UNROLL = 1, BLOCKS = 0;
constexpr int HINT_none = 0, HINT_store = 1, HINT_both = 2, HINT = HINT_none;
#endif

template <int bytes> struct Access;
template <> struct Access<4> { using type = unsigned; };
template <> struct Access<8> { using type = uint2; };
template <> struct Access<16> { using type = uint4; };
using Vector = Access<VEC>::type;

/* UNROLL vectors a thread, so that consecutive threads hold consecutive vectors. */
__device__ __forceinline__ void move_piece(Vector *to, const Vector *from)
{
    Vector part[UNROLL];
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        part[i] = HINT == HINT_both ? __ldcs(from + i * THREADS) : from[i * THREADS];
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (HINT == HINT_none)
            to[i * THREADS] = part[i];
        else
            __stcs(to + i * THREADS, part[i]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
copy_linear(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols)
{
    constexpr int PIECE = THREADS * UNROLL, PER = VEC / (int)sizeof(T);
    const long long count   = batch * rows * cols;
    const long long vectors = count / PER, pieces = vectors / PIECE;
    Vector *const       to   = (Vector *)out;
    const Vector *const from = (const Vector *)in;

    if (BLOCKS == 0) {
        if (blockIdx.x < pieces)
            move_piece(to + (long long)blockIdx.x * PIECE + threadIdx.x, from + (long long)blockIdx.x * PIECE + threadIdx.x);
    } else {
        for (long long i = blockIdx.x; i < pieces; i += gridDim.x)
            move_piece(to + i * PIECE + threadIdx.x, from + i * PIECE + threadIdx.x);
    }

    /* The last block moves what does not fill a piece, then what does not fill a vector. */
    if (blockIdx.x == gridDim.x - 1) {
#pragma unroll 1
        for (long long i = pieces * PIECE + threadIdx.x; i < vectors; i += THREADS)
            to[i] = from[i];
        if (PER > 1 && vectors * PER + threadIdx.x < count)
            out[vectors * PER + threadIdx.x] = in[vectors * PER + threadIdx.x];
    }
}
