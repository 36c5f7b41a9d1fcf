/*!autotune
template  naive                        # element by element: for every layout there is
use       layout

param     THREADS = 128 256 512        # a block
param     EACH    = 1 4                # elements a thread, one after the other
param     FAST    = out in             # neighbouring threads write an output row, or read an input row

const     WIDE = max(count, max(reach_in, reach_out)) > 2147483647 # 64-bit offsets

require   THREADS <= device.max_threads_per_block
require   align_in >= sizeof(T) && align_out >= sizeof(T) # always: elements are moved one by one

grid      min(ceil_div(count, THREADS * EACH), device.max_grid_x)
block     THREADS
default   THREADS=256 EACH=1 FAST=out
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr long long n0 = 1, n1 = 1, n2 = 1, n3 = 1, n4 = 1, n5 = 15, n6 = 48, n7 = 75;
constexpr long long i0 = 0, i1 = 0, i2 = 0, i3 = 0, i4 = 0, i5 = 48, i6 = 1, i7 = 720;
constexpr long long o0 = 0, o1 = 0, o2 = 0, o3 = 0, o4 = 0, o5 = 3600, o6 = 75, o7 = 1;
constexpr int THREADS = 256, FAST_out = 0, FAST_in = 1, FAST = FAST_out, WIDE = 0;
#include "../common/layout.cuh"
#endif

using Extents = Numbers<n0, n1, n2, n3, n4, n5, n6, n7>;
using In      = Numbers<i0, i1, i2, i3, i4, i5, i6, i7>;
using Out     = Numbers<o0, o1, o2, o3, o4, o5, o6, o7>;

template <bool wide> struct CountOf { using type = unsigned; };
template <> struct CountOf<true> { using type = long long; };
using Count = CountOf<WIDE != 0>::type;

struct Offsets {
    Count from = 0, to = 0;

    template <int d> __device__ __forceinline__ void along(Count c)
    {
        from += c * (Count)In::at(d);
        to += c * (Count)Out::at(d);
    }
};

template <class Order> __device__ __forceinline__ void move_all(T *__restrict__ out, const T *__restrict__ in)
{
    constexpr Count COUNT = (Count)Extents::product();
    for (Count i = (Count)blockIdx.x * THREADS + threadIdx.x; i < COUNT; i += (Count)gridDim.x * THREADS) {
        Offsets at;
        walk<Order, Extents>(i, at);
        out[at.to] = in[at.from];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) permute_naive(T *__restrict__ out, const T *__restrict__ in)
{
    if constexpr (FAST == FAST_out)
        move_all<Out>(out, in);
    else
        move_all<In>(out, in);
}
