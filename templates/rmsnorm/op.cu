/*!autotune
op        rmsnorm                      # out[r][c] = gamma[c] * in[r][c] / sqrt(eps + mean over k of in[r][k]^2), row by row
shape     rows=1 cols
type      T = f32 f16 bf16

let       count = rows * cols
require   count > 0                    # a shape needs at least one element
require   cols <= 1048576              # the reference has one block a row

arg       out   T[count]  output
arg       in    T[count]  input normal 0 1
arg       gamma T[cols]   input uniform 0.5 1.5 # were they all 1, a kernel that forgets them would be right
arg       eps   f32 = 1e-5
arg       rows  i64
arg       cols  i64

reference rmsnorm_reference
block     256
grid      min(rows, 65536)

check     within 5e-4 norm
traffic   2 * count * sizeof(T) + cols * sizeof(T)
ops       4 * count                    # square, sum, and two products
ceiling   copy 1 rows cols
*/

/*
 * As in softmax, a row stays in registers between its two uses, and GROUP, ROWS and THREADS say how many threads share it:
 * few for short rows, as many as there are for long ones. Every row needs gamma. It comes from the caches, but a group that
 * has several rows in turn (TURNS) reads it once, and can ask for the next row before the barrier of this one (AHEAD). Both
 * take registers.
 *
 *   rows.cu     a group of 4 to 1024 threads has a row, a block several groups
 *   few.cu      a block has a row, with fewer instructions around its elements: for few rows of 2 bytes
 *   late.cu     as `rows`, with gamma read as the row is written: rows twice as long fit
 *   ring.cu     four or eight blocks have a row together, and stay: rows come into shared memory ahead
 *   stream.cu   rows of any length and alignment, read twice; the second time they come out of a cache
 *
 * Clusters of blocks that have one row each, as in softmax, took longer than one of these at every size.
 *
 * The check: by norm, as in softmax; the reference adds in double precision.
 */
#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#endif

extern "C" __global__ void rmsnorm_reference(T *out, const T *in, const T *gamma, float eps, long long rows, long long cols)
{
    __shared__ double part[256];

    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
        const T *from = in + row * cols;
        double sum = 0;

        for (long long c = threadIdx.x; c < cols; c += 256)
            sum += (double)(float)from[c] * (double)(float)from[c];
        part[threadIdx.x] = sum;
        __syncthreads();
        sum = 0;
        for (int i = 0; i < 256; i++)
            sum += part[i];
        __syncthreads();
        const double factor = 1 / sqrt(sum / (double)cols + (double)eps);
        for (long long c = threadIdx.x; c < cols; c += 256)
            out[row * cols + c] = (T)(float)((double)(float)from[c] * factor * (double)(float)gamma[c]);
    }
}
