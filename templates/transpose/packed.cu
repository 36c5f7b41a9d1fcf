/*!autotune
template  packed                       # many small matrices: a block moves several whole ones, as contiguous memory
use       access

param     MATRICES = 1 2 4 8 16 32 64 128 256 512 1024 2048 4096 # that a block moves
param     THREADS  = 64 128 256 512    # threads a block
param     READS    = 2 4 8             # pieces of 16 bytes that a thread reads before the first use
param     PAD      = no yes            # odd rows in the tile, against bank conflicts

const     ROWS     = rows              # 0, as COLS, of a kernel for all: they are arguments
const     COLS     = cols
const     PIECE    = min(16, min(align_in, align_out)) # bytes of an access
let       PITCH    = PAD == PAD_yes && rows % 2 == 0 ? rows + 1 : rows # elements in a row of the tile; the name is the one that the shipped model knows
let       matrix_bytes = rows * cols * sizeof(T)
let       group_bytes  = MATRICES * matrix_bytes
let       blocks   = ceil_div(batch, MATRICES)
let       shared_bytes = MATRICES * cols * PITCH * sizeof(T)
const     EDGE     = batch % MATRICES != 0
general   ROWS=0 COLS=0 EDGE=1

require   ld_in == cols && ld_out == rows # rows follow each other without gaps
prefer    batch > 1                    # a single matrix is cut into tiles
prefer    matrix_bytes <= 16384        # larger ones too
require   group_bytes % PIECE == 0     # every group must begin aligned
require   group_bytes <= 32768
prefer    group_bytes >= 4096 || MATRICES >= batch # a multiprocessor needs many bytes in flight
prefer    MATRICES < 2 * batch
prefer    group_bytes >= PIECE * THREADS || THREADS == 64 # else some threads have nothing to read
prefer    group_bytes >= PIECE * THREADS * READS || READS == 2
prefer    group_bytes <= 32 * PIECE * THREADS
require   PAD == PAD_no || (rows % 2 == 0 && cols > 1) # there is nothing to pad
require   shared_bytes <= device.max_shared_bytes
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
shared    shared_bytes
default   MATRICES=64 THREADS=128 READS=2 PAD=no
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int MATRICES = 64, THREADS = 128, READS = 4, ROWS = 3, COLS = 7, PIECE = 16, EDGE = 1;
constexpr int PAD_no = 0, PAD_yes = 1, PAD = PAD_no;
#include "../common/access.cuh"
#endif

constexpr int PER = PIECE / ES; /* elements in a piece */

using Piece = Vector<PER>;

/* Matrices whose sides the compiler knows, and others. */
struct Known {
    static constexpr int rows = ROWS > 0 ? ROWS : 1, cols = COLS > 0 ? COLS : 1;
    static constexpr int pitch = PAD == PAD_yes && rows % 2 == 0 ? rows + 1 : rows;

    __device__ __forceinline__ Known(int, int)
    {
    }

    /* Where the tile keeps an element, by its place in the output: matrices one after the other, turned, rows padded. */
    __device__ static __forceinline__ int place_out(int i)
    {
        return pitch == rows ? i : i / rows * pitch + i % rows;
    }

    /* The same by its place in the input. */
    __device__ static __forceinline__ int place_in(int i)
    {
        const int matrix = i / (rows * cols), r = i % (rows * cols) / cols, c = i % cols;
        return (matrix * cols + c) * pitch + r;
    }
};

struct Any {
    int      rows, cols, pitch;
    unsigned of_rows, of_cols; /* inverses, in 2^32; 0: of 1 */

    __device__ __forceinline__ Any(int rows, int cols)
        : rows(rows), cols(cols), pitch(PAD == PAD_yes ? rows + 1 : rows), of_rows(0xffffffffu / rows + 1), of_cols(0xffffffffu / cols + 1)
    {
    }

    /* Of a place, which is less than 2^15, by a side, which is less than that. */
    __device__ static __forceinline__ int quotient(int i, unsigned inverse)
    {
        return inverse == 0 ? i : (int)__umulhi((unsigned)i, inverse);
    }

    __device__ __forceinline__ int place_out(int i) const
    {
        return PAD == PAD_no ? i : i + quotient(i, of_rows);
    }

    __device__ __forceinline__ int place_in(int i) const
    {
        const int row = quotient(i, of_cols), c = i - row * cols, matrix = quotient(row, of_rows), r = row - matrix * rows;
        return (matrix * cols + c) * pitch + r;
    }
};

template <bool known> struct MatricesOf { using type = Known; };
template <> struct MatricesOf<false> { using type = Any; };
using Matrices = MatricesOf<(ROWS > 0 && COLS > 0)>::type;

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_packed(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols,
    long long ld_in, long long ld_out)
{
    extern __shared__ uint4 shared_memory[];
    T *const tile = (T *)shared_memory;

    const Matrices  m((int)rows, (int)cols);
    const int       pieces = MATRICES * m.rows * m.cols / PER; /* that a block moves */
    const long long first = (long long)blockIdx.x * MATRICES;
    const int       here  = (int)(batch - first < MATRICES ? batch - first : MATRICES) * (m.rows * m.cols); /* elements */
    const int       whole = EDGE ? here / PER : pieces, rest = whole * PER + threadIdx.x;

    in  += first * (m.rows * m.cols);
    out += first * (m.rows * m.cols);

#pragma unroll 1
    for (int start = threadIdx.x; start < pieces; start += READS * THREADS) {
        Piece part[READS];
#pragma unroll
        for (int k = 0; k < READS; k++)
            if (start + k * THREADS < whole)
                part[k].bits = ((const Piece::Bits *)in)[start + k * THREADS];
#pragma unroll
        for (int k = 0; k < READS; k++)
            if (start + k * THREADS < whole)
#pragma unroll
                for (int e = 0; e < PER; e++)
                    tile[m.place_in((start + k * THREADS) * PER + e)] = part[k].element[e];
    }
    if (EDGE && rest < here)
        tile[m.place_in(rest)] = in[rest];

    __syncthreads();

#pragma unroll 2
    for (int i = threadIdx.x; i < whole; i += THREADS) {
        Piece piece;
        if (PAD == PAD_no || ROWS % 2 == 1) { /* as it lies there */
            piece.bits = ((const Piece::Bits *)shared_memory)[i];
        } else {
#pragma unroll
            for (int e = 0; e < PER; e++)
                piece.element[e] = tile[m.place_out(i * PER + e)];
        }
        ((Piece::Bits *)out)[i] = piece.bits;
    }
    if (EDGE && rest < here)
        out[rest] = tile[m.place_out(rest)];
}
