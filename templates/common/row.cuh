/*!autotune
common    row                          # one row in the registers of a group of threads, as it was read
use       access policy wide
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "access.cuh"
#include "policy.cuh"
#include "wide.cuh"
#endif

/*
 * What thread `lane` of `threads` has of a row: `each` vectors of `per` elements, `threads` vectors from one to the next,
 * so that the accesses of a warp are side by side. `ragged`: not every thread has its last vector.
 */
template <int threads, int each, int per, bool ragged> struct RawRow {
    using Part = Vector<per>;
    Part raw[each];

    static __device__ __forceinline__ bool has(int i, int lane, int vectors)
    {
        return !ragged || i < each - 1 || i * threads + lane < vectors;
    }

    template <bool keep, bool once> __device__ __forceinline__ void read(const T *from, int lane, int vectors)
    {
#pragma unroll
        for (int i = 0; i < each; i++)
            if (has(i, lane, vectors))
                raw[i].bits = load<keep, once>((const typename Part::Bits *)from + i * threads + lane);
    }
};
