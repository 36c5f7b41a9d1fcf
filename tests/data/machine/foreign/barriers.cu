// grid 2 block 128: barriers of some of the warps, and of those that arrive and those that wait.
extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    __shared__ unsigned first[64], second[64];
    const unsigned t = threadIdx.x;
    const unsigned *own = in + blockIdx.x * blockDim.x;
    unsigned *to = out + blockIdx.x * blockDim.x;
    if (t < 64) {
        first[t] = own[t];
        asm volatile("bar.sync 1, 64;" ::: "memory");
        second[t] = first[63 - t] + 1;
        asm volatile("bar.arrive 2, 128;" ::: "memory");
        to[t] = first[t ^ 1];
    } else {
        asm volatile("barrier.sync 2, 128;" ::: "memory");
        to[t] = second[127 - t] + own[t];
    }
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    const unsigned t = threadIdx.x;
    const unsigned *own = in + blockIdx.x * blockDim.x;
    out[blockIdx.x * blockDim.x + t] = t < 64 ? own[t ^ 1] : own[63 - (127 - t)] + 1 + own[t];
}
