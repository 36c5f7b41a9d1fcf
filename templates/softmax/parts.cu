/*!autotune
template  parts                        # few long rows: two launches that begin together, one for the sums of a row's parts, one that writes
use       softmax_row

param     PARTS   = 2 4 8 16 32 64     # blocks that share a row
param     THREADS = 128 256 512 1024   # of each
param     BESIDE  = 0 1                # the second launch begins beside the first

const     PER     = 16 / sizeof(T)
let       vectors = cols / PER
const     SLICE   = ceil_div(vectors, PARTS) # vectors of a block; the last one may have fewer
const     EACH    = ceil_div(SLICE, THREADS) # of a thread
let       fewest  = vectors - (PARTS - 1) * SLICE

require   device.cc >= 90              # older devices begin one launch after the other
require   cols % PER == 0              # rows are whole vectors
require   fewest > (EACH - 1) * THREADS && fewest > 0 # only a thread's last vector may be missing
require   2 * SLICE > THREADS          # at least half of the threads have something
require   EACH * PER <= 32 && (EACH * PER + 32) * THREADS <= device.max_registers_per_block / 2 # blocks of both launches are resident
require   2 * fewest >= PARTS          # the sums of all parts fit into the output's part of each
require   rows * PARTS <= 2 * device.sms # more rows keep the device busy by themselves

launch    softmax_parts grid rows * PARTS block THREADS arg out in cols
launch    softmax_whole grid rows * PARTS block THREADS programmatic BESIDE arg out in cols
default   PARTS=16 THREADS=512 BESIDE=1
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int PARTS = 16, THREADS = 512, PER = 4, SLICE = 2004, EACH = 4;
#include "../common/softmax_row.cuh"
#endif

struct Slice : Row<THREADS, EACH, PER, true, true> { /* a block's part of a row */
    long long first;
    int       lane, vectors;
    float     scaled;

    __device__ __forceinline__ explicit Slice(long long cols) : lane((int)threadIdx.x)
    {
        const int begin = (int)(blockIdx.x % PARTS) * SLICE;
        first = blockIdx.x / PARTS * cols + begin * PER;
        vectors = min(SLICE, (int)(cols / PER) - begin);
    }

    /* Becomes exponentials below the warp's largest; returns their sum. */
    __device__ __forceinline__ float raised(const T *in)
    {
        read<false, false>(in + first, lane, vectors);
        scaled = scaled_of(largest_of<32>(largest(lane, vectors)));
        return total(scaled, lane, vectors);
    }
};

/* Every block finds the sums of all parts of its row where it will write itself. */
extern "C" __global__ void __launch_bounds__(THREADS)
softmax_parts(T *__restrict__ out, const T *__restrict__ in, long long cols)
{
    __shared__ Sum parts[THREADS / 32];
    Slice mine(cols);

#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
    const float sum = total_of<32>(mine.raised(in));
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = { mine.scaled, sum };
    __syncthreads();
    const Sum all = joined<THREADS / 32>(parts);
    float2 *const to = (float2 *)(out + blockIdx.x / PARTS * cols + threadIdx.x * (SLICE * PER));
    if (threadIdx.x < PARTS)
        to[blockIdx.x % PARTS] = make_float2(all.scaled, all.sum);
}

/* Reads the same elements at the same time; the sums are there after the wait. */
extern "C" __global__ void __launch_bounds__(THREADS)
softmax_whole(T *__restrict__ out, const T *__restrict__ in, long long cols)
{
    Slice mine(cols);
    mine.raised(in);
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    const Sum all = joined<PARTS>((const Sum *)(out + mine.first));
    __syncthreads(); /* all threads have them, and may write over them */
    mine.write<false>(out + mine.first, mine.scaled, all, mine.lane, mine.vectors);
}
