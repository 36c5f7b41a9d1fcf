/*!autotune
op        cast_transpose               # turned[b][c][r] = in[b][r][c] * scale, in another type
shape     to=e4m3|e5m2|f16|bf16 both=no|yes amax=no|yes batch=1 rows cols
type      T = bf16 f16 f32

let       count  = batch * rows * cols
let       width  = to <= to_e5m2 ? 1 : 2 # bytes of a converted element
let       moved  = count * (sizeof(T) + (both == both_yes ? 2 : 1) * width)
require   count > 0                    # a shape needs at least one element

arg       turned   u8[count * width] output
arg       straight u8[both == both_yes ? count * width : 0] output
arg       largest  f32[amax == amax_yes ? 1 : 0] output zero
arg       in       T[count] input normal 0 100
arg       scale    f32[1] input uniform 0.5 2
arg       batch    i64
arg       rows     i64
arg       cols     i64
arg       to       i64
arg       both     i64
arg       amax     i64

reference cast_transpose_reference
block     256
grid      min(ceil_div(count, 256), 1048576)

check     exact
traffic   moved
ceiling   copy ceil_div(moved, 2 * sizeof(T))

near      turned  rows cols cost 10
near      aligned rows cols cost 8     # rows of another alignment want other accesses
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#endif

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

/*
 * What the answer is: slow, and too simple to be wrong. Conversions are CUDA's own: to nearest, ties to even; those to
 * 8 bits saturate. `straight`, where `both` is 2, is not turned; `largest`, where `amax` is 2, is the largest |in|
 * of those that are numbers.
 */
extern "C" __global__ void cast_transpose_reference(unsigned char *turned, unsigned char *straight, float *largest, const T *in,
    const float *scale, long long batch, long long rows, long long cols, long long to, long long both, long long amax)
{
    const long long matrix = rows * cols;
    const long long count  = batch * matrix;
    const long long stride = (long long)gridDim.x * blockDim.x;

    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        const long long b = i / matrix, r = i % matrix / cols, c = i % cols, t = (b * cols + c) * rows + r;
        const float value = (float)in[i], x = value * scale[0];
        if (to <= 2) {
            const unsigned char bits = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, to == 1 ? __NV_E4M3 : __NV_E5M2);
            turned[t] = bits;
            if (both == 2)
                straight[i] = bits;
        } else {
            const unsigned short bits = to == 3 ? __half_as_ushort(__float2half_rn(x)) : __bfloat16_as_ushort(__float2bfloat16_rn(x));
            ((unsigned short *)turned)[t] = bits;
            if (both == 2)
                ((unsigned short *)straight)[i] = bits;
        }
        if (amax == 2 && value == value)
            atomicMax((unsigned *)largest, __float_as_uint(value) & 0x7fffffffu);
    }
}
