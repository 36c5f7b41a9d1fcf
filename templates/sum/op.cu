/*!autotune
op        sum                          # out[0] = sum of in[i]
shape     n
type      T = f32 i32

require   n > 0                        # a shape needs at least one element

arg       out   T[1]      output
arg       in    T[n]      input range -100 100 # integers, in f32 too: see below
arg       words u64[8193] inout constant 0 # sums of blocks, behind how many of them are there where they are counted; 0 again at the end
arg       n     i64

reference sum_reference
block     1024
grid      1

check     exact
traffic   n * sizeof(T)
ops       n
ceiling   copy 1 1 (n + 1) / 2         # a copy of half of it moves as many bytes
*/

/*
 * Blocks sum their shares, and one of them sums what they left. So there is one launch whatever the size, where a second
 * one would cost two microseconds, as much as 10^6 elements. That block is the one that comes last, by a counter (JOIN is
 * counted). Or it is one that waits for words, which hold a sum and that it is there (awaited): a way to memory less. Counter
 * and words are 0 before each launch and, as the check sees, after it (inout): whoever uses the kernel has to zero them once.
 *
 *   blocks.cu   THREADS x BLOCKS x UNROLL is how many accesses are on their way at once. Memory wants some 30 KB of them on
 *               each multiprocessor; more blocks than that make the last one's work longer, which small problems feel. ORDER
 *               is how blocks share the input, HINT tells caches that nobody reads it again
 *
 * The check: floating-point sums depend on the order, and a tolerance for 10^9 numbers is wider than any of them. But
 * integers of this size sum to less than 2^24 on every way (six deviations of 58 * sqrt(10^9) are 1.1e7), so f32
 * holds each partial sum, any order gives the same bits, and one element that is left out or counted twice is seen
 * in 200 of 201 cases. What the check does not see is how a kernel rounds: that is the same for all orders of a tree.
 */
#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#endif

/* One block, eight numbers of each thread on their way: a second or less for 10^9 of them. */
extern "C" __global__ void sum_reference(T *out, const T *in, unsigned long long *words, long long n)
{
    __shared__ double part[1024];
    double sum = 0;
    long long i = threadIdx.x;

    for (; i + 7 * 1024 < n; i += 8 * 1024)
        for (int k = 0; k < 8; k++)
            sum += (double)in[i + k * 1024];
    for (; i < n; i += 1024)
        sum += (double)in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 1024; k++)
            sum += part[k];
        out[0] = (T)sum;
    }
}
