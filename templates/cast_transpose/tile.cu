/*!autotune
template  tile                         # blocks of rows are converted and turned in registers; 16-byte accesses to memory
use       access convert index policy tiles

param     CELL      = 4 8 16           # bytes of a write to the tile: a thread turns as many rows as it has elements
param     VEC       = 4 8 16           # elements of a row that a thread converts
param     TILE_ROWS = 64 128 256       # input rows of the tile, in elements
param     TILE_COLS = 32 64 128 256    # input columns
param     THREADS   = 128 256 512      # threads a block
param     WARP_COLS = 4 8 16           # lanes of a warp side by side along an input row; the others stand below
param     UNROLL    = 1 2 4            # blocks that a thread reads before it turns the first
param     ORDER     = in_fast out_fast # neighbouring blocks follow the input's rows, or the output's

const     TO        = to
const     BOTH      = both == both_yes
const     AMAX      = amax == amax_yes
const     SUB_ROWS  = CELL / width
let       tile_bytes = TILE_ROWS * TILE_COLS * width
let       blocks    = TILE_ROWS / SUB_ROWS * TILE_COLS / VEC # register blocks in a tile
let       read      = VEC * sizeof(T)
let       down      = ceil_div(rows, TILE_ROWS)
let       across    = ceil_div(cols, TILE_COLS)
let       tiles     = down * across * batch
const     FLAT      = max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED   = batch > 1
const     EDGE      = rows % TILE_ROWS != 0 || cols % TILE_COLS != 0
const     WIDE      = max(TILE_ROWS * cols, TILE_COLS * rows) > 2147483647 # 64-bit offsets inside a tile
const     KEEP      = device.cc >= 80 && moved >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
general   BATCHED=1 EDGE=1 WIDE=1 KEEP=any
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   cols % VEC == 0 && cols * sizeof(T) % min(16, read) == 0 # every input row begins aligned
require   rows * width % 16 == 0       # every output row too
require   VEC * width >= 4             # words are turned
require   read >= 16                   # shorter reads waste instructions
require   TILE_COLS % (WARP_COLS * VEC) == 0 # a warp stands inside the tile
require   TILE_ROWS % (32 / WARP_COLS * SUB_ROWS) == 0
require   TILE_ROWS * width >= 128     # shorter runs waste cache lines, and the swizzle needs eight 16-byte pieces
require   TILE_COLS * sizeof(T) >= 64
require   TILE_ROWS <= 4 * TILE_COLS && TILE_COLS <= 2 * TILE_ROWS # long tiles lose on one side what they win on the other
require   WARP_COLS * read >= 64       # a warp reads whole sectors of few rows
require   tile_bytes >= 8192 || tiles <= 8 * device.sms # many small tiles keep too few bytes in flight
require   tile_bytes <= min(65536, device.max_shared_bytes - THREADS / 8) # and of_warps
require   blocks % (THREADS * UNROLL) == 0 # every thread turns the same number of blocks
require   UNROLL * SUB_ROWS * read <= 256 # 64 registers hold what is read
require   THREADS <= device.max_threads_per_block
require   tiles <= device.max_grid_x

arg       turned straight largest in scale batch rows cols
grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     THREADS
shared    tile_bytes
default   CELL=4 VEC=8 TILE_ROWS=128 TILE_COLS=64 THREADS=256 WARP_COLS=8 UNROLL=1 ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int CELL = 4, VEC = 8, TILE_ROWS = 128, TILE_COLS = 64, THREADS = 256, WARP_COLS = 8, UNROLL = 1, TO = 1, BOTH = 1, AMAX = 1;
constexpr int SUB_ROWS = 4, FLAT = 0, BATCHED = 1, EDGE = 1, WIDE = 0, KEEP = 1;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast;
#include "../common/access.cuh"
#include "../common/convert.cuh"
#include "../common/index.cuh"
#include "../common/policy.cuh"
#include "../common/tiles.cuh"
#endif

/*
 * A thread reads VEC elements of SUB_ROWS rows, converts them, and turns that block in registers. The tile is kept turned,
 * in cells of CELL bytes: 16 bytes of an output row stand together in it. Rows that are converted but not turned are
 * written from the same registers. With two elements in a cell:
 *
 *     a thread's block    its cells    the tile: RUN pieces a column       written
 *     a b c d             a e          column 0: |a e . .|. . . .| ...     by neighbouring lanes, |a e i m| to output
 *     e f g h             b f          column 1: |b f . .|. . . .| ...     row 0; i m is a cell of the block below
 *                         c g, d h     ...
 */

using Index = IndexOf<WIDE != 0>::type;

constexpr int BYTES  = converted_bytes(TO);         /* of a converted element */
constexpr int UNIT   = 16 / BYTES;                  /* elements in a 16-byte piece of an output row */
constexpr int RUN    = TILE_ROWS / UNIT;            /* such pieces in a column of the tile */
constexpr int READ   = 16 / ES;                     /* elements of a read */
constexpr int READS  = VEC / READ;                  /* of a row */
constexpr int WORDS  = VEC * BYTES / 4;             /* of a converted row */
constexpr int WRITE  = VEC * BYTES < 16 ? VEC * BYTES : 16; /* bytes of a write of such a row */
constexpr int PACK   = 4 / BYTES;                   /* elements in a word */
constexpr int STORES = TILE_COLS * RUN / THREADS;
constexpr int PASSES = TILE_ROWS / SUB_ROWS * (TILE_COLS / VEC) / THREADS;
constexpr int WARPS_ACROSS = TILE_COLS / (WARP_COLS * VEC), WARP_ROWS = 32 / WARP_COLS;

union Row { /* VEC elements */
    typename Vector<READ>::Bits bits[READS];
    T element[VEC];
};

union Converted { /* the same in the other type */
    typename Access<WRITE>::type bits[VEC * BYTES / WRITE];
    unsigned word[WORDS];
};

union Cell { /* SUB_ROWS converted elements of a column */
    typename Access<CELL>::type bits;
    unsigned word[CELL / 4];
};

/* The tile is kept turned: RUN pieces for each column, swapped so that neighbouring blocks meet different banks. */
__device__ __forceinline__ int place(int c, int piece)
{
    return c * RUN + (piece ^ (c / VEC % 8));
}

/* Row and column of the block that a lane turns in one pass, in blocks. */
__device__ __forceinline__ void stand(int &r, int &c, int pass)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 + pass * (THREADS / 32);
    r = warp / WARPS_ACROSS * WARP_ROWS + lane / WARP_COLS;
    c = warp % WARPS_ACROSS * WARP_COLS + lane % WARP_COLS;
}

/* Words that stand in the same place of PACK rows are turned together. */
__device__ __forceinline__ void turn(Cell (&column)[VEC], const Converted (&row)[SUB_ROWS])
{
#pragma unroll
    for (int r = 0; r < SUB_ROWS; r += PACK)
#pragma unroll
        for (int c = 0; c < VEC; c += PACK) {
            unsigned w[PACK];
#pragma unroll
            for (int i = 0; i < PACK; i++)
                w[i] = row[r + i].word[c / PACK];
            turn_converted(w);
#pragma unroll
            for (int i = 0; i < PACK; i++)
                column[c + i].word[r / PACK] = w[i];
        }
}

extern "C" __global__ void __launch_bounds__(THREADS)
cast_transpose_tile(unsigned char *__restrict__ turned, unsigned char *__restrict__ straight, float *__restrict__ largest,
    const T *__restrict__ in, const float *__restrict__ scale, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols))
{
    extern __shared__ uint4 shared_memory[];
    [[maybe_unused]] __shared__ float of_warps[THREADS / 32];

    const Tile at = tile_of<TILE_ROWS, TILE_COLS, FLAT, BATCHED, ORDER == ORDER_out_fast>(rows, cols);
    const float by = *scale;
    float most = 0;

    /* Accesses are indexed in whole vectors: compilers split others when the index is intricate. */
    const long long begin = (at.matrix * rows + at.r0) * cols + at.c0;
    const auto *const from = (const typename Vector<READ>::Bits *)(in + begin);
    [[maybe_unused]] auto *const along = (typename Access<WRITE>::type *)(straight + begin * BYTES);
    uint4 *const out = (uint4 *)(turned + ((at.matrix * cols + at.c0) * rows + at.r0) * BYTES);
    const Index in_pitch = (Index)(cols / READ), out_pitch = (Index)(rows / UNIT);
    [[maybe_unused]] const Index along_pitch = (Index)(cols * BYTES / WRITE);

#pragma unroll 1
    for (int pass = 0; pass < PASSES; pass += UNROLL) {
        Row block[UNROLL][SUB_ROWS];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            int r, c;
            stand(r, c, pass + u);
            if (!EDGE || (r * SUB_ROWS < at.rows && c * VEC < at.cols))
#pragma unroll
                for (int i = 0; i < SUB_ROWS; i++)
#pragma unroll
                    for (int k = 0; k < READS; k++)
                        block[u][i].bits[k] = load<KEEP>(from + ((r * SUB_ROWS + i) * in_pitch + c * READS + k));
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            int r, c;
            Converted row[SUB_ROWS];
            Cell column[VEC];
            stand(r, c, pass + u);
            if (EDGE && !(r * SUB_ROWS < at.rows && c * VEC < at.cols))
                continue;
#pragma unroll
            for (int i = 0; i < SUB_ROWS; i++) {
                convert<TO, AMAX>(row[i].word, block[u][i].element, by, most);
                if (BOTH)
#pragma unroll
                    for (int k = 0; k < VEC * BYTES / WRITE; k++)
                        along[(r * SUB_ROWS + i) * along_pitch + c * (VEC * BYTES / WRITE) + k] = row[i].bits[k];
            }
            turn(column, row);
#pragma unroll
            for (int i = 0; i < VEC; i++)
                ((typename Access<CELL>::type *)shared_memory)[place(c * VEC + i, r * CELL / 16) * (16 / CELL) + r % (16 / CELL)] = column[i].bits;
        }
    }

    if (AMAX)
        keep_largest(of_warps, most);
    __syncthreads();
    if (AMAX)
        add_largest(largest, of_warps);

#pragma unroll
    for (int i = 0; i < STORES; i++) {
        const int piece = (threadIdx.x + i * THREADS) % RUN, c = (threadIdx.x + i * THREADS) / RUN;
        if (!EDGE || (c < at.cols && piece * UNIT < at.rows))
            out[c * out_pitch + piece] = shared_memory[place(c, piece)];
    }
}
