// grid 2 block 256: cooperative groups' tiles of several warps, which meet in reserved shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <int N, class Block> __device__ unsigned of_tile(const Block &block, const unsigned *in)
{
    const auto tile = cg::tiled_partition<N>(block);
    const unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x] >> 8;
    unsigned r = cg::reduce(tile, v, cg::plus<unsigned>());
    tile.sync();
    r = 31 * r + tile.shfl(v, 3) + tile.any(v % 97 == 0) + 2 * tile.all(v % 97);
    return 31 * r + cg::inclusive_scan(tile, v) + tile.thread_rank();
}

template <int N> __device__ unsigned plainly(const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, first = t / N * N;
    unsigned sum = 0, up_to = 0, any = 0, all = 1;
    for (unsigned i = 0; i < N; i++) {
        const unsigned w = in[first + i] >> 8;
        sum += w;
        up_to += i <= t % N ? w : 0;
        any |= w % 97 == 0;
        all &= w % 97 != 0;
    }
    unsigned r = sum;
    r = 31 * r + (in[first + 3] >> 8) + any + 2 * all;
    return 31 * r + up_to + t % N;
}

extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    __shared__ cg::block_tile_memory<256> scratch;
    const auto block = cg::this_thread_block(scratch);
    unsigned *to = out + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    to[0] = of_tile<64>(block, in);
    block.sync();
    to[1] = of_tile<128>(block, in);
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    unsigned *to = out + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    to[0] = plainly<64>(in);
    to[1] = plainly<128>(in);
}
