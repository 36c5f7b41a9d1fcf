// grid 2 block 64 shared 2048: asynchronous copies of a group, and a pipeline of them.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    extern __shared__ unsigned buffer[];
    const auto block = cg::this_thread_block();
    const unsigned t = threadIdx.x, *own = in + blockIdx.x * 512;
    cg::memcpy_async(block, buffer, own, sizeof(unsigned) * 256);
    cg::wait(block);
    unsigned r = 0;
    for (int i = 0; i < 4; i++)
        r = 31 * r + buffer[(t + 64 * i) ^ 5];
    block.sync();
    auto pipe = cuda::make_pipeline();
    unsigned(*stage)[64] = (unsigned(*)[64])buffer;
    for (int i = 0; i < 2; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&stage[i][t], own + 64 * i + t, sizeof(unsigned), pipe);
        pipe.producer_commit();
    }
    for (int i = 0; i < 8; i++) {
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        block.sync();
        r = 31 * r + stage[i % 2][63 - t];
        block.sync();
        pipe.consumer_release();
        pipe.producer_acquire();
        if (i + 2 < 8)
            cuda::memcpy_async(&stage[i % 2][t], own + 64 * (i + 2) + t, sizeof(unsigned), pipe);
        pipe.producer_commit();
    }
    out[blockIdx.x * 64 + t] = r;
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    const unsigned t = threadIdx.x, *own = in + blockIdx.x * 512;
    unsigned r = 0;
    for (int i = 0; i < 4; i++)
        r = 31 * r + own[(t + 64 * i) ^ 5];
    for (int i = 0; i < 8; i++)
        r = 31 * r + own[64 * i + 63 - t];
    out[blockIdx.x * 64 + t] = r;
}
