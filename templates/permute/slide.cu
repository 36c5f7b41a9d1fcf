/*!autotune
template  slide                        # packs: rows that stay whole and begin anywhere, as aligned vectors of the output; extents and strides are arguments
use       access
replaces  rows words                   # in packs: with extents and strides as constants those are faster

param     RANK    = 8 4                # dimensions, at most

fixed     0                            # extents and strides are arguments
each      d = 1..7
let       elems   = 16 / sizeof(T)
# How far apart in the input. The place of element k is k and, for each dimension, k / size * weight: see gather.
let       step[j] = n[j] == 1 ? 0 : i[j]
let       size[d] = product(k >= d: n[k])
let       weight[d] = ((step[d - 1] - n[d] * step[d]) % 4294967296 + 4294967296) % 4294967296
let       shift[d] = log2(2 * size[d] - 1)
let       inverse[d] = size[d] == 1 ? 0 : 4294967296 * ((1 << shift[d]) - size[d]) / size[d] + 1
let       shifts = sum(d > 1: shift[d] << 5 * (7 - d))

scalar    count u32
scalar    n7 u32
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
scalar    shifts u32
scalar    shift1 u32
arg       out in count n7 shifts inverse7 weight7 inverse6 weight6 inverse5 weight5 inverse4 weight4 inverse3 weight3 inverse2 weight2 \
          inverse1 weight1 shift1

require   all(k: k >= 8 - RANK || n[k] == 1) # others are of a kernel for more
require   count <= 2147483583          # 32-bit places
require   all(k: n[k] == 1 || (i[k] == f[k] && o[k] == product(j > k: n[j]))) # no gaps
require   i7 == 1 && n7 >= elems       # a vector is of two rows at most
require   sizeof(T) <= 8               # else each element is a vector
require   align_in >= sizeof(T) && align_out >= 16
require   256 <= device.max_threads_per_block
prefer    n7 % elems > 0 || align_in < 16 # others are gather's
prefer    RANK == 8 && n3 > 1 || RANK == 4 && n3 == 1 # as many as there are

grid      ceil_div(count, 256 * elems)
block     256
default   RANK=8
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
#define AUTOTUNE_ARG(name) name
constexpr int RANK = 8;
#include "../common/access.cuh"
#endif

/*
 * The output is dense and in the order of its dimensions; a thread writes 16 bytes of it. In the input these are neighbours as
 * well, or the end of one row and the beginning of another, but begin anywhere: a thread reads the two aligned vectors that
 * cover them and shifts.
 */

constexpr int THREADS = 256, ELEMS = 16 / ES;

/* The input, from a multiple of 16 bytes on: a buffer that does not begin aligned is the rest of one that does. */
struct Input {
    const uint4 *vectors;
    int behind; /* bytes of it that are before the buffer */

    /* 16 bytes of which the first is the `begin`-th of the buffer; those from `from` on that are before `end` are read. */
    __device__ __forceinline__ uint4 at(long long begin, int from, int end) const
    {
        const long long place = behind + begin;
        const int   phase = (int)(place & 15), words = phase / 4;
        const uint4 none = { 0, 0, 0, 0 }, *const p = vectors + (place >> 4);
        const uint4 a = phase + from < 16 ? p[0] : none, b = phase + end > 16 ? p[1] : none;
        const unsigned w[8] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
        unsigned two[6], one[5];
#pragma unroll
        for (int i = 0; i < 6; i++)
            two[i] = words & 2 ? w[i + 2] : w[i];
#pragma unroll
        for (int i = 0; i < 5; i++)
            one[i] = words & 1 ? two[i + 1] : two[i];
        const int bits = phase % 4 * 8;
        return { __funnelshift_r(one[0], one[1], bits), __funnelshift_r(one[1], one[2], bits), __funnelshift_r(one[2], one[3], bits),
            __funnelshift_r(one[3], one[4], bits) };
    }
};

/* Of a word's bytes those that are among the first `bytes` of a vector. */
__device__ __forceinline__ unsigned first_of(unsigned a, unsigned b, int word, int bytes)
{
    const int      here = min(max(bytes - 4 * word, 0), 4);
    const unsigned mask = (unsigned)((1ull << 8 * here) - 1);
    return (a & mask) | (b & ~mask);
}

extern "C" __global__ void __launch_bounds__(THREADS)
permute_slide(T *__restrict__ out, const T *__restrict__ in, unsigned count, unsigned n7, unsigned shifts, unsigned inverse7, unsigned weight7,
    unsigned inverse6, unsigned weight6, unsigned inverse5, unsigned weight5, unsigned inverse4, unsigned weight4, unsigned inverse3, unsigned weight3,
    unsigned inverse2, unsigned weight2, unsigned inverse1, unsigned weight1, unsigned shift1)
{
    const unsigned inverse[7] = { inverse7, inverse6, inverse5, inverse4, inverse3, inverse2, inverse1 };
    const unsigned weight[7] = { weight7, weight6, weight5, weight4, weight3, weight2, weight1 };
    const auto quotient = [&](unsigned k, int d) { return (__umulhi(k, inverse[d]) + k) >> (d == 6 ? shift1 : shifts >> 5 * d & 31); };
    const auto place = [&](unsigned k) {
        unsigned from = k;
#pragma unroll
        for (int d = 0; d < RANK - 1; d++)
            from += quotient(k, d) * weight[d];
        return from;
    };

    const unsigned first = (blockIdx.x * THREADS + threadIdx.x) * ELEMS;
    if (first >= count)
        return;
    const int left = (int)((quotient(first, 0) + 1) * n7 - first); /* elements of the row */
    const unsigned from = place(first), next = left < ELEMS && first + left < count ? place(first + left) : 0;
    const int behind = (int)bytes_behind<16>(in);
    const Input input = { (const uint4 *)((const unsigned char *)in - behind), behind };
    /* Whole vectors behind the last element are not read. */
    if (first + ELEMS > count || max(from, next) + 2 * ELEMS > count) {
#pragma unroll 1
        for (unsigned k = first; k < min(first + ELEMS, count); k++)
            out[k] = in[place(k)];
        return;
    }
    uint4 bits = input.at((long long)from * ES, 0, min(left, ELEMS) * ES);
    if (left < ELEMS) {
        const uint4 rest = input.at((long long)((int)next - left) * ES, left * ES, 16);
        bits = { first_of(bits.x, rest.x, 0, left * ES), first_of(bits.y, rest.y, 1, left * ES), first_of(bits.z, rest.z, 2, left * ES),
            first_of(bits.w, rest.w, 3, left * ES) };
    }
    ((uint4 *)out)[first / ELEMS] = bits;
}
