/*!autotune
template  direct                       # packs: a vector or a few for each thread, its place the sum of what grid and block count; no divisions
use       access
replaces  rows naive                   # in packs: with extents and strides as constants those are faster

param     VEC     = 16 8 4 2 1         # bytes that a thread moves at once, at least an element
param     EACH    = 1 4                # vectors of a thread
param     SIDE    = out in             # neighbouring threads follow the output, or the input
general   SIDE=any

fixed     0                            # extents and strides are arguments
each      q = 0..7
let       elems   = max(1, VEC / sizeof(T))
let       cells[j] = j == 7 ? n[j] / elems : n[j] # vectors along each dimension
let       widest  = i7 == 1 ? gcd(n7 * sizeof(T), min(16, min(align_in, align_out))) : sizeof(T)
let       from[j] = j == 7 && elems > 1 ? 1 : i[j] / elems # how far apart neighbours are, in vectors
let       to[j]   = j == 7 ? 1 : o[j] / elems

# The dimensions in the order of that side, the fastest first.
let       at[j]   = n[j] == 1 ? 8 : SIDE == SIDE_in ? sum(k: n[k] > 1 && i[k] < i[j]) : sum(k > j: n[k] > 1)
let       m[q]    = 1 + sum(j: at[j] == q ? cells[j] - 1 : 0)
let       a[q]    = sum(j: at[j] == q ? from[j] : 0)
let       b[q]    = sum(j: at[j] == q ? to[j] : 0)

# Threads of a block along the first three; the last of these that has more than one is cut, and blocks count the others.
let       x       = ceil_div(m0, ceil_div(m0, 128))
let       y       = x < m0 ? 1 : ceil_div(m1, EACH * ceil_div(m1, EACH * max(1, 128 / x)))
let       z       = x < m0 || y < m1 ? 1 : ceil_div(m2, EACH * ceil_div(m2, EACH * min(64, max(1, 128 / (x * y)))))
let       axis    = x < m0 ? 0 : y < m1 ? 1 : 2
let       along   = axis == 0 ? x : axis == 1 ? y : z
let       side    = axis == 0 ? m0 : axis == 1 ? m1 : m2
let       inner   = axis == 0 ? m2 : axis == 1 ? m3 : m4
let       outer   = axis == 0 ? m3 : axis == 1 ? m4 : m5

scalar    a0 u32
scalar    a1 u32
scalar    a2 u32
scalar    b0 u32
scalar    b1 u32
scalar    b2 u32
scalar    part u32 = along * EACH
scalar    last u32 = side - along * EACH
scalar    cut_a u32 = axis == 0 ? a0 : axis == 1 ? a1 : a2
scalar    cut_b u32 = axis == 0 ? b0 : axis == 1 ? b1 : b2
scalar    y_a u32 = axis == 0 ? a1 : axis == 1 ? a2 : a3
scalar    y_b u32 = axis == 0 ? b1 : axis == 1 ? b2 : b3
scalar    z_a u32 = axis == 0 ? a2 : axis == 1 ? a3 : a4
scalar    z_b u32 = axis == 0 ? b2 : axis == 1 ? b3 : b4
scalar    w_a u32 = axis == 0 ? a3 : axis == 1 ? a4 : a5
scalar    w_b u32 = axis == 0 ? b3 : axis == 1 ? b4 : b5
scalar    count_z u32 = inner
scalar    inverse u32 = 2147483647 / inner + 1
scalar    next_a u32 = along * (axis == 0 ? a0 : axis == 1 ? a1 : a2)
scalar    next_b u32 = along * (axis == 0 ? b0 : axis == 1 ? b1 : b2)
arg       out in a0 b0 a1 b1 a2 b2 part last cut_a cut_b y_a y_b z_a z_b w_a w_b count_z inverse next_a next_b

require   all(q: q <= axis + 3 || m[q] == 1) # no more dimensions than grid and block count
require   count <= 2147483647          # 32-bit places
require   all(k: n[k] == 1 || (i[k] == f[k] && o[k] == product(j > k: n[j]))) # no gaps
require   VEC == max(VEC, sizeof(T))   # at least an element
require   elems == 1 || (i7 == 1 && n7 % elems == 0) # rows of neighbouring elements on both sides
require   VEC <= min(align_in, align_out)
require   side >= along * EACH         # all threads have as many vectors
require   x * y * z <= device.max_threads_per_block
require   (axis == 0 ? m1 : axis == 1 ? m2 : m3) <= 65535 && inner * outer <= 65535
require   inner <= 46341               # beyond, the product with `inverse` is not always the quotient
prefer    VEC == widest             # narrower ones are slower
prefer    VEC == 16 || (VEC >= 4 && i7 == 1) || count * sizeof(T) < (sizeof(T) < 4 ? 786432 : 2097152) # others go through shared memory
prefer    (EACH == 1) == (count * sizeof(T) < 3000000)

grid      ceil_div(side, along * EACH) (axis == 0 ? m1 : axis == 1 ? m2 : m3) inner * outer
block     x y z
default   VEC=16 EACH=1 SIDE=out
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int VEC = 16, EACH = 1;
#include "../common/access.cuh"
#endif

/*
 * Small problems take as long as the first load waits for its address: here it is a sum of products, which are independent
 * of each other. Where the dimension that is cut is no multiple of its part, the last block begins earlier, so that all are
 * whole: what two blocks have in common is written twice, the same.
 */

using Bits = Access<VEC>::type;

extern "C" __global__ void __launch_bounds__(128)
permute_direct(T *__restrict__ out, const T *__restrict__ in, unsigned a0, unsigned b0, unsigned a1, unsigned b1, unsigned a2, unsigned b2,
    unsigned part, unsigned last, unsigned cut_a, unsigned cut_b, unsigned y_a, unsigned y_b, unsigned z_a, unsigned z_b, unsigned w_a,
    unsigned w_b, unsigned count_z, unsigned inverse, unsigned next_a, unsigned next_b)
{
    const unsigned begin = min(blockIdx.x * part, last), w = __umulhi(2 * blockIdx.z, inverse), z = blockIdx.z - w * count_z;
    const unsigned from = begin * cut_a + blockIdx.y * y_a + z * z_a + w * w_a + threadIdx.x * a0 + threadIdx.y * a1 + threadIdx.z * a2;
    const unsigned to   = begin * cut_b + blockIdx.y * y_b + z * z_b + w * w_b + threadIdx.x * b0 + threadIdx.y * b1 + threadIdx.z * b2;
    Bits bits[EACH];

#pragma unroll
    for (int j = 0; j < EACH; j++)
        bits[j] = ((const Bits *)in)[from + j * next_a];
#pragma unroll
    for (int j = 0; j < EACH; j++)
        ((Bits *)out)[to + j * next_b] = bits[j];
}
