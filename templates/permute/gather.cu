/*!autotune
template  gather                       # packs: vectors in the output's order, each from its place in the input; extents and strides are arguments
use       access
replaces  rows naive                   # in packs: with extents and strides as constants those are faster

param     VEC     = 16 8 4 2 1         # bytes that a thread moves at once, at least an element
param     RANK    = 8 4                # dimensions, at most

const     GROUP   = align_out >= 4 ? max(1, 4 / VEC) : 1 # vectors that a thread writes at once
general   GROUP=1
fixed     0                            # extents and strides are arguments
each      d = 1..7
let       elems   = max(1, VEC / sizeof(T))
let       cells[j] = j == 7 ? n[j] / elems : n[j] # vectors along each dimension
let       widest  = i7 == 1 ? gcd(n7 * sizeof(T), min(16, min(align_in, align_out))) : sizeof(T)
let       vectors = count / elems
# How far apart in the input, in vectors. The place of the k-th vector is k * step7 and, for each dimension, k / size * weight:
# these divisions do not wait for each other, and each is ((k * 2^-32 * inverse) + k) >> shift.
let       step[j] = n[j] == 1 ? 0 : j == 7 && elems > 1 ? 1 : i[j] / elems
let       size[d] = product(k >= d: cells[k])
let       weight[d] = ((step[d - 1] - cells[d] * step[d]) % 4294967296 + 4294967296) % 4294967296
let       shift[d] = log2(2 * size[d] - 1)
let       inverse[d] = size[d] == 1 ? 0 : 4294967296 * ((1 << shift[d]) - size[d]) / size[d] + 1
let       shifts = sum(d > 1: shift[d] << 5 * (7 - d))

scalar    inverse7 u32
scalar    inverse6 u32
scalar    inverse5 u32
scalar    inverse4 u32
scalar    inverse3 u32
scalar    inverse2 u32
scalar    inverse1 u32
scalar    weight7 u32
scalar    weight6 u32
scalar    weight5 u32
scalar    weight4 u32
scalar    weight3 u32
scalar    weight2 u32
scalar    weight1 u32
scalar    step7 u32
scalar    shifts u32
scalar    shift1 u32
scalar    vectors u32
arg       out in vectors step7 shifts inverse7 weight7 inverse6 weight6 inverse5 weight5 inverse4 weight4 inverse3 weight3 inverse2 weight2 \
          inverse1 weight1 shift1

require   all(k: k >= 8 - RANK || n[k] == 1) # others are of a kernel for more
require   count <= 2147483647          # 32-bit places
require   all(k: n[k] == 1 || (i[k] == f[k] && o[k] == product(j > k: n[j]))) # no gaps
require   VEC == max(VEC, sizeof(T))   # at least an element
require   elems == 1 || (i7 == 1 && n7 % elems == 0) # rows of neighbouring elements on both sides
require   VEC <= min(align_in, align_out)
require   256 <= device.max_threads_per_block
prefer    VEC == widest             # narrower ones are slower
prefer    VEC == 16 || (VEC >= 4 && i7 == 1) || count * sizeof(T) < (sizeof(T) < 4 ? 786432 : 2097152) # others go through shared memory
prefer    RANK == 8 && n3 > 1 || RANK == 4 && n3 == 1 # as many as there are

grid      ceil_div(vectors, 256 * GROUP)
block     256
default   VEC=16 RANK=8
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int VEC = 16, RANK = 8, GROUP = 1;
#include "../common/access.cuh"
#endif

/*
 * The output is dense and in the order of its dimensions, so neighbouring threads write neighbouring vectors. Where a vector
 * is in the input follows from its number, by a division for each dimension. The divisors are arguments, as what a division
 * by them becomes.
 */

constexpr int ELEMS = VEC / ES, THREADS = 256;

using Part   = Vector<ELEMS>::Bits;
using Whole  = Access<GROUP * VEC>::type;

/* What a thread writes at once. */
union Parts {
    Whole whole;
    Part  one[GROUP];
};

extern "C" __global__ void __launch_bounds__(THREADS)
permute_gather(T *__restrict__ out, const T *__restrict__ in, unsigned vectors, unsigned step7, unsigned shifts, unsigned inverse7, unsigned weight7,
    unsigned inverse6, unsigned weight6, unsigned inverse5, unsigned weight5, unsigned inverse4, unsigned weight4, unsigned inverse3, unsigned weight3,
    unsigned inverse2, unsigned weight2, unsigned inverse1, unsigned weight1, unsigned shift1)
{
    const unsigned inverse[7] = { inverse7, inverse6, inverse5, inverse4, inverse3, inverse2, inverse1 };
    const unsigned weight[7] = { weight7, weight6, weight5, weight4, weight3, weight2, weight1 };
    const unsigned first = (blockIdx.x * THREADS + threadIdx.x) * GROUP;
    Parts parts;

#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        const unsigned k = first + g;
        unsigned from = k * step7;
#pragma unroll
        for (int d = 0; d < RANK - 1; d++)
            from += ((__umulhi(k, inverse[d]) + k) >> (d == 6 ? shift1 : shifts >> 5 * d & 31)) * weight[d];
        if (k < vectors)
            parts.one[g] = ((const Part *)in)[from];
    }
    if (first + GROUP <= vectors)
        ((Whole *)out)[first / GROUP] = parts.whole;
    else
        for (int g = 0; g < GROUP && first + g < vectors; g++) /* the last ones */
            ((Part *)out)[first + g] = parts.one[g];
}
