/*!autotune
template  line                         # a single row or column: the transpose of a vector is a copy
use       access

param     WIDTH   = 4 8 16             # bytes of an access
param     THREADS = 32 64 128 256 512 1024 # threads a block
param     PIECES  = 1 2 4              # accesses of a thread

let       whole   = count * sizeof(T) / WIDTH
let       blocks  = max(1, ceil_div(whole, THREADS * PIECES))
const     EDGE    = whole != blocks * THREADS * PIECES # the last block is not full
const     TAIL    = count * sizeof(T) % WIDTH != 0 # nor the last piece
general   EDGE=1 TAIL=1
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   rows == 1 || cols == 1       # a matrix must be turned
require   ld_in == cols && ld_out == rows # rows follow each other without gaps
require   WIDTH >= sizeof(T)           # a piece holds whole elements
require   WIDTH <= min(align_in, align_out) # and is aligned
prefer    PIECES == 1 || whole >= THREADS * PIECES # else some threads have nothing to do
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
default   WIDTH=16 THREADS=128 PIECES=1
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int WIDTH = 16, THREADS = 128, PIECES = 1, EDGE = 1, TAIL = 1;
#include "../common/access.cuh"
#endif

using Piece = Access<WIDTH>::type;

constexpr int PER = WIDTH / sizeof(T); /* elements in a piece */

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_line(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    const long long count = batch * rows * cols, whole = count / PER;
    const long long first = (long long)blockIdx.x * (THREADS * PIECES) + threadIdx.x;
    Piece piece[PIECES];

#pragma unroll
    for (int i = 0; i < PIECES; i++)
        if (!EDGE || first + i * THREADS < whole)
            piece[i] = ((const Piece *)in)[first + i * THREADS];
    if (TAIL && blockIdx.x == 0 && whole * PER + threadIdx.x < count)
        out[whole * PER + threadIdx.x] = in[whole * PER + threadIdx.x];
#pragma unroll
    for (int i = 0; i < PIECES; i++)
        if (!EDGE || first + i * THREADS < whole)
            ((Piece *)out)[first + i * THREADS] = piece[i];
}
