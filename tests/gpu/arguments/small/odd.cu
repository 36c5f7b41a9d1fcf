/*!autotune
template  odd # one that is another than its kernel wants
param     BLOCK = 64 128
let       tiles = ceil_div(n, BLOCK)
scalar    tiles u16
scalar    inverse f32 = 1 / BLOCK
scalar    even bool = BLOCK / 128
grid      tiles
block     BLOCK
arg       y x twice a b c d e f g h p q r s tiles inverse even
*/
extern "C" __global__ void small_odd(float *y, const float *x, bool twice, signed char a, unsigned char b, short c, unsigned short d, int e,
    unsigned int f, long long g, unsigned long long h, __half p, __nv_bfloat16 q, float r, double s,
    unsigned short tiles, float inverse, bool even)
{
    const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i < g && tiles == gridDim.x && inverse * BLOCK == 1 && even)
        y[i] = x[i] * (twice ? 2 : 1) + a + b + c + d + e + (float)f * 1e-9f + (float)(h - g) +
               __half2float(p) + __bfloat162float(q) + r + (float)s;
}
