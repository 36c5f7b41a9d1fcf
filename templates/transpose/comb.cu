/*!autotune
template  comb                         # tall matrices of few columns: rows as they lie in memory, each lane gathers words of a column
use       async columns index

param     RUN      = 128 256 512 1024 2048 # bytes of an output row that a block writes
param     THREADS  = 128 256 512       # threads a block
param     AHEAD    = 1 2 4             # words of a column that a thread gathers at a time
param     ALIGN    = 32 128            # bytes: a block's part of an output row begins and ends at a multiple

const     COLS     = cols              # 0, of a kernel for all numbers of columns: an argument
const     ANY_IN   = align_in < 16     # the input does not begin at a multiple of 16 bytes
const     ANY_OUT  = align_out < ALIGN # nor the output at one of ALIGN
const     HALO     = ld_out * sizeof(T) % ALIGN == 0 && !ANY_OUT ? 0 : ALIGN / sizeof(T) # rows read above those that a block begins with
const     ROWS     = RUN / sizeof(T)   # that a block writes
let       BYTES    = ((ROWS + HALO) * cols * sizeof(T) + 30) / 16 * 16 # of all pieces with a part of the tile; the name is the one that the shipped model knows
const     ASIDE    = sizeof(T) == 16 ? 1 : min(4, gcd(cols, 32)) # columns that a warp gathers from: then its lanes meet different banks
let       down     = ceil_div(rows + max(0, HALO - 1), ROWS)
let       blocks   = down * batch
const     BATCHED  = batch > 1
const     WIDE     = (ROWS + HALO) * cols > 2147483000 || cols * ld_out > 2147483000 # 64-bit offsets inside a matrix
const     KEEP     = device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
general   COLS=0 ASIDE=any ANY_IN=1 ANY_OUT=1 BATCHED=1 WIDE=1 KEEP=any
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   ld_in == cols                # rows follow each other without gaps
require   cols > 1 && cols <= 160      # tiles do better with many columns
prefer    gcd(cols, 32) <= 2 * ASIDE || sizeof(T) == 16 # too many lanes would meet in one bank
prefer    ALIGN == 32 || HALO > 0      # already aligned
prefer    4 * HALO <= ROWS             # at most a fifth is read twice
prefer    ROWS < 2 * rows              # not mostly empty
require   RUN >= 32 / ASIDE * AHEAD * max(4, sizeof(T)) # a warp stays within the tile
prefer    cols * RUN >= 4 * THREADS * AHEAD # else some threads have nothing to do
prefer    BYTES >= 16 * THREADS || THREADS == 128
require   BYTES <= 512 * THREADS
prefer    BYTES >= 4096                # a multiprocessor needs many bytes in flight
require   BYTES <= min(device.max_shared_bytes, 73728)
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
shared    BYTES
default   RUN=512 THREADS=256 AHEAD=2 ALIGN=32
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
#define AUTOTUNE_ARG(name) name
constexpr int RUN = 512, THREADS = 256, AHEAD = 4, ALIGN = 32, ANY_IN = 1, ANY_OUT = 1, COLS = 33, ASIDE = 1, HALO = 32, ROWS = 512, BATCHED = 0, WIDE = 0, KEEP = 1;
#include "../common/async.cuh"
#include "../common/columns.cuh"
#include "../common/index.cuh"
#endif

/*
 * A block's rows are contiguous memory; the tile is a copy of the 16-byte pieces that hold them. Neighbouring lanes write
 * neighbouring words of an output row: elements that stand a row apart in the tile, where an odd number of columns
 * keeps the lanes in different banks. With three columns, and words of two elements:
 *
 *     tile          a0 b0 c0 a1 b1 c1 a2 b2 c2 a3 b3 c3 ...
 *     output row a  [a0 a1][a2 a3] ...                         lane 0, lane 1, ...
 *
 * Where output rows do not begin aligned, a block's part of one begins up to HALO elements above its rows: those are
 * read twice.
 */

using Index = IndexOf<WIDE != 0>::type;

constexpr int UNITS  = ALIGN / ES;            /* elements between aligned places of a row */
constexpr int LONG   = 32 / ASIDE;            /* words of a column that a warp writes at once */
constexpr int CHUNK  = LONG * AHEAD;          /* and gathers at a time */
constexpr int CHUNKS = ROWS / (CHUNK * PER);  /* of a column */
constexpr int CHUNKS_ASIDE = THREADS / 32 % CHUNKS == 0 ? CHUNKS : 1; /* that are different warps' */

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_comb(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    extern __shared__ uint4 shared_memory[];

    const int       wide   = COLS > 0 ? COLS : (int)cols;
    const unsigned  down   = BATCHED ? (unsigned)((rows + (HALO > 0 ? HALO - 1 : 0) + ROWS - 1) / ROWS) : 0;
    const unsigned  matrix = BATCHED ? blockIdx.x / down : 0;
    const long long r0     = (long long)(BATCHED ? blockIdx.x % down : blockIdx.x) * ROWS;

    /* Of the rows that the block reads, [first_row, end_row) exist. */
    const int first_row = r0 < HALO ? HALO - (int)r0 : 0;
    const int end_row   = (int)(rows - r0 < ROWS ? rows - r0 : ROWS) + HALO;

    /* The piece with the first element, and that element's place there; whole pieces of the buffer from there on. */
    const unsigned  in_base = ANY_IN ? elements_behind<16>(in) : 0, out_base = ANY_OUT ? elements_behind<ALIGN>(out) : 0;
    const long long start = (matrix * rows + r0 - HALO) * wide + in_base; /* in a buffer that does begin aligned */
    const long long piece = start >= 0 ? start / PIECE : -((PIECE - 1 - start) / PIECE);
    const int       phase = (int)(start - piece * PIECE);
    const long long whole = (batch * rows * wide + in_base) / PIECE - piece;
    const int       begin = first_row == 0 ? 0 : (phase + first_row * wide) / PIECE;
    const int       end   = (phase + end_row * wide + PIECE - 1) / PIECE;
    const uint4 *const from = (const uint4 *)(in - in_base) + piece;

    const int last = (int)(end < whole ? end : whole);
#pragma unroll 4
    for (int p = begin + (int)threadIdx.x; p < last; p += THREADS)
        copy_async<KEEP>(shared_memory + p, from + p);
    await_copies();

    /* The buffer's last elements do not fill a piece. */
    if (end > whole) {
        __syncthreads();
        const int i = (int)whole * PIECE + (int)threadIdx.x;
        if (i < phase + end_row * wide)
            ((T *)shared_memory)[i] = ((const T *)from)[i];
    }

    __syncthreads();

    const T *const  tile = (const T *)shared_memory + phase;
    const long long out_start = (long long)matrix * wide * ld_out + r0;
    const unsigned  out_phase = HALO == 0 ? 0 : ((unsigned)out_start + out_base) % UNITS, out_step = HALO == 0 ? 0 : (unsigned)ld_out % UNITS;
    const int       lane = threadIdx.x % 32;

    const int groups = ASIDE == 1 ? wide : (wide + PER * ASIDE - 1) / (PER * ASIDE) * PER; /* of columns */

    /* A warp goes over columns, and down each as far as it is not another warp's. */
    const int warp = threadIdx.x / 32, own_row = HALO + (CHUNKS_ASIDE > 1 ? warp % CHUNKS_ASIDE * (CHUNK * PER) : 0) + lane / ASIDE * PER;

#pragma unroll 1
    for (int group = warp / CHUNKS_ASIDE; group < groups; group += THREADS / 32 / CHUNKS_ASIDE) {
        const int c = ASIDE == 1 ? group : group / PER * (PER * ASIDE) + group % PER + lane % ASIDE * PER;
        if (ASIDE > 1 && wide % (PER * ASIDE) != 0 && c >= wide)
            continue;
        const int ahead  = HALO == 0 ? 0 : (int)((out_phase + c * out_step) % UNITS); /* of an aligned place */
        int       row    = own_row - ahead;
        const T  *column = tile + row * wide + c;
        T        *to     = out + out_start + c * (Index)ld_out + (row - HALO);

#pragma unroll 1
        for (int chunk = 0; chunk < CHUNKS / CHUNKS_ASIDE; chunk++) {
            if (first_row == 0 && end_row == ROWS + HALO) {
                move_words<AHEAD, LONG>(to, column, wide);
            } else {
#pragma unroll 1
                for (int k = 0; k < AHEAD; k++)
                    for (int e = 0; e < PER; e++) {
                        const int i = k * LONG * PER + e;
                        if (row + i >= first_row && row + i < end_row)
                            to[i] = column[i * wide];
                    }
            }
            row += CHUNK * PER;
            column += CHUNK * PER * wide;
            to += CHUNK * PER;
        }
    }
}
