/*!autotune
template  walk                          # for rows of any alignment: blocks go down strips of columns, whose rows arrive in a ring while others are written
use       async columns index

param     WIDTH   = 128 256 512        # bytes of an input row that a block holds
param     RUN     = 64 128 256 512     # bytes of an output row that it writes at a time
param     STAGES  = 2 3 4              # tiles in the ring: one is written, the others are on their way
param     THREADS = 256 512 1024       # threads a block
param     AHEAD   = 2 4                # words that a thread gathers at a time
param     WAVES   = 1 8                # blocks for each that can be resident
param     ORDER   = in_fast out_fast end_to_end # neighbouring blocks walk strips side by side, or one strip; or equal parts of all strips in a row
param     COPY    = cg ca cg128 ca128 cg256 ca256 # past the first-level cache or by way of it; bytes that the second level shall fetch

let       piece   = 16 / sizeof(T)
let       per     = max(1, 4 / sizeof(T))
const     ALIGN   = 32                 # bytes: a tile's part of an output row begins and ends at a multiple
const     ANY_IN  = align_in < 16      # the input does not begin at a multiple of 16 bytes
const     ANY_OUT = align_out < ALIGN  # nor the output at one of ALIGN
const     SHIFT   = ld_in % piece != 0 || ANY_IN # input rows begin anywhere
const     HALO    = ld_out * sizeof(T) % ALIGN == 0 && !ANY_OUT ? 0 : ALIGN / sizeof(T) # rows between aligned places of an output row
const     TILE_COLS = WIDTH / sizeof(T)
const     ACROSS  = WIDTH / 16 + SHIFT # pieces of a row
let       slots   = SHIFT || ACROSS % 2 == 1 ? ACROSS : ACROSS + 1
const     PITCH   = slots * piece + ld_in % piece # elements between rows of the ring, which begin as their rows in memory do
const     ASIDE   = sizeof(T) == 16 ? 1 : min(4, gcd(PITCH, 32)) # columns that a warp gathers from: then its lanes meet different banks
const     ROWS    = RUN / sizeof(T)    # of a tile
const     RING    = STAGES * ROWS + HALO # rows of the ring
const     PIECES  = ((RING + per - 2) * PITCH * sizeof(T) + 15) / 16 + ACROSS # in it
const     RESIDENT = max(1, min(233472 / (16 * PIECES + 1024), 1536 / THREADS)) # blocks of a multiprocessor that registers should leave room for
let       down    = ceil_div(rows + max(0, HALO - 1), ROWS)
let       strips  = ceil_div(cols, TILE_COLS) * batch
let       tiles   = down * strips
let       places  = WAVES * RESIDENT * device.sms
const     PARTS   = ORDER == ORDER_end_to_end ? 1 : max(1, min(down, places / strips)) # blocks that share a strip
const     BLOCKS  = ORDER == ORDER_end_to_end ? min(tiles, places) : strips * PARTS
const     BATCHED = batch > 1
const     WIDE    = max((ROWS + HALO) * ld_in, TILE_COLS * ld_out) > 2147483000 # 64-bit offsets inside a tile

require   device.cc >= 80              # copies to shared memory that pass by the registers
require   gcd(PITCH, 32) <= 2 * ASIDE || sizeof(T) == 16 # too many lanes would meet in one bank
require   ROWS % (32 / ASIDE * per) == 0 # a warp stays within the tile
require   ROWS / (32 / ASIDE * per) <= THREADS / 32 # and keeps to its rows
require   ASIDE == 1 || THREADS / 32 / (ROWS / (32 / ASIDE * per)) % per == 0 # so it goes on by the same number of columns
require   ROWS < 2 * rows || RUN == 64 # not mostly empty
require   TILE_COLS < 2 * cols || WIDTH == 128
require   TILE_COLS * ROWS >= THREADS * AHEAD * per # else some threads have nothing to do
require   ROWS * ACROSS >= THREADS
require   (STAGES - 1) * RESIDENT * ROWS * WIDTH >= 16384 # a multiprocessor needs many bytes in flight
require   WAVES == 1 || tiles >= STAGES * BLOCKS
require   ORDER != ORDER_out_fast || PARTS > 1 # else in_fast is the same
require   16 * PIECES <= device.max_shared_bytes
require   THREADS <= device.max_threads_per_block
require   tiles <= 2147483647

grid      BLOCKS
block     THREADS
shared    16 * PIECES
default   WIDTH=256 RUN=128 STAGES=2 THREADS=256 AHEAD=2 WAVES=1 ORDER=in_fast COPY=ca
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
constexpr int THREADS = 256, RESIDENT = 2, STAGES = 2, AHEAD = 2, ALIGN = 32, ANY_IN = 1, ANY_OUT = 1, SHIFT = 1, HALO = 32, ROWS = 128, RING = 288;
constexpr int TILE_COLS = 256, ACROSS = 17, PITCH = 273, ASIDE = 1, PIECES = 4982, PARTS = 8, BLOCKS = 264, BATCHED = 0, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER_end_to_end = 2, ORDER = ORDER_in_fast;
constexpr int COPY_cg = 0, COPY_ca = 1, COPY_cg128 = 2, COPY_ca128 = 3, COPY_cg256 = 4, COPY_ca256 = 5, COPY = COPY_ca;
#include "../../../../templates/common/async.cuh"
#include "../../../../templates/common/columns.cuh"
#include "../../../../templates/common/index.cuh"
#endif

/*
 * The ring holds the aligned 16-byte pieces of every row as they are. Its pitch differs from the input's by whole pieces,
 * so the elements of a column are PITCH apart and lie in different banks, as in the template `skew`. Where output rows do
 * not begin aligned, a tile's part of one begins up to HALO elements above its rows: those are still in the ring, from the
 * tile before. The first rows of the ring stand once more behind its last, so that a word's elements are always PITCH apart.
 */

using Index = IndexOf<WIDE != 0>::type;

constexpr int UNITS  = ALIGN / ES;            /* elements between aligned places of a row */
constexpr int DOWN   = THREADS / ACROSS;      /* input rows that the threads read at once */
constexpr int LONG   = 32 / ASIDE;            /* words of a column that a warp writes at once */
constexpr int CHUNKS = ROWS / (LONG * PER);   /* of a column */
constexpr int APART  = THREADS * PER / ROWS;  /* columns between those that a warp writes from, one after the other */

/* 16 bytes on their way to shared memory. */
__device__ __forceinline__ void copy_piece(uint4 *to, const uint4 *from)
{
#ifdef __CUDA_ARCH__
#define COPY_BY(how) \
    asm volatile("cp.async." how " [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
    if (COPY == COPY_cg)    COPY_BY("cg.shared.global");
    if (COPY == COPY_ca)    COPY_BY("ca.shared.global");
    if (COPY == COPY_cg128) COPY_BY("cg.shared.global.L2::128B");
    if (COPY == COPY_ca128) COPY_BY("ca.shared.global.L2::128B");
    if (COPY == COPY_cg256) COPY_BY("cg.shared.global.L2::256B");
    if (COPY == COPY_ca256) COPY_BY("ca.shared.global.L2::256B");
#else
    *to = *from;
#endif
}

/* The tiles [first, end) that are this block's, counted down one strip after the other. */
__device__ __forceinline__ void locate(unsigned &first, unsigned &end, unsigned down, unsigned strips)
{
    if (ORDER == ORDER_end_to_end) {
        const unsigned long long tiles = (unsigned long long)down * strips;
        first = (unsigned)(tiles * blockIdx.x / BLOCKS);
        end   = (unsigned)(tiles * (blockIdx.x + 1) / BLOCKS);
    } else {
        const unsigned strip = ORDER == ORDER_in_fast ? blockIdx.x % strips : blockIdx.x / PARTS;
        const unsigned part  = ORDER == ORDER_in_fast ? blockIdx.x / strips : blockIdx.x % PARTS;
        first = strip * down + (unsigned)((unsigned long long)down * part / PARTS);
        end   = strip * down + (unsigned)((unsigned long long)down * (part + 1) / PARTS);
    }
}

/* A tile, and the ring's row where its first one stands. */
struct Tile {
    unsigned number, step, part, matrix;
    int      slot;
};

__device__ __forceinline__ void advance(Tile &t, unsigned down, unsigned across)
{
    t.number++;
    t.slot += t.slot + ROWS < RING ? ROWS : ROWS - RING;
    if (++t.step == down) {
        t.step = 0;
        if (++t.part == across) {
            t.part = 0;
            t.matrix++;
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
transpose_walk(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols,
    long long ld_in, long long ld_out)
{
    extern __shared__ uint4 shared_memory[];

    const unsigned down   = (unsigned)((rows + (HALO > 0 ? HALO - 1 : 0) + ROWS - 1) / ROWS);
    const unsigned across = (unsigned)((cols + TILE_COLS - 1) / TILE_COLS);
    unsigned first, end;
    locate(first, end, down, across * (BATCHED ? (unsigned)batch : 1));

    /* A buffer that does not begin aligned is the rest of one that does. */
    const unsigned     in_base = ANY_IN ? elements_behind<16>(in) : 0, out_base = ANY_OUT ? elements_behind<ALIGN>(out) : 0;
    const long long    count   = batch * rows * ld_in + in_base;
    const uint4 *const pieces  = (const uint4 *)(in - in_base);
    const unsigned     out_step = HALO == 0 ? 0 : (unsigned)ld_out % UNITS;

    /* Asks for the rows of a tile from `from` on, which may lie above it. */
    auto load = [&](const Tile &t, int from) {
        const long long r0 = (long long)t.step * ROWS, c0 = (long long)t.part * TILE_COLS;
        const long long matrix_row = (BATCHED ? t.matrix * rows : 0) + r0;
        const int       here  = (int)(rows - r0 < ROWS ? rows - r0 : ROWS);
        const int       cols_here = (int)(cols - c0 < TILE_COLS ? cols - c0 : TILE_COLS);
        const long long start = matrix_row * ld_in + c0 + in_base;
        const long long left  = (count >> LOG) - (start >> LOG); /* whole pieces */
        const Index     whole = WIDE || left < 2147483647 ? (Index)left : 2147483647;
        const int       ahead = (int)(start & (PIECE - 1));
        const int       phase = (ahead - t.slot * PITCH) & (PIECE - 1);
        const int       n = (int)threadIdx.x % ACROSS, own = (int)threadIdx.x / ACROSS;

        if (THREADS % ACROSS == 0 || own < DOWN)
#pragma unroll 1
            for (int row = from + own; row < here; row += DOWN) {
                const Index element = ahead + row * (Index)ld_in, at = (element >> LOG) + n;
                const int   col     = n * PIECE - (SHIFT ? (int)(element & (PIECE - 1)) : 0);
                const int   slot    = t.slot + row < RING ? t.slot + row : t.slot + row - RING;
                if (col >= cols_here || (SHIFT && at >= whole))
                    continue;
                uint4 *const to = shared_memory + ((phase + slot * PITCH) >> LOG) + n;
                copy_piece(to, pieces + (start >> LOG) + at);
                if (PER > 1 && slot < PER - 1)
                    copy_piece(to + RING * PITCH / PIECE, pieces + (start >> LOG) + at);
            }

        /* The buffer's last elements that do not fill a piece may be this tile's. */
        if (SHIFT && whole <= ((ahead + (here - 1) * (Index)ld_in) >> LOG) + ACROSS && threadIdx.x < (count & (PIECE - 1))) {
            const long long i = (count & ~(long long)(PIECE - 1)) - in_base + threadIdx.x;
            const long long row = i / ld_in - matrix_row, col = i % ld_in - c0;
            if (i >= 0 && row >= from && row < here && col >= 0 && col < cols_here) {
                const int slot  = t.slot + (int)row < RING ? t.slot + (int)row : t.slot + (int)row - RING;
                T *const  place = (T *)shared_memory + phase + slot * PITCH + (int)col;
                place[0] = in[i];
                if (PER > 1 && slot < PER - 1)
                    place[RING * PITCH] = in[i];
            }
        }
    };

    /* Every lane keeps to its rows and goes over columns. */
    auto write = [&](const Tile &t) {
        const int       lane  = threadIdx.x % 32, warp = threadIdx.x / 32, group = warp / CHUNKS;
        const long long r0    = (long long)t.step * ROWS, c0 = (long long)t.part * TILE_COLS;
        const int       below = (int)(rows - r0 < ROWS ? rows - r0 : ROWS);
        const int       above = t.step == 0 ? 0 : -HALO; /* the first row there is */
        const int       cols_here = (int)(cols - c0 < TILE_COLS ? cols - c0 : TILE_COLS);
        const unsigned  start = (unsigned)(((BATCHED ? t.matrix * rows : 0) + r0) * ld_in + c0 + in_base);
        const int       phase = ((int)start - t.slot * PITCH) & (PIECE - 1);
        const int       own   = ASIDE == 1 ? group : group / PER * (PER * ASIDE) + group % PER + lane % ASIDE * PER;
        const int       row   = (warp % CHUNKS * LONG + lane / ASIDE) * PER;
        const unsigned  slot  = t.slot + row + (t.slot < HALO ? RING : 0); /* so that it may go up */
        const long long line  = (BATCHED ? t.matrix * cols : 0) + c0 + own;
        const T        *from  = (const T *)shared_memory + phase + own;
        T              *to    = out + (line * ld_out + r0 + row);
        const Index     apart = APART * (Index)ld_out;
        unsigned        out_phase = HALO == 0 ? 0 : (unsigned)(line * ld_out) + out_base;

        if (above == -HALO && below == ROWS && cols_here == TILE_COLS)
#pragma unroll 1
            for (int i = 0; i < TILE_COLS / (APART * AHEAD); i++) {
                Word word[AHEAD];
                int  ahead[AHEAD]; /* elements from the last aligned place */
#pragma unroll
                for (int k = 0; k < AHEAD; k++) {
                    ahead[k] = HALO == 0 ? 0 : (int)((out_phase + k * APART * out_step) % UNITS);
                    const unsigned s = slot - ahead[k], place = min(s, s - RING) * PITCH + k * APART;
#pragma unroll
                    for (int e = 0; e < PER; e++)
                        word[k].element[e] = from[place + e * PITCH];
                }
#pragma unroll
                for (int k = 0; k < AHEAD; k++)
                    *(Word::Bits *)(to + (k * apart - ahead[k])) = word[k].bits;
                from += APART * AHEAD;
                to += APART * AHEAD * ld_out;
                out_phase += APART * AHEAD * out_step;
            }
        else
#pragma unroll 1
            for (int c = own; c < cols_here; c += APART) {
                const int      ahead = HALO == 0 ? 0 : (int)(out_phase % UNITS), r = row - ahead;
                const unsigned s     = slot - ahead, place = min(s, s - RING) * PITCH;
                if (r >= above && r + PER <= below) {
                    Word word;
#pragma unroll
                    for (int e = 0; e < PER; e++)
                        word.element[e] = from[place + e * PITCH];
                    *(Word::Bits *)(to - ahead) = word.bits;
                } else /* the ends of an output row */
#pragma unroll 1
                    for (int e = max(0, above - r); e < PER && r + e < below; e++)
                        to[e - ahead] = from[place + e * PITCH];
                from += APART;
                to += apart;
                out_phase += APART * out_step;
            }
    };

    const unsigned strip = first / down;
    Tile now = { first, first % down, BATCHED ? strip % across : strip, BATCHED ? strip / across : 0, HALO }, next = now;

#pragma unroll 1
    for (int stage = 0; stage < STAGES - 1; stage++) {
        if (next.number < end) {
            load(next, stage == 0 && next.step > 0 ? -HALO : 0);
            advance(next, down, across);
        }
        end_of_set();
    }
#pragma unroll 1
    while (now.number < end) {
        wait_for_sets<STAGES - 2>();
        __syncthreads();
        if (next.number < end) {
            load(next, 0);
            advance(next, down, across);
        }
        end_of_set();
        write(now);
        advance(now, down, across);
    }
}
