/*!autotune
template  linear                       # flat memory in order: the ceiling for everything that moves bytes

param     VEC      = 4 8 16            # bytes in an access
param     THREADS  = 128 256 512 1024  # threads a block
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

/* UNROLL vectors a thread; consecutive threads hold consecutive vectors. A whole piece needs no checks. */
template <bool whole> __device__ __forceinline__ void move_piece(Vector *to, const Vector *from, long long left)
{
    Vector part[UNROLL];
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (whole || (int)threadIdx.x + i * THREADS < left)
            part[i] = HINT == HINT_both ? __ldcs(from + i * THREADS) : from[i * THREADS];
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (whole || (int)threadIdx.x + i * THREADS < left) {
            if (HINT == HINT_none)
                to[i * THREADS] = part[i];
            else
                __stcs(to + i * THREADS, part[i]);
        }
}

extern "C" __global__ void __launch_bounds__(THREADS)
copy_linear(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols)
{
    constexpr int PIECE = THREADS * UNROLL, PER = VEC / (int)sizeof(T);
    const long long count   = batch * rows * cols;
    const long long vectors = count / PER;
    const long long step    = BLOCKS == 0 ? vectors : (long long)gridDim.x * PIECE;
    Vector *const       to   = (Vector *)out;
    const Vector *const from = (const Vector *)in;

    for (long long at = (long long)blockIdx.x * PIECE; at < vectors; at += step) {
        const long long mine = at + threadIdx.x;
        if (vectors - at >= PIECE)
            move_piece<true>(to + mine, from + mine, PIECE);
        else
            move_piece<false>(to + mine, from + mine, vectors - at);
        if (BLOCKS == 0)
            break;
    }

    /* What does not fill a vector: fewer elements than a block has threads. */
    const long long rest = vectors * PER + threadIdx.x;
    if (PER > 1 && blockIdx.x == 0 && rest < count)
        out[rest] = in[rest];
}
