/*!autotune
op        small # scalars of all types
shape     n
type      T = f32
let       half = n / 2
arg       y T[n] output
arg       x T[n] input uniform -1 1
arg       twice bool = n > 5
arg       a i8 = -3
arg       b u8 = 200
arg       c i16 = -300
arg       d u16 = 60000
arg       e i32 = half
arg       f u32 = 3000000000
arg       g i64 = n
arg       h u64 = n
arg       p f16 = 0.5
arg       q bf16 = 0.25
arg       r f32 = 1 / n
arg       s f64 = half
reference small_reference
grid      ceil_div(n, 256)
block     256
check     within 1e-5 relative
traffic   2 * n * sizeof(T)
*/
extern "C" __global__ void small_reference(float *y, const float *x, bool twice, signed char a, unsigned char b, short c, unsigned short d, int e,
    unsigned int f, long long g, unsigned long long h, __half p, __nv_bfloat16 q, float r, double s)
{
    const long long i = blockIdx.x * 256ll + threadIdx.x;
    if (i < g)
        y[i] = x[i] * (twice ? 2 : 1) + a + b + c + d + e + (float)f * 1e-9f + (float)(h - g) +
               __half2float(p) + __bfloat162float(q) + r + (float)s;
}
