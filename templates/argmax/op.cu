/*!autotune
op        argmax                       # out[0] = the first index of the largest in[i]
shape     n
type      T = f32

require   n > 0                        # a shape needs at least one element
require   n <= 4000000000              # indices have 32 bits until the last step

arg       out   i64[1]    output
arg       in    T[n]      input range 0 n / 4 # the largest is there several times, so that taking any but the first is seen
arg       best  u64[2]    inout constant 0 # the best so far, and how many blocks have told theirs; 0 again at the end
arg       n     i64

reference argmax_reference
block     1024
grid      1

check     exact
traffic   n * sizeof(T)
ops       n
ceiling   copy 1 1 (n + 1) / 2         # a copy of half of it moves as many bytes
*/

/*
 * A value and its index fit into one word of 64 bits whose order is what is wanted: the value's bits, turned so that they
 * sort as unsigned numbers, above the complement of the index, so that of equal values the first is the largest. One
 * atomic maximum then joins blocks in any order, and the last block takes the index out. The word and the counter are 0
 * before each launch and, as the check sees, after it (inout): whoever uses the kernel has to zero them once.
 * Inputs are not NaN.
 *
 *   blocks.cu   THREADS, BLOCKS and UNROLL say how many accesses are on their way at once: as in sum
 */
#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#endif

/* One block, eight numbers of each thread on their way: a second or less for 10^9 of them. */
extern "C" __global__ void argmax_reference(long long *out, const T *in, unsigned long long *best, long long n)
{
    __shared__ T value[1024];
    __shared__ long long index[1024];
    long long first = threadIdx.x < n ? threadIdx.x : 0, i = threadIdx.x;
    T largest = in[first];

    for (; i + 7 * 1024 < n; i += 8 * 1024)
        for (int k = 0; k < 8; k++)
            if (in[i + k * 1024] > largest) {
                first   = i + k * 1024;
                largest = in[first];
            }
    for (; i < n; i += 1024)
        if (in[i] > largest) {
            first   = i;
            largest = in[i];
        }
    value[threadIdx.x] = largest;
    index[threadIdx.x] = first;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int k = 1; k < 1024; k++)
        if (value[k] > largest || (value[k] == largest && index[k] < first)) {
            largest = value[k];
            first   = index[k];
        }
    out[0] = first;
}
