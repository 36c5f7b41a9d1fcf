// grid 2 block 128: intrinsics of warps and of blocks.
extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t], all = ~0u;
    unsigned r = __reduce_add_sync(all, v) ^ __reduce_max_sync(all, (int)v) ^ __reduce_min_sync(all, v);
    r = 31 * r + (__reduce_and_sync(all, v | 3) ^ __reduce_or_sync(all, v & 0xff00) ^ __reduce_xor_sync(all, v));
    r = 31 * r + __shfl_sync(all, v, (int)t + 3, 8) + __shfl_up_sync(all, v, 2, 16);
    r = 31 * r + __shfl_down_sync(all, v, 3, 4) + __shfl_xor_sync(all, v, 5, 8);
    r = 31 * r + (unsigned)(__shfl_sync(all, (unsigned long long)v << 20, 7) >> 20);
    r = 31 * r + __ballot_sync(all, v & 1) + __any_sync(all, v % 50 == 0) + __all_sync(all, v % 50);
    r = 31 * r + __match_any_sync(all, v % 3) + __match_any_sync(all, (unsigned long long)(v % 5) << 40);
    if (v & 8)
        r += __popc(__activemask()) > 0;
    r = 31 * r + __fns(v, 0, 3);
    r = 31 * r + __syncthreads_count(v & 2) + __syncthreads_and((int)(v | 1)) + __syncthreads_or((v & 0xfff) == 7);
    out[t] = r;
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t], w = t / 32 * 32, lane = t % 32;
    const unsigned *own = in + w, *block = in + blockIdx.x * blockDim.x;
    unsigned sum = 0, least = ~0u, ands = ~0u, ors = 0, xors = 0, votes = 0, any = 0, all = 1, like = 0, alike = 0;
    int most = (int)own[0];
    for (unsigned i = 0; i < 32; i++) {
        sum += own[i];
        most = (int)own[i] > most ? (int)own[i] : most;
        least = own[i] < least ? own[i] : least;
        ands &= own[i] | 3;
        ors |= own[i] & 0xff00;
        xors ^= own[i];
        votes |= (own[i] & 1) << i;
        any |= own[i] % 50 == 0;
        all &= own[i] % 50 != 0;
        like |= (unsigned)(own[i] % 3 == v % 3) << i;
        alike |= (unsigned)(own[i] % 5 == v % 5) << i;
    }
    unsigned r = sum ^ (unsigned)most ^ least;
    r = 31 * r + (ands ^ ors ^ xors);
    r = 31 * r + own[lane / 8 * 8 + (t + 3) % 8] + own[lane % 16 < 2 ? lane : lane - 2];
    r = 31 * r + own[lane % 4 + 3 < 4 ? lane + 3 : lane] + own[(lane ^ 5)];
    r = 31 * r + own[7];
    r = 31 * r + votes + any + all;
    r = 31 * r + like + alike;
    r += (v & 8) != 0;
    unsigned third = ~0u, seen = 0;
    for (unsigned i = 0; i < 32; i++)
        if (v >> i & 1 && ++seen == 3)
            third = i;
    r = 31 * r + third;
    unsigned count = 0, some = 0;
    for (unsigned i = 0; i < blockDim.x; i++) {
        count += (block[i] & 2) != 0;
        some |= (block[i] & 0xfff) == 7;
    }
    out[t] = 31 * r + count + 1 + some;
}
