// grid 2 block 128: four numbers or two in a word; fields and permutations.
static __device__ unsigned fold(unsigned r, unsigned v)
{
    return 31 * r + v;
}

extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, a = in[t], b = in[t + 512];
    unsigned r = __vabsdiffu4(a, b);
    r = fold(r, __vabsdiffs4(a, b));
    r = fold(r, __vsadu4(a, b));
    r = fold(r, __vsadu2(a, b));
    r = fold(r, __vadd4(a, b));
    r = fold(r, __vaddus4(a, b));
    r = fold(r, __vaddss4(a, b));
    r = fold(r, __vmaxs4(a, b));
    r = fold(r, __vcmpgtu4(a, b));
    r = fold(r, __vavgu4(a, b));
    r = fold(r, __vmins2(a, b));
    r = fold(r, (unsigned)__dp4a((int)a, (int)b, 3));
    r = fold(r, __dp4a(a, b, 3u));
    r = fold(r, (unsigned)__dp2a_lo((int)a, (int)b, 3));
    r = fold(r, __dp2a_hi(a, b, 3u));
    r = fold(r, __byte_perm(a, b, 0x6a31 & 0x7777));
    r = fold(r, __funnelshift_l(a, b, 7) ^ __funnelshift_rc(a, b, 40));
    out[t] = r;
}

static __device__ int byte_of(unsigned v, int k, bool with_sign)
{
    return with_sign ? (signed char)(v >> 8 * k) : (unsigned char)(v >> 8 * k);
}

static __device__ int clamp(int v, int least, int most)
{
    return v < least ? least : v > most ? most : v;
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, a = in[t], b = in[t + 512];
    unsigned apart = 0, apart_s = 0, sad = 0, sad2 = 0, sum = 0, sum_us = 0, sum_ss = 0, most = 0, greater = 0;
    unsigned mean = 0, least2 = 0, dot_u = 3, dot2_hi = 3;
    int dot = 3, dot2 = 3;
    for (int k = 0; k < 4; k++) {
        const int p = byte_of(a, k, false), q = byte_of(b, k, false), s = byte_of(a, k, true), u = byte_of(b, k, true);
        const unsigned d = (unsigned)(p > q ? p - q : q - p);
        apart |= d << 8 * k;
        apart_s |= (unsigned)((s > u ? s - u : u - s) & 255) << 8 * k;
        sad += d;
        sum |= (unsigned)((p + q) & 255) << 8 * k;
        sum_us |= (unsigned)clamp(p + q, 0, 255) << 8 * k;
        sum_ss |= (unsigned)(clamp(s + u, -128, 127) & 255) << 8 * k;
        most |= (unsigned)((s > u ? s : u) & 255) << 8 * k;
        greater |= (p > q ? 255u : 0u) << 8 * k;
        mean |= (unsigned)((p + q + 1) / 2) << 8 * k;
        dot += s * u;
        dot_u += (unsigned)(p * q);
    }
    for (int k = 0; k < 2; k++) {
        const int p = (int)(a >> 16 * k & 0xffff), q = (int)(b >> 16 * k & 0xffff);
        const int s = (short)p, u = (short)q;
        sad2 += (unsigned)(p > q ? p - q : q - p);
        least2 |= (unsigned)((s < u ? s : u) & 0xffff) << 16 * k;
        dot2 += s * byte_of(b, k, true);
        dot2_hi += (unsigned)(p * byte_of(b, k + 2, false));
    }
    unsigned r = apart;
    r = fold(r, apart_s);
    r = fold(r, sad);
    r = fold(r, sad2);
    r = fold(r, sum);
    r = fold(r, sum_us);
    r = fold(r, sum_ss);
    r = fold(r, most);
    r = fold(r, greater);
    r = fold(r, mean);
    r = fold(r, least2);
    r = fold(r, (unsigned)dot);
    r = fold(r, dot_u);
    r = fold(r, (unsigned)dot2);
    r = fold(r, dot2_hi);
    unsigned permuted = 0;
    for (int k = 0; k < 4; k++) {
        const int from = 0x6a31 & 0x7777, at = from >> 4 * k & 7;
        permuted |= ((at < 4 ? a >> 8 * at : b >> 8 * (at - 4)) & 255) << 8 * k;
    }
    r = fold(r, permuted);
    const unsigned long long both = (unsigned long long)b << 32 | a;
    out[t] = fold(r, (unsigned)(both << 7 >> 32) ^ b);
}
