/*!autotune
op        softmax                      # out[r][c] = exp(in[r][c]) / sum over k of exp(in[r][k]), row by row
shape     rows=1 cols
type      T = f32 f16 bf16

let       count = rows * cols
require   count > 0                    # a shape needs at least one element
require   cols <= 1048576              # the reference has one block a row

arg       out   T[count]  output
arg       in    T[count]  input normal 0 1 # rows like those of attention: the sum has many terms that count
arg       rows  i64
arg       cols  i64

reference softmax_reference
block     256
grid      min(rows, 65536)

check     within 5e-4 norm
traffic   2 * count * sizeof(T)        # every element is read once and written once
ops       5 * count                    # maximum, difference, exponential, sum, product
ceiling   copy 1 rows cols
*/

/*
 * The goal is the speed of a copy, so memory must be read once: a row stays in registers from its maximum to its
 * quotient. How it gets there is what the templates differ in:
 *
 *   rows.cu     a group of 4 to 1024 threads has a row, a block several groups
 *   cluster.cu  two to eight blocks have a row together, for rows that the registers of one block do not hold
 *   ring.cu     as `cluster`, but blocks stay: rows come into shared memory ahead, sums by barriers that hold up no store
 *   edges.cu    as `cluster`, but rows begin anywhere: their ends are moved element by element, all else in whole vectors
 *   parts.cu    few long rows, of up to 64 blocks each: two launches, which begin together
 *   stream.cu   rows of any length and alignment, read twice; the second time they come out of a cache
 *
 * GROUP, ROWS, THREADS and CLUSTER say how many threads share a row. With few, each has much of it: many accesses on their
 * way at once, few steps of shuffles, but registers, and so fewer threads. Short rows want few, long ones as many as there
 * are. FLOATS weighs registers against work: in f16 and bf16 a row of floats takes twice as many, and without it every
 * exponential is computed twice. BYTES is 16 unless rows begin elsewhere; `edges` has it there, too. HINT is worth a few per
 * cent where a problem is far larger than the L2.
 *
 * The check: candidates round the same sums otherwise, so they are compared by norm. In f16 and bf16 both answers are
 * rounded to few bits, and nearly always to the same ones: a sum that is off by a ten-thousandth moves enough elements to
 * the next number to be seen, which a limit for each element, of a whole such step, would not. An element that is not
 * written, or NaN, is far off by any norm. The reference adds in double precision.
 */
#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#endif

extern "C" __global__ void softmax_reference(T *out, const T *in, long long rows, long long cols)
{
    __shared__ double part[256];

    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
        const T *from = in + row * cols;
        double top = (double)(float)from[0], sum = 0;

        for (long long c = threadIdx.x; c < cols; c += 256)
            top = (double)(float)from[c] > top ? (double)(float)from[c] : top;
        part[threadIdx.x] = top;
        __syncthreads();
        for (int i = 0; i < 256; i++)
            top = part[i] > top ? part[i] : top;
        __syncthreads();
        for (long long c = threadIdx.x; c < cols; c += 256)
            sum += exp((double)(float)from[c] - top);
        part[threadIdx.x] = sum;
        __syncthreads();
        sum = 0;
        for (int i = 0; i < 256; i++)
            sum += part[i];
        __syncthreads();
        for (long long c = threadIdx.x; c < cols; c += 256)
            out[row * cols + c] = (T)(float)(exp((double)(float)from[c] - top) / sum);
    }
}
