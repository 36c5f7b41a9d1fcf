// grid 1 block 128 ulps 8: functions of f32, against those of f64.
#define ALL(F)                                                                                               \
    F(0, sin, x)                                                                                             \
    F(1, cos, x)                                                                                             \
    F(2, tan, x)                                                                                             \
    F(3, exp, x)                                                                                             \
    F(4, exp2, x)                                                                                            \
    F(5, expm1, x)                                                                                           \
    F(6, log, fabs(x))                                                                                       \
    F(7, log1p, fabs(x))                                                                                     \
    F(8, sqrt, fabs(x))                                                                                      \
    F(9, rsqrt, fabs(x))                                                                                     \
    F(10, cbrt, x)                                                                                           \
    F(11, erf, x)                                                                                            \
    F(12, erfc, x)                                                                                           \
    F(13, tgamma, fabs(x) + 1)                                                                               \
    F(14, asin, x / 8)                                                                                       \
    F(15, atan, x)                                                                                           \
    F(16, sinh, x)                                                                                           \
    F(17, tanh, x)                                                                                           \
    F(18, asinh, x)                                                                                          \
    F(19, normcdf, x)                                                                                        \
    F(20, floor, x)                                                                                          \
    F(21, rint, x)                                                                                           \
    F(22, round, x)                                                                                          \
    F(23, log10, fabs(x))                                                                                    \
    F(24, sinpi, x / 4)                                                                                      \
    F(25, cyl_bessel_i0, x)

/* In (-8, 8), of few bits, so that arguments are the same in both. */
static __device__ float argument(unsigned bits)
{
    return ((int)(bits % 4095) - 2047) / 256.0f;
}

#define AS_F32(n, f, arg) out[n * 128 + threadIdx.x] = __float_as_uint(f(arg)); /* that of f32, by its argument */
#define AS_F64(n, f, arg) out[n * 128 + threadIdx.x] = __float_as_uint((float)f((double)(arg)));

extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    const float x = argument(in[threadIdx.x]), y = argument(in[threadIdx.x + 128]);
    ALL(AS_F32)
    out[26 * 128 + threadIdx.x] = __float_as_uint(powf(fabs(x), y));
    out[27 * 128 + threadIdx.x] = __float_as_uint(atan2f(x, y));
    out[28 * 128 + threadIdx.x] = __float_as_uint(hypotf(x, y));
    out[29 * 128 + threadIdx.x] = __float_as_uint(fmodf(x, y));
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    const float x = argument(in[threadIdx.x]), y = argument(in[threadIdx.x + 128]);
    ALL(AS_F64)
    out[26 * 128 + threadIdx.x] = __float_as_uint((float)pow((double)fabs(x), (double)y));
    out[27 * 128 + threadIdx.x] = __float_as_uint((float)atan2((double)x, (double)y));
    out[28 * 128 + threadIdx.x] = __float_as_uint((float)hypot((double)x, (double)y));
    out[29 * 128 + threadIdx.x] = __float_as_uint((float)fmod((double)x, (double)y));
}
