/*!autotune
template  cluster                       # skew in clusters of blocks, which may lend each other the rows between their tiles
use       async columns index tiles

param     WIDTH   = 64 128 256 512     # bytes of an input row that a tile holds
param     RUN     = 128 256 512 1024   # bytes of an output row that a block writes
param     CLUSTER = 1 2 4 8            # blocks of a cluster one below the other
param     BESIDE  = 1 2                # and beside each other
param     LEND    = no yes             # rows above a tile are not read again, but taken from the block above
param     THREADS = 128 256 512        # threads a block
param     QUARTERS = 3 4              # of a multiprocessor's threads that registers leave room for
param     AHEAD   = 1 2                # words of a column that a thread gathers at a time
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

let       piece   = 16 / sizeof(T)
const     ALIGN   = 32                 # bytes: a tile's part of an output row begins and ends at a multiple
const     ANY_IN  = align_in < 16      # the input does not begin at a multiple of 16 bytes
const     ANY_OUT = align_out < ALIGN  # nor the output at one of ALIGN
const     SHIFT   = ld_in % piece != 0 || ANY_IN # input rows begin anywhere
const     HALO    = ld_out * sizeof(T) % ALIGN == 0 && !ANY_OUT ? 0 : ALIGN / sizeof(T) # rows between aligned places of an output row
const     TILE_COLS = WIDTH / sizeof(T)
const     ACROSS  = WIDTH / 16 + SHIFT # pieces of a row
let       slots   = SHIFT || ACROSS % 2 == 1 ? ACROSS : ACROSS + 1
const     PITCH   = slots * piece + ld_in % piece # elements between rows of the tile, which begin as their rows in memory do
const     ASIDE   = sizeof(T) == 16 ? 1 : min(4, gcd(PITCH, 32)) # columns that a warp gathers from: then its lanes meet different banks
let       chunk   = 32 / ASIDE * AHEAD * max(1, 4 / sizeof(T)) # rows that a warp gathers from at a time
const     ROWS    = RUN / sizeof(T)    # that a tile writes
const     READ_ROWS = ROWS + HALO
const     PIECES  = ((READ_ROWS - 1) * PITCH * sizeof(T) + 15) / 16 + ACROSS # of the tile
const     RESIDENT = max(1, min(233472 / (16 * PIECES + 1024), 512 * QUARTERS / THREADS)) # blocks of a multiprocessor that registers should leave room for
let       down    = ceil_div(rows + max(0, HALO - 1), ROWS)
let       blocks_down = ceil_div(down, CLUSTER) * CLUSTER
let       blocks_across = ceil_div(ceil_div(cols, TILE_COLS), BESIDE) * BESIDE
let       blocks  = blocks_down * blocks_across * batch
const     FLAT    = max(ORDER == ORDER_in_fast ? blocks_down : blocks_across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED = batch > 1
const     WIDE    = max(READ_ROWS * ld_in, TILE_COLS * ld_out) > 2147483000 # 64-bit offsets inside a tile

require   CLUSTER * BESIDE == 1 || device.cc >= 90 && !FLAT # a cluster is a part of the grid
require   CLUSTER * BESIDE <= 8        # more blocks need not fit
require   CLUSTER <= down
require   BESIDE <= ceil_div(cols, TILE_COLS)
require   LEND == LEND_no || CLUSTER > 1 && HALO > 0 # else there is nothing to lend
require   SHIFT || align_out < 32 || ld_out * sizeof(T) % 32 != 0 || cols % piece != 0 || rows % piece != 0 # subtile does the same with less
require   gcd(PITCH, 32) <= 2 * ASIDE || sizeof(T) == 16 # too many lanes would meet in one bank
require   4 * HALO <= ROWS             # at most a fifth is read twice
require   ROWS < 2 * rows || RUN == 128 # not mostly empty
require   TILE_COLS < 2 * cols || WIDTH == 64
require   ROWS % chunk == 0            # a warp stays within the tile
require   TILE_COLS * ROWS * sizeof(T) >= 4 * THREADS * AHEAD # else some threads have nothing to do
require   QUARTERS == 3 || 512 * 3 / THREADS < 233472 / (16 * PIECES + 1024) # else shared memory limits the blocks to the same number
require   READ_ROWS * ACROSS >= THREADS || THREADS == 128
require   READ_ROWS * ACROSS <= 36 * THREADS
require   PIECES >= 256                # a multiprocessor needs many bytes in flight
require   16 * PIECES <= min(device.max_shared_bytes, 102400)
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      FLAT ? blocks : ORDER == ORDER_in_fast ? blocks_across : blocks_down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? blocks_down : blocks_across \
          FLAT ? 1 : batch
block     THREADS
shared    16 * PIECES
default   WIDTH=256 RUN=256 CLUSTER=1 BESIDE=1 LEND=no THREADS=512 QUARTERS=3 AHEAD=2 ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
constexpr int THREADS = 512, RESIDENT = 2, AHEAD = 2, ALIGN = 32, ANY_IN = 1, ANY_OUT = 1, SHIFT = 1, HALO = 32, ROWS = 256;
constexpr int CLUSTER = 2, BESIDE = 1, LEND_no = 0, LEND_yes = 1, LEND = LEND_yes;
constexpr int READ_ROWS = 288, TILE_COLS = 256;
constexpr int ACROSS = 17, PITCH = 273, ASIDE = 1, PIECES = 4914, BATCHED = 0, FLAT = 0, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast;
#include "../../../../templates/common/async.cuh"
#include "../../../../templates/common/columns.cuh"
#include "../../../../templates/common/index.cuh"
#include "../../../../templates/common/tiles.cuh"
#endif

/*
 * As `skew`, which explains how a tile is kept and written. Blocks of a cluster run at the same time on neighbouring
 * multiprocessors and can read each other's shared memory, where the last rows of a tile stand as the next one's first.
 */

using Index = IndexOf<WIDE != 0>::type;

constexpr int UNITS  = ALIGN / ES;            /* elements between aligned places of a row */
constexpr int DOWN   = THREADS / ACROSS;       /* input rows that the threads read at once */
constexpr int LONG   = 32 / ASIDE;            /* words of a column that a warp writes at once */
constexpr int CHUNK  = LONG * AHEAD;          /* and gathers at a time */
constexpr int CHUNKS = ROWS / (CHUNK * PER);  /* of a column */
constexpr int CHUNKS_ASIDE = THREADS / 32 % CHUNKS == 0 ? CHUNKS : 1; /* that are different warps' */

#if __CUDA_ARCH__ >= 900
constexpr bool LENDS = LEND == LEND_yes;
#define CLUSTERED __cluster_dims__(ORDER == ORDER_in_fast ? BESIDE : CLUSTER, ORDER == ORDER_in_fast ? CLUSTER : BESIDE, 1)
#define ON_CLUSTER(...) asm volatile(__VA_ARGS__)
#else
constexpr bool LENDS = false;
#define CLUSTERED
#define ON_CLUSTER(...)
#endif

/* To the blocks of the cluster: what was written until now may be read, what was read may be given up. */
__device__ __forceinline__ void arrive()
{
    ON_CLUSTER("barrier.cluster.arrive.release;" ::: "memory");
}

/* Waits until all of them that still run have arrived. */
__device__ __forceinline__ void await_cluster()
{
    ON_CLUSTER("barrier.cluster.wait.acquire;" ::: "memory");
}

/* 16 bytes of another block's shared memory, at the place that `own` has in this one's. */
__device__ __forceinline__ uint4 borrowed(const uint4 *own, unsigned block)
{
    uint4    x  = {};
    unsigned at = 0;
    ON_CLUSTER("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"((unsigned)__cvta_generic_to_shared(own)), "r"(block));
    ON_CLUSTER("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "r"(at) : "memory");
    return x;
}

extern "C" __global__ void CLUSTERED __launch_bounds__(THREADS, RESIDENT)
transpose_cluster(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols,
    long long ld_in, long long ld_out)
{
    extern __shared__ uint4 shared_memory[];

    const unsigned down   = (unsigned)((rows + (HALO > 0 ? HALO - 1 : 0) + ROWS - 1) / ROWS);
    const unsigned across = (unsigned)((cols + TILE_COLS - 1) / TILE_COLS);
    const unsigned blocks_down = (down + CLUSTER - 1) / CLUSTER * CLUSTER, blocks_across = (across + BESIDE - 1) / BESIDE * BESIDE;
    const unsigned matrix = matrix_of<FLAT, BATCHED>(blocks_down, blocks_across);
    const Spot     spot   = spot_of<FLAT, BATCHED, ORDER == ORDER_out_fast>(blocks_down, blocks_across);
    const unsigned tile = spot.r, part = spot.c;
    if (CLUSTER * BESIDE > 1 && (tile >= down || part >= across))
        return; /* the grid is rounded up; nobody borrows from here, and barriers wait only for those that run */
    const bool borrows    = LENDS && tile % CLUSTER != 0;
    const long long c0    = (long long)part * TILE_COLS, r0 = (long long)tile * ROWS;
    const int cols_here   = (int)(cols - c0 < TILE_COLS ? cols - c0 : TILE_COLS);
    const int lane        = threadIdx.x % 32, warp = threadIdx.x / 32;

    /* A buffer that does not begin aligned is the rest of one that does. */
    const unsigned in_base = ANY_IN ? elements_behind<16>(in) : 0, out_base = ANY_OUT ? elements_behind<ALIGN>(out) : 0;
    const long long count  = batch * rows * ld_in + in_base;

    const unsigned out_phase = HALO == 0 ? 0 : ((unsigned)((matrix * cols + c0) * ld_out) + out_base) % UNITS;
    const unsigned out_step  = HALO == 0 ? 0 : (unsigned)ld_out % UNITS;

    /* Of the rows that the tile holds, [first_row, end_row) exist. */
    const int first_row = r0 < HALO ? HALO - (int)r0 : 0;
    const int end_row   = (int)(rows - r0 < ROWS ? rows - r0 : ROWS) + HALO;

    /* The piece with the tile's first element, and that element's place there; whole pieces of the buffer from there on. */
    const long long start = (matrix * rows + r0 - HALO) * ld_in + c0 + in_base;
    const long long piece = start >= 0 ? start / PIECE : -((PIECE - 1 - start) / PIECE);
    const int       phase = (int)(start - piece * PIECE);
    const long long left  = count / PIECE - piece;
    const Index     whole = WIDE || left < 2147483647 ? (Index)left : 2147483647;
    const uint4 *const from = (const uint4 *)(in - in_base) + piece;

    /* Every thread keeps to its place in a row and goes down. */
    const int n = (int)threadIdx.x % ACROSS, own = (int)threadIdx.x / ACROSS;
    if (THREADS % ACROSS == 0 || own < DOWN)
#pragma unroll 4
        for (int row = (borrows ? HALO : first_row) + own; row < end_row; row += DOWN) {
            const Index element = phase + row * (Index)ld_in, at = (element >> LOG) + n;
            const int   col = n * PIECE - (SHIFT ? (int)(element & (PIECE - 1)) : 0);
            if (col < cols_here && at < whole)
                copy_async<false>(shared_memory + ((phase + row * PITCH) >> LOG) + n, from + at);
        }
    await_copies();
    if (LENDS) {
        arrive();
        await_cluster();
        if (borrows) { /* the last rows of the tile above are the first of this one */
            const unsigned above = ORDER == ORDER_in_fast ? (tile % CLUSTER - 1) * BESIDE + part % BESIDE
                                                          : part % BESIDE * CLUSTER + (tile % CLUSTER - 1);
#pragma unroll 1
            for (int p = threadIdx.x; p < HALO * PITCH / PIECE; p += THREADS)
                shared_memory[p] = borrowed(shared_memory + ROWS * PITCH / PIECE + p, above);
        }
        arrive();
    }
    __syncthreads();

    /* The buffer's last elements that do not fill a piece may be this tile's. */
    if (SHIFT && whole <= ((phase + (end_row - 1) * (Index)ld_in) >> LOG) + ACROSS) {
        const long long i = (piece + left) * PIECE + threadIdx.x - in_base;
        if (i >= 0 && i < count - in_base) {
            const long long row = i / ld_in - (matrix * rows + r0 - HALO), col = i % ld_in - c0;
            if (row >= first_row && row < end_row && col >= 0 && col < cols_here)
                ((T *)shared_memory)[phase + (int)row * PITCH + (int)col] = in[i];
        }
        __syncthreads();
    }

    /* A warp goes over columns, and down each as far as it is not another warp's. */
    const T *const place   = (const T *)shared_memory + phase;
    T *const       to_tile = out + ((matrix * cols + c0) * ld_out + r0 - HALO);
    const int      groups  = (cols_here + PER * ASIDE - 1) / (PER * ASIDE) * PER;
    const int      own_row = HALO + (CHUNKS_ASIDE > 1 ? warp % CHUNKS_ASIDE * (CHUNK * PER) : 0) + lane / ASIDE * PER;
    const bool     whole_tile = first_row == 0 && end_row == ROWS + HALO && cols_here == TILE_COLS;

#pragma unroll 1
    for (int group = warp / CHUNKS_ASIDE; group < (ASIDE == 1 ? cols_here : groups); group += THREADS / 32 / CHUNKS_ASIDE) {
        const int c = ASIDE == 1 ? group : group / PER * (PER * ASIDE) + group % PER + lane % ASIDE * PER;
        const int ahead = HALO == 0 ? 0 : (int)((out_phase + c * out_step) % UNITS); /* of an aligned place */
        int       row   = own_row - ahead;
        const T  *column = place + row * PITCH + c;
        T        *to     = to_tile + (c * (Index)ld_out + row);

        if (whole_tile)
#pragma unroll 1
            for (int chunk = 0; chunk < CHUNKS / CHUNKS_ASIDE; chunk++) {
                move_words<AHEAD, LONG, PITCH>(to, column);
                column += CHUNK * PER * PITCH;
                to += CHUNK * PER;
            }
        else if (c < cols_here)
#pragma unroll 1
            for (int chunk = 0; chunk < CHUNKS / CHUNKS_ASIDE; chunk++) {
                move_words_between<AHEAD, LONG, PITCH>(to, column, row, first_row, end_row);
                row += CHUNK * PER;
                column += CHUNK * PER * PITCH;
                to += CHUNK * PER;
            }
    }

    if (LENDS)
        await_cluster(); /* a block's shared memory lives as long as the block */
}
