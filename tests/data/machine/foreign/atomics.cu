// grid 2 block 64: atomics of all types, of which every order gives the same.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t];
    unsigned long long *wide = (unsigned long long *)(out + 64);
    atomicAdd(out, v);
    atomicSub(out + 1, v);
    atomicMin((int *)out + 2, (int)v);
    atomicMax(out + 3, v);
    atomicXor(out + 4, v);
    atomicOr(out + 5, v & 0xf0f0);
    atomicInc(out + 6, 9);
    atomicDec(out + 7, 9);
    atomicAdd_block(out + 8 + blockIdx.x, v);
    atomicAdd_system(out + 10, v);
    atomicAdd((float *)out + 11, (float)(v % 8));
    atomicAdd((double *)(wide + 0), (double)(v % 8));
    atomicAdd((__half2 *)(out + 12), __floats2half2_rn(v % 4, v % 3));
    atomicAdd((__nv_bfloat162 *)(out + 13), __floats2bfloat162_rn(v % 2, 1));
    atomicAdd((__half *)(out + 14), __float2half(v % 4));
    atomicAdd(wide + 1, (unsigned long long)v << 8);
    atomicMin((long long *)wide + 2, -(long long)v);
    atomicMax(wide + 3, (unsigned long long)v << 3);
    unsigned short *small = (unsigned short *)(out + 15), seen = *small, was;
    do {
        was = seen;
        seen = atomicCAS(small, was, (unsigned short)(was + 3));
    } while (seen != was);
    unsigned long long old = wide[4], then;
    do {
        then = old;
        old = atomicCAS(wide + 4, then, then + v);
    } while (old != then);
    atomicAdd((float4 *)(out + 32), make_float4(1, v % 2, v % 3, v % 4));
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    const unsigned n = 128;
    unsigned long long *wide = (unsigned long long *)(out + 64);
    float sum = 0, low = 0, high = 0, odd = 0, four[4] = { 0 };
    if (blockIdx.x || threadIdx.x)
        return;
    for (unsigned i = 0; i < n; i++) {
        const unsigned v = in[i];
        out[0] += v;
        out[1] -= v;
        out[2] = (int)v < (int)out[2] ? v : out[2];
        out[3] = v > out[3] ? v : out[3];
        out[4] ^= v;
        out[5] |= v & 0xf0f0;
        out[8 + i / 64] += v;
        out[10] += v;
        sum += v % 8;
        low += v % 4;
        high += v % 3;
        odd += v % 2;
        for (int k = 0; k < 4; k++)
            four[k] += k == 0 ? 1 : v % (k + 1);
        wide[1] += (unsigned long long)v << 8;
        wide[2] = -(long long)v < (long long)wide[2] ? -(long long)v : wide[2];
        wide[3] = (unsigned long long)v << 3 > wide[3] ? (unsigned long long)v << 3 : wide[3];
        wide[4] += v;
    }
    out[6] = n % 10;
    out[7] = (10 - n % 10) % 10;
    out[11] = __float_as_uint(sum);
    wide[0] = __double_as_longlong(sum);
    *(__half2 *)(out + 12) = __floats2half2_rn(low, high);
    *(__nv_bfloat162 *)(out + 13) = __floats2bfloat162_rn(odd, n);
    *(__half *)(out + 14) = __float2half(low);
    *(unsigned short *)(out + 15) = 3 * n;
    for (int k = 0; k < 4; k++)
        out[32 + k] = __float_as_uint(four[k]);
}
