/*!autotune
template  window                       # for rows of any alignment: 16-byte accesses at their own offset in every row

param     CHUNKS    = 8 16 32          # 16-byte pieces that a tile reads of an input row: a little more than it needs
param     TILE_ROWS = 16 32 64 128 256 512 # elements that a tile writes of an output row
param     THREADS   = 128 256 512      # threads a block
param     ORDER     = in_fast out_fast # neighbouring tiles follow the input's rows, or the output's

const     PER       = 16 / sizeof(T)   # elements in a piece
const     ANY_IN    = align_in < 16    # the input does not begin at a multiple of 16 bytes
const     ANY_OUT   = align_out < 16   # nor the output
const     HALO      = ld_out % PER == 0 && !ANY_OUT ? 0 : PER - 1 # input rows above the tile: an output piece may begin there
const     TILE_COLS = ld_in % PER == 0 && !ANY_IN ? CHUNKS * PER : (CHUNKS - 1) * PER
let       down      = ceil_div(rows + HALO, TILE_ROWS)
let       tiles     = down * ceil_div(cols, TILE_COLS) * batch
let       pieces    = (TILE_ROWS + HALO) * CHUNKS
let       shared_bytes = 16 * pieces
const     BATCHED   = batch > 1
const     WIDE      = max((TILE_ROWS + HALO) * ld_in, TILE_COLS * ld_out) > 2147483647 # 64-bit offsets inside a tile

require   sizeof(T) < 16               # rows of 16-byte elements are always aligned
require   ANY_IN || ANY_OUT || cols % PER != 0 || rows % PER != 0 || ld_in % PER != 0 || ld_out % PER != 0 # subtile does better where all rows are aligned
require   TILE_ROWS * sizeof(T) >= 128 # shorter runs waste cache lines
require   TILE_ROWS * sizeof(T) <= 512
require   pieces <= 16 * THREADS       # at most 16 reads in flight a thread
require   pieces >= 2 * THREADS        # at least two
require   shared_bytes <= min(device.max_shared_bytes, 73728)
require   THREADS <= device.max_threads_per_block
require   tiles <= device.max_grid_x

grid      tiles
block     THREADS
shared    shared_bytes
default   CHUNKS=16 TILE_ROWS=64 THREADS=256 ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int CHUNKS = 16, TILE_ROWS = 64, THREADS = 256, PER = 4, ANY_IN = 1, ANY_OUT = 1, HALO = 3, TILE_COLS = 60, BATCHED = 0, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast;
#endif

/*
 * An input row of the tile is kept as the aligned pieces that hold it, so its first element stands at the row's own
 * offset in the first piece. On the other side every thread writes an aligned piece of an output row; where output
 * rows do not begin aligned, pieces begin up to HALO elements above the tile. What is left at both ends of an
 * output row is written element by element. A buffer that does not begin aligned is the rest of one that does: offsets
 * count from there, and the elements before it, which share a piece with its first ones, are read but never used.
 */

template <bool wide> struct IndexOf { using type = int; };
template <> struct IndexOf<true> { using type = long long; };
using Index = IndexOf<WIDE != 0>::type;

constexpr int ROWS  = TILE_ROWS + HALO;                        /* input rows of the tile         */
constexpr int READS = (ROWS * CHUNKS + THREADS - 1) / THREADS; /* of a thread                    */
constexpr int RUN   = TILE_ROWS / PER;                         /* pieces of an output row        */

union Piece {
    uint4 bits;
    T     element[PER];
};

/* Elements between the last multiple of 16 bytes and an address. */
__device__ __forceinline__ unsigned elements_behind(const T *address)
{
    return (unsigned)((unsigned long long)address % 16 / sizeof(T));
}

/* Where the tile keeps a piece of a row: swapped, so that a column of pieces meets all banks. */
__device__ __forceinline__ unsigned place(unsigned r, unsigned piece)
{
    return r * CHUNKS + (piece ^ r / PER % 8);
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_window(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols,
    long long ld_in, long long ld_out)
{
    extern __shared__ uint4 shared_memory[];
    T *const tile = (T *)shared_memory;

    const unsigned down   = (unsigned)((rows + HALO + TILE_ROWS - 1) / TILE_ROWS);
    const unsigned across = (unsigned)((cols + TILE_COLS - 1) / TILE_COLS);
    const unsigned matrix = BATCHED ? blockIdx.x / (down * across) : 0;
    const unsigned t      = BATCHED ? blockIdx.x % (down * across) : blockIdx.x;
    const long long r0    = (long long)(ORDER == ORDER_in_fast ? t / across : t % down) * TILE_ROWS;
    const long long c0    = (long long)(ORDER == ORDER_in_fast ? t % across : t / down) * TILE_COLS;
    const unsigned  thread = threadIdx.x;
    const unsigned  cols_here = (unsigned)(cols - c0 < TILE_COLS ? cols - c0 : TILE_COLS);

    const unsigned in_base = ANY_IN ? elements_behind(in) : 0, out_base = ANY_OUT ? elements_behind(out) : 0;

    /* The tile's rows that exist are [first_row, end_row). Offsets count elements from the aligned place. */
    const int first_row = r0 < HALO ? (int)(HALO - r0) : 0;
    const int end_row   = (int)(rows - r0 < TILE_ROWS ? rows - r0 : TILE_ROWS) + HALO;
    const long long in_start  = (matrix * rows + r0 - HALO) * ld_in + c0 + in_base;
    const long long out_start = (matrix * cols + c0) * ld_out + r0 + out_base;

    /* Row r begins at this element of its first piece. */
    const unsigned in_phase = (unsigned)in_start % PER, in_step = (unsigned)ld_in % PER;

    /* Whole pieces; the last elements of the buffer may not fill one. */
    const long long count = batch * rows * ld_in + in_base, whole = count / PER;
    const uint4 *const from = (const uint4 *)(in - in_base);
    Piece part[READS];

#pragma unroll
    for (int i = 0; i < READS; i++) {
        const int      r = (int)(thread + i * THREADS) / CHUNKS;
        const unsigned k = (thread + i * THREADS) % CHUNKS;
        const long long at = ((in_start + r * (Index)ld_in) >> (PER == 2 ? 1 : PER == 4 ? 2 : PER == 8 ? 3 : 4)) + k;
        if (r >= first_row && r < end_row && k * PER < (in_phase + r * in_step) % PER + cols_here && at < whole)
            part[i].bits = from[at];
    }
#pragma unroll
    for (int i = 0; i < READS; i++) {
        const int      r = (int)(thread + i * THREADS) / CHUNKS;
        const unsigned k = (thread + i * THREADS) % CHUNKS;
        if (ROWS * CHUNKS % THREADS == 0 || r < ROWS)
            shared_memory[place(r, k)] = part[i].bits;
    }

    __syncthreads();

    /* The buffer's last elements that do not fill a piece, where this tile has some of them. */
    if ((matrix * rows + r0 + TILE_ROWS) * ld_in > whole * PER - in_base) {
        const long long at = whole * PER - in_base + thread;
        if ((!ANY_IN || at >= 0) && at < count - in_base) {
            const long long row = at / ld_in - (matrix * rows + r0 - HALO), col = at % ld_in - c0;
            if (row >= first_row && row < end_row && col >= 0 && col < cols_here) {
                const unsigned a = (in_phase + (unsigned)row * in_step) % PER + (unsigned)col;
                tile[place((unsigned)row, a / PER) * PER + a % PER] = in[at];
            }
        }
        __syncthreads();
    }

    const unsigned out_phase = ((unsigned)((matrix * cols + c0) * ld_out) + out_base) % PER, out_step = (unsigned)ld_out % PER;

#pragma unroll 2
    for (unsigned i = thread; i < cols_here * RUN; i += THREADS) {
        const unsigned c = i / RUN, k = i % RUN;
        const int      r = (int)(k * PER) + HALO - (int)(HALO == 0 ? 0 : (out_phase + c * out_step) % PER);
        Piece column;
#pragma unroll
        for (int e = 0; e < PER; e++) {
            const unsigned row = r + e, a = (in_phase + row * in_step) % PER + c;
            column.element[e] = tile[place(row, a / PER) * PER + a % PER];
        }
        const long long to = out_start + c * (Index)ld_out + (r - HALO);
        if (r >= first_row && r + PER <= end_row) {
            ((uint4 *)(out - out_base))[to >> (PER == 2 ? 1 : PER == 4 ? 2 : PER == 8 ? 3 : 4)] = column.bits;
        } else {
#pragma unroll
            for (int e = 0; e < PER; e++)
                if (r + e >= first_row && r + e < end_row)
                    (out - out_base)[to + e] = column.element[e];
        }
    }
}
