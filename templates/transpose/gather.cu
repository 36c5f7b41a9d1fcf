/*!autotune
template  gather                       # many small matrices of any size: a block moves several, each lane gathers whole words of the output

param     MATRICES = 1 2 4 8 16 32 64 128 256 512 1024 # that a block moves
param     THREADS  = 64 128 256 512    # threads a block
param     READS    = 2 4 8             # 16-byte pieces that a thread reads before the first use
param     AHEAD    = 2 4               # words that a thread gathers at a time

const     ROWS     = rows
const     COLS     = cols
let       matrix_bytes = rows * cols * sizeof(T)
let       group_bytes  = MATRICES * matrix_bytes
const     LINED    = group_bytes % 128 == 0 # every group begins at a cache line
const     BYTES    = LINED ? group_bytes : (group_bytes + 2 * 127) / 128 * 128 # of all lines with a part of a group
let       blocks   = ceil_div(batch, MATRICES)
const     EDGE     = batch % MATRICES != 0

require   ld_in == cols && ld_out == rows # rows follow each other without gaps
require   batch > 1                    # a single matrix is cut into tiles
require   group_bytes <= 32768 || MATRICES == 1
require   BYTES <= min(device.max_shared_bytes, 73728)
require   group_bytes >= 4096 || MATRICES >= batch # a multiprocessor needs many bytes in flight
require   MATRICES < 2 * batch
require   BYTES >= 16 * THREADS * READS || THREADS == 64 # else some threads have nothing to read
require   BYTES <= 512 * THREADS
require   BYTES >= 4 * THREADS * AHEAD || AHEAD == 2
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
shared    BYTES
default   MATRICES=16 THREADS=128 READS=4 AHEAD=4
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
constexpr int MATRICES = 16, THREADS = 128, READS = 4, AHEAD = 4, ROWS = 17, COLS = 31, LINED = 0, BYTES = 8576, EDGE = 0;
#endif

/*
 * Whole matrices are contiguous memory on both sides, and begin at the same place of a cache line there. The tile is
 * a copy of the input's lines. A lane puts together a word of the output from elements that stand a row apart in the
 * tile; neighbouring lanes write neighbouring words. What a group shares with the next in a word is written element
 * by element.
 */

template <int bytes> struct Access;
template <> struct Access<4> { using type = unsigned; };
template <> struct Access<8> { using type = uint2; };
template <> struct Access<16> { using type = uint4; };

constexpr int ES     = sizeof(T);
constexpr int UNIT   = ES < 4 ? 4 : ES;   /* bytes of a word: what a lane writes at a time */
constexpr int PER    = UNIT / ES;         /* elements in it */
constexpr int PIECE  = 16 / ES;           /* elements in 16 bytes */
constexpr int PIECES = BYTES / 16;
constexpr int WORDS  = BYTES / UNIT;
constexpr int BEFORE = LINED ? 0 : (128 / ES + ROWS * COLS - 1) / (ROWS * COLS) * (ROWS * COLS); /* elements of enough matrices to fill a line */

using Word = Access<UNIT>::type;

/* A place of the output, counted from the group's first matrix: where the input has the element that stands there. */
struct Place {
    int row, column, source;
};

__device__ __forceinline__ Place place(unsigned i)
{
    const unsigned column = i / ROWS; /* of all matrices */
    Place p;
    p.row    = (int)(i % ROWS);
    p.column = (int)(column % COLS);
    p.source = (int)(column / COLS * (ROWS * COLS)) + p.row * COLS + p.column;
    return p;
}

/* The place that is `step` elements further on. */
template <int step> __device__ __forceinline__ void advance(Place &p)
{
    constexpr int rows = step % ROWS, columns = step / ROWS % COLS, matrices = step / ROWS / COLS;
    p.row += rows;
    p.column += columns;
    p.source += matrices * (ROWS * COLS) + rows * COLS + columns;
    if (rows != 0 && p.row >= ROWS) {
        p.row -= ROWS;
        p.column += 1;
        p.source -= ROWS * COLS - 1;
    }
    if (p.column >= COLS) {
        p.column -= COLS;
        p.source += ROWS * COLS - COLS;
    }
}

/* The word of the output that begins at a place. */
__device__ __forceinline__ Word gather(const T *tile, Place p)
{
    union {
        Word bits;
        T    element[PER];
    } word;

    if (ROWS < PER) {
#pragma unroll
        for (int e = 0; e < PER; e++) {
            word.element[e] = tile[p.source];
            advance<1>(p);
        }
        return word.bits;
    }
    /* The column ends at most once; then the next one goes on here: */
    const T *const here = tile + p.source, *const next = here - (p.column == COLS - 1 ? COLS - 1 : ROWS * COLS - 1);
#pragma unroll
    for (int e = 0; e < PER; e++)
        word.element[e] = (e == 0 || ROWS % PER == 0 || p.row < ROWS - e ? here : next)[e * COLS];
    return word.bits;
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_gather(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols,
    long long ld_in, long long ld_out)
{
    extern __shared__ uint4 shared_memory[];

    const long long first = (long long)blockIdx.x * MATRICES, start = first * (ROWS * COLS);
    const int       here  = (int)(!EDGE || batch - first > MATRICES ? MATRICES : batch - first) * (ROWS * COLS); /* elements */
    const int       phase = LINED ? 0 : (int)((unsigned)start % (128 / ES)); /* elements between the line's begin and the group's */

    in += start - phase;
    out += start - phase;

    /* All pieces with a part of the group; the buffer's last elements may not fill one. */
    const int begin = phase / PIECE, end = (phase + here) / PIECE;
    const bool ragged = (LINED == 0 || EDGE) && (phase + here) % PIECE != 0;
    const int pieces = end + (ragged && start + here < batch * (ROWS * COLS) ? 1 : 0);

#pragma unroll 1
    for (int p = threadIdx.x; p < PIECES; p += READS * THREADS) {
        uint4 part[READS];
#pragma unroll
        for (int k = 0; k < READS; k++)
            if (p + k * THREADS >= begin && p + k * THREADS < pieces)
                part[k] = ((const uint4 *)in)[p + k * THREADS];
#pragma unroll
        for (int k = 0; k < READS; k++)
            if (p + k * THREADS < pieces)
                shared_memory[p + k * THREADS] = part[k];
    }
    if (ragged && pieces == end && end * PIECE + (int)threadIdx.x < phase + here)
        ((T *)shared_memory)[end * PIECE + threadIdx.x] = in[end * PIECE + threadIdx.x];

    __syncthreads();

    const T *const tile = (const T *)shared_memory + phase;
    const int words = (phase + here) / PER, from = (phase + PER - 1) / PER; /* whole ones are [from, words) */

    /* Counted from some matrices before the group: its first line begins there. */
    Place p = place((unsigned)((int)threadIdx.x * PER - phase + BEFORE));

#pragma unroll 1
    for (int w = threadIdx.x; w < WORDS; w += AHEAD * THREADS) {
        Word word[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const bool inside = w + k * THREADS >= from && w + k * THREADS < words;
            word[k] = gather(tile - BEFORE, inside ? p : Place{ 0, 0, BEFORE });
            advance<THREADS * PER>(p);
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (w + k * THREADS >= from && w + k * THREADS < words)
                ((Word *)out)[w + k * THREADS] = word[k];
    }

    /* The ends that do not fill a word. */
    if (ROWS * COLS % PER != 0 && threadIdx.x < 2 * PER) {
        const int i = (threadIdx.x < PER ? from * PER : words * PER) - PER + (int)threadIdx.x - phase;
        if (i >= 0 && i < here)
            out[phase + i] = tile[place((unsigned)i).source];
    }
}
