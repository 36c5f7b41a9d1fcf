/*!autotune
op        histogram                    # counts[b] = how many in[i] are b
shape     bins=256 n
type      T = u8 i32

require   n > 0                        # a shape needs at least one element
require   n <= 2147483647              # counts have 32 bits
require   bins >= 2 && bins <= 16384   # they must fit into shared memory
require   sizeof(T) > 1 || bins <= 256 # a byte has no more values

arg       counts i32[bins] output
arg       in     T[n]      input index bins # numbers outside of 0 ... bins - 1 count nowhere
arg       work   i32[bins + 1] inout constant 0 # what blocks tell each other; 0 again at the end
arg       bins   i64
arg       n      i64

reference histogram_reference
block     1024
grid      1
shared    bins * 4

check     exact
traffic   n * sizeof(T)
ops       n
ceiling   copy 1 1 (n + 1) / 2         # a copy of half of it moves as many bytes
*/

/*
 * How to tune a kernel of your own, five: many threads that count in the same places.
 *
 * Counting in global memory would be one atomic addition an element there; in shared memory a block counts by itself and
 * adds its counts at the end. What is slow then are lanes of a warp that meet in one bank or, worse, in one counter: so
 * each counter is there COPIES times, side by side, and a lane takes the copy of its number. With 32 copies every lane has
 * a bank of its own, which bytes need to be read at the speed of memory; but 4096 bins leave room for few copies, and
 * copies have to be zeroed and added. Tuning finds what suits the number of bins, the type and the length.
 *
 *   shared.cu   COPIES as above; THREADS, BLOCKS and UNROLL say how many accesses are on their way at once, ADD with which
 *               instruction is counted: one joins lanes that meet in a counter, which costs where they rarely do
 *
 * One launch is enough. Either the last block to add its counts hands them over, from `work` to `counts`; or a block of
 * its own zeroes `counts` while all others count, and they add to that, which saves a short problem the last one's way
 * to memory and back (JOIN). Zeros are left in `work` for the next launch, as the check sees (inout); whoever uses the kernel
 * has to zero it once. Everything is compared exactly.
 *
 *   autotune --templates tools/examples 'histogram 256x100000000 u8' 'histogram 4096x100000000 i32'
 */
#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = int;
#endif

/* One block, eight numbers of each thread on their way. */
extern "C" __global__ void histogram_reference(int *counts, const T *in, int *work, long long bins, long long n)
{
    extern __shared__ uint4 shared_memory[];
    int *const counters = (int *)shared_memory;
    long long i = threadIdx.x;

    for (long long b = threadIdx.x; b < bins; b += 1024)
        counters[b] = 0;
    __syncthreads();
    for (; i + 7 * 1024 < n; i += 8 * 1024)
        for (int k = 0; k < 8; k++)
            if ((unsigned)in[i + k * 1024] < bins)
                atomicAdd(&counters[(unsigned)in[i + k * 1024]], 1);
    for (; i < n; i += 1024)
        if ((unsigned)in[i] < bins)
            atomicAdd(&counters[(unsigned)in[i]], 1);
    __syncthreads();
    for (long long b = threadIdx.x; b < bins; b += 1024)
        counts[b] = counters[b];
}
