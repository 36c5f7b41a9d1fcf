/*!autotune
template  gather                       # packs: vectors in the output's order, each from its place in the input; extents and strides are arguments
use       access policy
replaces  rows naive                   # in packs: with extents and strides as constants those are faster

param     VEC     = 16 8 4 2 1         # bytes that a thread moves at once, at least an element
param     THREADS = 256 128            # threads a block
param     RANK    = 8 4 3              # dimensions, at most
param     EACH    = 4 1                # vectors of a thread, or words of vectors

const     KEEP    = device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
const     GROUP   = align_out >= 4 ? max(1, 4 / VEC) : 1 # vectors that a thread writes at once
general   KEEP=any GROUP=1
fixed     0                            # extents and strides are arguments
each      d = 1..7
let       elems   = max(1, VEC / sizeof(T))
let       cells[j] = j == 7 ? n[j] / elems : n[j] # vectors along each dimension
let       widest  = i7 == 1 ? gcd(n7 * sizeof(T), min(16, min(align_in, align_out))) : sizeof(T)
let       vectors = count / elems
let       shift[d]  = log2(2 * cells[d] - 1)
# How far apart in the input, in vectors, and what divides by the dimension: ((k * 2^-32 * inverse) + k) >> shift.
let       step[j] = n[j] == 1 ? 0 : j == 7 && elems > 1 ? 1 : i[j] / elems
let       side[d] = cells[d] | shift[d] << 32
let       inverse[d] = cells[d] == 1 ? 0 : 4294967296 * ((1 << shift[d]) - cells[d]) / cells[d] + 1
let       by[d]   = inverse[d] | step[d] << 32

scalar    side1 i64
scalar    side2 i64
scalar    side3 i64
scalar    side4 i64
scalar    side5 i64
scalar    side6 i64
scalar    side7 i64
scalar    by1 i64
scalar    by2 i64
scalar    by3 i64
scalar    by4 i64
scalar    by5 i64
scalar    by6 i64
scalar    by7 i64
scalar    step0 i64
scalar    vectors i64
arg       out in side1 side2 side3 side4 side5 side6 side7 by1 by2 by3 by4 by5 by6 by7 step0 vectors

require   all(k: k >= 8 - RANK || n[k] == 1) # others are of a kernel for more
require   count <= 2147483647          # 32-bit places
require   all(k: n[k] == 1 || (i[k] == f[k] && o[k] == product(j > k: n[j]))) # no gaps
require   VEC == max(VEC, sizeof(T))   # at least an element
require   elems == 1 || (i7 == 1 && n7 % elems == 0) # rows of neighbouring elements on both sides
require   VEC <= min(align_in, align_out)
require   THREADS <= device.max_threads_per_block
prefer    VEC == widest             # narrower ones are slower
prefer    VEC == 16 || (VEC == 8 && i7 == 1) || count * sizeof(T) < (sizeof(T) < 4 ? 786432 : 2097152) # others go through shared memory
prefer    RANK == 8 && n3 > 1 || RANK == 4 && n4 > 1 || RANK == 3 # as many as there are
prefer    EACH == 1 || vectors >= 4 * THREADS * EACH * GROUP * device.sms # else each multiprocessor has few threads

grid      ceil_div(vectors, THREADS * EACH * GROUP)
block     THREADS
default   VEC=16 THREADS=256 RANK=8 EACH=4
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int VEC = 16, THREADS = 256, RANK = 8, EACH = 4, KEEP = 0, GROUP = 1;
#include "../common/access.cuh"
#include "../common/policy.cuh"
#endif

/*
 * The output is dense and in the order of its dimensions, so neighbouring threads write neighbouring vectors. Where a vector
 * is in the input follows from its coordinates: a division for each dimension that has more than one. The divisor is an
 * argument, with what a division by it becomes.
 */

constexpr int ELEMS = VEC / ES;

using Number = unsigned long long; /* two of 32 bits */
using Part   = Vector<ELEMS>::Bits;
using Whole  = Access<GROUP * VEC>::type;

/* What a thread writes at once. */
union Parts {
    Whole whole;
    Part  one[GROUP];
};

/* The place in the input of the k-th vector. */
__device__ __forceinline__ unsigned place(unsigned k, const Number (&side)[7], const Number (&by)[7], unsigned slowest)
{
    unsigned from = 0;
#pragma unroll
    for (int d = 6; d > 7 - RANK; d--) {
        const unsigned whole = (__umulhi(k, (unsigned)by[d]) + k) >> (unsigned)(side[d] >> 32);
        from += (k - whole * (unsigned)side[d]) * (unsigned)(by[d] >> 32);
        k = whole;
    }
    return from + k * slowest;
}

extern "C" __global__ void __launch_bounds__(THREADS)
permute_gather(T *__restrict__ out, const T *__restrict__ in, Number side1, Number side2, Number side3, Number side4, Number side5,
    Number side6, Number side7, Number by1, Number by2, Number by3, Number by4, Number by5, Number by6, Number by7, Number step0,
    Number vectors)
{
    const Number side[7] = { side1, side2, side3, side4, side5, side6, side7 }, by[7] = { by1, by2, by3, by4, by5, by6, by7 };
    const unsigned first = (blockIdx.x * (THREADS * EACH) + threadIdx.x) * GROUP, count = (unsigned)vectors;
    const unsigned slowest = (unsigned)(RANK == 8 ? step0 : by[7 - RANK] >> 32);
    Parts parts[EACH];

#pragma unroll
    for (int j = 0; j < EACH; j++)
#pragma unroll
        for (int g = 0; g < GROUP; g++)
            if (first + j * THREADS * GROUP + g < count)
                parts[j].one[g] = load<KEEP>((const Part *)in + place(first + j * THREADS * GROUP + g, side, by, slowest));
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const unsigned at = first + j * THREADS * GROUP;
        if (at + GROUP <= count)
            ((Whole *)out)[at / GROUP] = parts[j].whole;
        else
            for (int g = 0; g < GROUP && at + g < count; g++) /* the last ones */
                ((Part *)out)[at + g] = parts[j].one[g];
    }
}
