// grid 2 block 96: groups of the lanes that are there: coalesced, by label, in halves; tiles of a size of the launch's.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t] >> 4;
    unsigned r = 0;
    if (v % 3) {
        const auto there = cg::coalesced_threads();
        r = there.size() + 40 * there.thread_rank() + there.shfl(v, 0) + there.ballot(v & 4);
        r = 31 * r + there.any(v % 7 == 0) + cg::reduce(there, v, cg::plus<unsigned>());
        r = 31 * r + cg::inclusive_scan(there, v);
        const auto alike = cg::labeled_partition(there, v % 4);
        r = 31 * r + alike.size() + 40 * alike.thread_rank() + cg::reduce(alike, v, cg::greater<unsigned>());
        const auto half = cg::binary_partition(there, (v & 16) != 0);
        r = 31 * r + half.size() + 40 * half.thread_rank();
    }
    const auto tile = cg::tiled_partition(cg::this_thread_block(), gridDim.x * 4);
    tile.sync();
    out[t] = 31 * r + tile.size() + 40 * tile.thread_rank();
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t] >> 4, first = t / 32 * 32;
    unsigned size = 0, rank = 0, lead = 0, votes = 0, any = 0, sum = 0, up_to = 0;
    unsigned alike = 0, alike_rank = 0, most = 0, half = 0, half_rank = 0, r = 0;
    for (unsigned i = 0; i < 32; i++) {
        const unsigned w = in[first + i] >> 4, before = first + i < t;
        if (w % 3 == 0)
            continue;
        lead = size ? lead : w;
        votes |= (unsigned)((w & 4) != 0) << size++;
        rank += before;
        any |= w % 7 == 0;
        sum += w;
        up_to += first + i <= t ? w : 0;
        alike += w % 4 == v % 4;
        alike_rank += before && w % 4 == v % 4;
        most = w % 4 == v % 4 && w > most ? w : most;
        half += (w & 16) == (v & 16);
        half_rank += before && (w & 16) == (v & 16);
    }
    if (v % 3) {
        r = size + 40 * rank + lead + votes;
        r = 31 * r + any + sum;
        r = 31 * r + up_to;
        r = 31 * r + alike + 40 * alike_rank + most;
        r = 31 * r + half + 40 * half_rank;
    }
    out[t] = 31 * r + 8 + 40 * (threadIdx.x % 8);
}
