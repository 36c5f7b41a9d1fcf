// grid 8 block 64: shared memory of the other blocks of a cluster.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4, 1, 1) k(unsigned *out, const unsigned *in)
{
    __shared__ unsigned own[64];
    const auto cluster = cg::this_cluster();
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, rank = cluster.block_rank();
    own[threadIdx.x] = in[t];
    cluster.sync();
    unsigned r = 0;
    for (unsigned b = 0; b < cluster.num_blocks(); b++)
        r = 31 * r + cluster.map_shared_rank(own, b)[threadIdx.x ^ b];
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(own, (rank + 1) % 4) + threadIdx.x, 5);
    cluster.sync();
    out[t] = 31 * r + own[threadIdx.x] + cluster.thread_rank() + cluster.dim_threads().x;
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.x / 4 * 4;
    unsigned r = 0;
    for (unsigned b = 0; b < 4; b++)
        r = 31 * r + in[(first + b) * blockDim.x + (threadIdx.x ^ b)];
    out[t] = 31 * r + in[t] + 5 + t % 256 + 256;
}
