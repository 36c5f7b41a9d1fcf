// grid 2 block 128: cooperative groups' tiles of a size that is known when it is compiled.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <int N> __device__ unsigned of_tile(const unsigned *in)
{
    const auto tile = cg::tiled_partition<N>(cg::this_thread_block());
    const unsigned v = in[cg::this_grid().thread_rank()] >> 8;
    int all = 0;
    unsigned r = cg::reduce(tile, v, cg::plus<unsigned>()) ^ cg::reduce(tile, v, cg::greater<unsigned>());
    r = 31 * r + cg::inclusive_scan(tile, v) + cg::exclusive_scan(tile, v, cg::bit_xor<unsigned>());
    r = 31 * r + tile.shfl(v, N - 1) + tile.shfl_xor(v, N / 2);
    r = 31 * r + tile.any(v % 5 == 0) + 2 * tile.all(v % 3) + tile.ballot(v & 1);
    const unsigned equal = tile.match_all(v & 1, all);
    r = 31 * r + tile.match_any(v & 3) + equal + all;
    tile.sync();
    return 31 * r + tile.thread_rank() + 7 * tile.meta_group_rank() + 3 * tile.meta_group_size();
}

template <int N> __device__ unsigned plainly(const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, first = t / N * N, lane = t % N;
    const unsigned v = in[t] >> 8;
    unsigned sum = 0, most = 0, up_to = 0, before = 0, any = 0, all = 1, odd = 0, like = 0, equal = 1;
    for (unsigned i = 0; i < N; i++) {
        const unsigned w = in[first + i] >> 8;
        sum += w;
        most = w > most ? w : most;
        up_to += i <= lane ? w : 0;
        before ^= i < lane ? w : 0;
        any |= w % 5 == 0;
        all &= w % 3 != 0;
        odd |= (w & 1) << i;
        like |= (unsigned)((w & 3) == (v & 3)) << i;
        equal &= (w & 1) == (in[first] >> 8 & 1);
    }
    const unsigned whole = N == 32 ? ~0u : (1u << N % 32) - 1;
    unsigned r = sum ^ most;
    r = 31 * r + up_to + before;
    r = 31 * r + (in[first + N - 1] >> 8) + (in[first + (lane ^ N / 2)] >> 8);
    r = 31 * r + any + 2 * all + odd;
    r = 31 * r + like + (equal ? whole : 0) + equal;
    return 31 * r + lane + 7 * (threadIdx.x / N) + 3 * (blockDim.x / N);
}

extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    unsigned *to = out + 6 * cg::this_grid().thread_rank();
    to[0] = of_tile<1>(in);
    to[1] = of_tile<2>(in);
    to[2] = of_tile<4>(in);
    to[3] = of_tile<8>(in);
    to[4] = of_tile<16>(in);
    to[5] = of_tile<32>(in);
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    unsigned *to = out + 6 * (blockIdx.x * blockDim.x + threadIdx.x);
    to[0] = plainly<1>(in);
    to[1] = plainly<2>(in);
    to[2] = plainly<4>(in);
    to[3] = plainly<8>(in);
    to[4] = plainly<16>(in);
    to[5] = plainly<32>(in);
}
