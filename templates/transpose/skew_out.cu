/*!autotune
template  skew_out                     # for output rows of any alignment: kept so far apart that a row of the input is a straight line

param     WIDTH   = 64 128 256         # bytes of an input row that a tile reads
param     RUN     = 0 128 256 512 1024 # bytes of an output row that a tile writes; 0: all there are
param     THREADS = 128 256 512        # threads a block
param     AHEAD   = 2 4 8              # words that a thread reads before the first use
param     ALIGN   = 16 32 128          # bytes: a tile's part of an output row begins and ends at a multiple
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

let       piece   = 16 / sizeof(T)
const     PER     = max(1, 4 / sizeof(T)) # elements in a word
const     ANY_OUT = align_out < ALIGN  # the output does not begin at a multiple of ALIGN
const     HALO    = ld_out * sizeof(T) % ALIGN == 0 && !ANY_OUT ? 0 : ALIGN / sizeof(T) # rows between aligned places of an output row
const     ABOVE   = RUN == 0 ? 0 : HALO # rows read above those that a tile begins with
const     ROWS    = RUN == 0 ? ceil_div(rows + max(0, HALO - 1), piece) * piece : RUN / sizeof(T) # that a tile writes
const     READ_ROWS = RUN == 0 ? rows : ROWS + HALO
const     TILE_COLS = WIDTH / sizeof(T)
const     PITCH   = READ_ROWS + ((ld_out - READ_ROWS) % piece + piece) % piece # elements between columns of the tile, which begin as their output rows do
const     ASIDE   = sizeof(T) == 16 ? 1 : min(4, gcd(PITCH, 32)) # words that a warp reads below each other: then its lanes meet different banks
let       shared_bytes = (PITCH * TILE_COLS * sizeof(T) + 31) / 16 * 16
let       down    = RUN == 0 ? 1 : ceil_div(rows + max(0, HALO - 1), ROWS)
let       across  = ceil_div(cols, TILE_COLS)
let       tiles   = down * across * batch
const     FLAT    = max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED = batch > 1
const     WIDE    = max(READ_ROWS * ld_in, TILE_COLS * ld_out) > 2147483000 # 64-bit offsets inside a tile

require   ld_in % PER == 0 && align_in >= PER * sizeof(T) # words of an input row are aligned
require   ld_in % piece != 0 || min(align_in, align_out) < 32 || ld_out * sizeof(T) % 32 != 0 || cols % piece != 0 || rows % piece != 0 # subtile does the same with less
require   gcd(PITCH, 32) <= 2 * ASIDE || sizeof(T) == 16 # too many lanes would meet in one bank
require   THREADS >= ASIDE * TILE_COLS / PER # threads stand in whole rows
require   ALIGN == 16 || HALO > 0      # already aligned
require   4 * ABOVE <= ROWS            # at most a fifth is read twice
require   RUN == 0 || ROWS < 2 * rows || RUN == 128 # not mostly empty
require   RUN > 0 || rows * sizeof(T) <= 2048 # a block holds them
require   TILE_COLS < 2 * cols || WIDTH == 64
require   TILE_COLS * ROWS >= THREADS * PER * AHEAD # else some threads have nothing to do
require   TILE_COLS * ROWS * sizeof(T) <= 256 * THREADS
require   TILE_COLS * ROWS * sizeof(T) >= 4096 # a multiprocessor needs many bytes in flight
require   shared_bytes <= min(device.max_shared_bytes, 102400)
require   THREADS <= device.max_threads_per_block
require   tiles <= device.max_grid_x

grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     THREADS
shared    shared_bytes
default   WIDTH=128 RUN=256 THREADS=256 AHEAD=4 ALIGN=32 ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
constexpr int WIDTH = 128, RUN = 256, THREADS = 256, AHEAD = 4, ALIGN = 32, PER = 4, ANY_OUT = 1, HALO = 32, ABOVE = 32, ROWS = 256;
constexpr int READ_ROWS = 288, TILE_COLS = 128, PITCH = 289, ASIDE = 1;
constexpr int BATCHED = 0, FLAT = 0, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast;
#endif

/*
 * The tile holds the output rows' parts one after the other. Its pitch differs from the output's by whole pieces of 16
 * bytes, so that every aligned piece of an output row is an aligned piece of the tile, and the elements that a lane
 * scatters are PITCH apart: where that is odd, neighbouring lanes meet different banks. Where output rows do not begin
 * aligned, a tile's part of one begins up to HALO elements above its rows: those are read twice. What does not
 * fill 16 bytes at the ends of an output row is written element by element.
 */

template <bool wide> struct IndexOf { using type = int; };
template <> struct IndexOf<true> { using type = long long; };
using Index = IndexOf<WIDE != 0>::type;

template <int bytes> struct Access;
template <> struct Access<4> { using type = unsigned; };
template <> struct Access<8> { using type = uint2; };
template <> struct Access<16> { using type = uint4; };

constexpr int ES     = sizeof(T);
constexpr int PIECE  = 16 / ES;               /* elements in 16 bytes */
constexpr int UNITS  = ALIGN / ES;            /* elements between aligned places of a row */
constexpr int WORDS  = TILE_COLS / PER;       /* of an input row in the tile */
constexpr int STEP   = THREADS / WORDS / ASIDE; /* groups of ASIDE input rows that the threads read at once */
constexpr int GROUPS = ((READ_ROWS + PER * ASIDE - 1) / (PER * ASIDE)) * PER; /* that there are */
constexpr int PIECES = ROWS / PIECE;          /* of an output row in the tile */
constexpr int STORES = TILE_COLS * PIECES;    /* pieces of the tile */
constexpr int AT_ONCE = 4;                    /* pieces that a thread reads before it writes the first */

union Word {
    Access<PER * ES>::type bits;
    T                      element[PER];
};

/* The row of a group of ASIDE rows, PER apart, k steps further on. */
__device__ __forceinline__ int row_of(int group, int k)
{
    if (STEP % PER == 0)
        return group / PER * (PER * ASIDE) + group % PER + k * (STEP * ASIDE);
    return (group + k * STEP) / PER * (PER * ASIDE) + (group + k * STEP) % PER;
}

/* Elements between the last multiple of so many bytes and an address. */
template <int bytes> __device__ __forceinline__ unsigned elements_behind(const T *address)
{
    return (unsigned)((unsigned long long)address % bytes / ES);
}

/* Which matrix and tile of it the block moves: its place in the grid, or from one number. */
__device__ __forceinline__ void locate(unsigned &matrix, unsigned &r, unsigned &c, unsigned down, unsigned across)
{
    if (FLAT) {
        const unsigned t = BATCHED ? blockIdx.x % (down * across) : blockIdx.x;
        matrix = BATCHED ? blockIdx.x / (down * across) : 0;
        r      = ORDER == ORDER_in_fast ? t / across : t % down;
        c      = ORDER == ORDER_in_fast ? t % across : t / down;
    } else {
        matrix = BATCHED ? blockIdx.z : 0;
        r      = ORDER == ORDER_in_fast ? blockIdx.y : blockIdx.x;
        c      = ORDER == ORDER_in_fast ? blockIdx.x : blockIdx.y;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_skew_out(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols,
    long long ld_in, long long ld_out)
{
    extern __shared__ uint4 shared_memory[];

    unsigned matrix, tile_r, tile_c;
    locate(matrix, tile_r, tile_c, RUN == 0 ? 1 : (unsigned)((rows + (HALO > 0 ? HALO - 1 : 0) + ROWS - 1) / ROWS),
        (unsigned)((cols + TILE_COLS - 1) / TILE_COLS));
    const long long r0    = (long long)tile_r * ROWS, c0 = (long long)tile_c * TILE_COLS;
    const int cols_here   = (int)(cols - c0 < TILE_COLS ? cols - c0 : TILE_COLS);

    /* Of the rows that the tile reads, [first_row, end_row) exist. */
    const int first_row = r0 < ABOVE ? ABOVE - (int)r0 : 0;
    const int end_row   = (int)(rows - r0 < ROWS ? rows - r0 : ROWS) + ABOVE;

    /* How far behind an aligned place the tile's part of its first column begins, and what each further column adds. */
    const long long out_start = (matrix * cols + c0) * ld_out + r0;
    const unsigned  out_base  = ANY_OUT ? elements_behind<ALIGN>(out) : 0; /* in a buffer that does begin aligned */
    const unsigned  out_phase = HALO == 0 ? 0 : ((unsigned)out_start + out_base) % UNITS, out_step = HALO == 0 ? 0 : (unsigned)ld_out % UNITS;

    T *const tile = (T *)shared_memory + out_phase % PIECE;
    const T *const from = in + (matrix * rows + r0 - ABOVE) * ld_in + c0;

    /* Every thread keeps to its columns and goes down. Its neighbours are a word further down or to the right. */
    const int  below  = (int)threadIdx.x % ASIDE * PER, c = (int)threadIdx.x / ASIDE % WORDS * PER;
    const bool inside = c < cols_here;

#pragma unroll 1
    for (int first = (int)threadIdx.x / (ASIDE * WORDS); first < GROUPS; first += AHEAD * STEP) {
        Word word[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const int row = row_of(first, k) + below;
            if (inside && row >= first_row && row < end_row)
                word[k].bits = *(const Access<PER * ES>::type *)(from + (row * (Index)ld_in + c));
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const int row = row_of(first, k) + below;
            if ((READ_ROWS % (PER * ASIDE) == 0 && GROUPS % (AHEAD * STEP) == 0) || row < READ_ROWS)
#pragma unroll
                for (int e = 0; e < PER; e++)
                    tile[(c + e) * PITCH + row] = word[k].element[e];
        }
    }

    __syncthreads();

    T *const to_tile = out + (out_start - ABOVE);

#pragma unroll 1
    for (int i = threadIdx.x; i < cols_here * PIECES; i += AT_ONCE * THREADS) {
        uint4 piece[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int c     = (i + k * THREADS) / PIECES;
            const int ahead = HALO == 0 ? 0 : (int)((out_phase + c * out_step) % UNITS);
            const int row   = (i + k * THREADS) % PIECES * PIECE + ABOVE - ahead;
            if ((STORES % (AT_ONCE * THREADS) == 0 || c < TILE_COLS) && row >= first_row && row + PIECE <= end_row)
                piece[k] = *(const uint4 *)(tile + (c * PITCH + row));
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int c     = (i + k * THREADS) / PIECES;
            const int ahead = HALO == 0 ? 0 : (int)((out_phase + c * out_step) % UNITS);
            const int row   = (i + k * THREADS) % PIECES * PIECE + ABOVE - ahead;
            T *const  to    = to_tile + (c * (Index)ld_out + row);
            if (c >= cols_here)
                continue;
            if (row >= first_row && row + PIECE <= end_row) {
                *(uint4 *)to = piece[k];
            } else { /* the ends of an output row */
#pragma unroll 1
                for (int e = max(0, first_row - row); e < PIECE && row + e < end_row; e++)
                    to[e] = tile[c * PITCH + row + e];
            }
        }
    }
}
