/*!autotune
template  narrow                       # one side of at most 32: records to columns (AoS to SoA), or back
use       access index policy

param     THREADS = 64 128 256 512     # threads a block
param     VEC     = 1 2 4 8 16         # elements in an access along the long side: records a thread
param     HINT    = none both keep     # both reads and writes say that they are used only once, or reads that the L2 should keep them

let       narrow  = min(rows, cols)    # elements in a record
const     NARROW  = narrow             # 0, of a kernel for all: it is computed
const     TALL    = cols <= rows       # records are the input's rows; else the output's
let       length  = max(rows, cols)    # records
const     RECORDS = THREADS * VEC
const     PIECE   = min(16, TALL ? align_in : align_out) # bytes of an access to records
let       align   = min(16, TALL ? align_out : align_in) # of the long rows
let       PITCH   = narrow % 2 == 0 ? narrow + 1 : narrow # of a record in the tile: odd, so that records meet all banks; the name is the one that the shipped model knows
let       blocks  = ceil_div(length, RECORDS) * batch
let       shared_bytes = RECORDS * PITCH * sizeof(T)
const     BATCHED = batch > 1
const     EDGE    = length % RECORDS != 0
const     WIDE    = (narrow + 1) * length > 2147483647 # 64-bit offsets inside a matrix
general   NARROW=0 BATCHED=1 EDGE=1 WIDE=1
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   ld_in == cols && ld_out == rows # rows follow each other without gaps
require   narrow <= 32                 # tiles do better when both sides are long
require   VEC * sizeof(T) <= 16        # the widest access there is
require   length % VEC == 0 && VEC * sizeof(T) <= align # every long row must begin aligned
prefer    4 * VEC >= gcd(length, align / sizeof(T)) # far narrower than the alignment allows is slow
require   batch == 1 || length * narrow * sizeof(T) % PIECE == 0 # every matrix must begin aligned
require   shared_bytes <= min(device.max_shared_bytes, 73728)
prefer    shared_bytes >= 1024 || THREADS >= 256 # a multiprocessor needs many bytes in flight
prefer    HINT != HINT_both || count * sizeof(T) < 134217728 # keeping is better for large problems
prefer    HINT != HINT_keep || (device.cc >= 80 && (TALL ? PIECE : VEC * sizeof(T)) >= 4 && 2 * count * sizeof(T) >= device.l2_bytes) # the L2 holds smaller ones altogether
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
shared    shared_bytes
default   THREADS=128 VEC=1 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int THREADS = 128, VEC = 4, NARROW = 3, TALL = 1, PIECE = 16, RECORDS = 512, BATCHED = 0, EDGE = 1, WIDE = 0;
constexpr int HINT_none = 0, HINT_both = 1, HINT_keep = 2, HINT = HINT_none;
#include "../common/access.cuh"
#include "../common/index.cuh"
#include "../common/policy.cuh"
#endif

/*
 * The block's records are contiguous memory on one side, a part of NARROW long rows on the other. Both sides move vectors of
 * their own width; between them, elements stand one by one in a tile whose records are an odd number of elements apart. With
 * records of two elements, and vectors of four:
 *
 *     records   |a0 b0 a1 b1|a2 b2 a3 b3|        thread 0, thread 1
 *     tile      a0 b0 .  a1 b1 .  a2 b2 .  ...   pitch = 3
 *     long rows |a0 a1 a2 a3| ... |b0 b1 b2 b3|  thread 0 has both
 */

using Index = IndexOf<WIDE != 0>::type;

constexpr bool KEEP = HINT == HINT_keep, ONCE = HINT == HINT_both;
constexpr int PER    = PIECE / ES;                       /* elements in a piece                              */
constexpr int AHEAD  = 8;                               /* reads of a thread before their first use          */

using Piece = Vector<PER>;
using Run   = Vector<VEC>;

/* Records whose number of elements the compiler knows, and others. */
struct Known {
    static constexpr int narrow = NARROW > 0 ? NARROW : 1, pitch = narrow % 2 == 0 ? narrow + 1 : narrow;

    __device__ __forceinline__ explicit Known(int)
    {
    }

    __device__ static __forceinline__ int place(int i)
    {
        return i / narrow * pitch + i % narrow;
    }
};

struct Any {
    int      narrow, pitch;
    unsigned inverse; /* of the first, in 2^32; 0 where both are the same */

    __device__ __forceinline__ explicit Any(int n) : narrow(n), pitch(n | 1), inverse(n % 2 == 1 ? 0 : 0xffffffffu / n + 1)
    {
    }

    __device__ __forceinline__ int place(int i) const
    {
        return i + (int)__umulhi((unsigned)i, inverse);
    }
};

template <bool known> struct RecordsOf { using type = Known; };
template <> struct RecordsOf<false> { using type = Any; };
using Records = RecordsOf<(NARROW > 0)>::type;

/* Between the tile and the records: contiguous memory, in pieces of 16 bytes where it is aligned. `here` elements exist. */
__device__ __forceinline__ void read_records(Records r, T *tile, const T *in, int here)
{
#pragma unroll 1
    for (int first = 0; first < (RECORDS * r.narrow / PER + THREADS - 1) / THREADS; first += AHEAD) {
        Piece part[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const int i = threadIdx.x + (first + k) * THREADS;
            if (first + k < (RECORDS * r.narrow / PER + THREADS - 1) / THREADS && i < RECORDS * r.narrow / PER && (!EDGE || i * PER + PER <= here))
                part[k].bits = load<KEEP, ONCE>((const Piece::Bits *)in + i);
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const int i = threadIdx.x + (first + k) * THREADS;
            if (first + k < (RECORDS * r.narrow / PER + THREADS - 1) / THREADS && i < RECORDS * r.narrow / PER && (!EDGE || i * PER + PER <= here))
#pragma unroll
                for (int e = 0; e < PER; e++)
                    tile[r.place(i * PER + e)] = part[k].element[e];
        }
    }
    const int rest = here / PER * PER + threadIdx.x;
    if (EDGE && rest < here)
        tile[r.place(rest)] = in[rest];
}

__device__ __forceinline__ void write_records(Records r, T *out, const T *tile, int here)
{
#pragma unroll 2
    for (int i = threadIdx.x; i < RECORDS * r.narrow / PER; i += THREADS)
        if (!EDGE || i * PER + PER <= here) {
            Piece piece;
#pragma unroll
            for (int e = 0; e < PER; e++)
                piece.element[e] = tile[r.place(i * PER + e)];
            store<ONCE>((Piece::Bits *)out + i, piece.bits);
        }
    const int rest = here / PER * PER + threadIdx.x;
    if (EDGE && rest < here)
        out[rest] = tile[r.place(rest)];
}

/* Between the tile and the columns: each thread moves VEC elements of every one. */
__device__ __forceinline__ void read_columns(Records r, T *tile, const T *in, Index pitch)
{
    const int record = threadIdx.x * VEC;
#pragma unroll 1
    for (int first = 0; first < r.narrow; first += AHEAD) {
        Run part[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (first + k < r.narrow)
                part[k].bits = load<KEEP, ONCE>((const Run::Bits *)in + ((first + k) * pitch + threadIdx.x));
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (first + k < r.narrow)
#pragma unroll
                for (int e = 0; e < VEC; e++)
                    tile[(record + e) * r.pitch + first + k] = part[k].element[e];
    }
}

__device__ __forceinline__ void write_columns(Records r, T *out, const T *tile, Index pitch)
{
    const int record = threadIdx.x * VEC;
#pragma unroll 4
    for (int c = 0; c < r.narrow; c++) {
        Run run;
#pragma unroll
        for (int e = 0; e < VEC; e++)
            run.element[e] = tile[(record + e) * r.pitch + c];
        store<ONCE>((Run::Bits *)out + (c * pitch + threadIdx.x), run.bits);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_narrow(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    extern __shared__ uint4 shared_memory[];
    T *const tile = (T *)shared_memory;

    const long long length = TALL ? rows : cols;
    const Records   r((int)(TALL ? cols : rows));
    const unsigned  groups = (unsigned)((length + RECORDS - 1) / RECORDS);
    const unsigned  matrix = BATCHED ? blockIdx.x / groups : 0;
    const long long first  = (long long)(BATCHED ? blockIdx.x % groups : blockIdx.x) * RECORDS;
    const int       here   = (int)(length - first < RECORDS ? length - first : RECORDS);
    const Index     pitch  = (Index)(length / VEC);
    const bool      inside = !EDGE || (int)threadIdx.x * VEC < here;

    const long long records = (matrix * length + first) * r.narrow, columns = matrix * length * r.narrow + first;
    if (TALL)
        read_records(r, tile, in + records, here * r.narrow);
    else if (inside)
        read_columns(r, tile, in + columns, pitch);

    __syncthreads();

    if (!TALL)
        write_records(r, out + records, tile, here * r.narrow);
    else if (inside)
        write_columns(r, out + columns, tile, pitch);
}
