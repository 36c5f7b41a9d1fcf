/*!autotune
op        kv_write                     # k_cache[slot[t]] = k[t] and v_cache[slot[t]] = v[t], rows of a paged cache
shape     to=same|e4m3 slots tokens width # rows of a cache; new ones; elements of a row, of all heads
type      T = bf16 f16

let       bytes   = to == to_e4m3 ? 1 : sizeof(T) # of an element of a cache
let       named   = slots + slots / 64 + 1 # slots that tokens name: some are none of the cache's
let       moved   = 2 * tokens * width * (sizeof(T) + bytes) * slots / named + 8 * tokens
require   tokens > 0 && width > 0      # a shape needs at least one element
require   tokens <= slots              # no slot is written twice

arg       k_cache u8[slots * width * bytes] inout bits # what no token names stays
arg       v_cache u8[slots * width * bytes] inout bits
arg       k       T[tokens * width] input normal 0 4
arg       v       T[tokens * width] input normal 0 4
arg       slot    i64[tokens] input spread named
arg       k_scale f32[1] input uniform 0.5 2 # what elements are divided by when they become e4m3
arg       v_scale f32[1] input uniform 0.5 2
arg       to      i64
arg       slots   i64
arg       tokens  i64
arg       width   i64

reference kv_write_reference
block     256
grid      min(ceil_div(tokens * width, 256), 1048576)

check     exact
traffic   moved
ceiling   copy ceil_div(moved, 2 * sizeof(T))

near      narrow  tokens <= 256 cost 16
near      aligned width cost 8
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#endif

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

/* What the answer is: slow, and too simple to be wrong. A slot that the cache does not have, such as -1, is left out. */
extern "C" __global__ void kv_write_reference(unsigned char *k_cache, unsigned char *v_cache, const T *k, const T *v,
    const long long *slot, const float *k_scale, const float *v_scale, long long to, long long slots, long long tokens, long long width)
{
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < tokens * width; i += (long long)gridDim.x * blockDim.x) {
        const long long row = slot[i / width], place = row * width + i % width;
        if (row < 0 || row >= slots)
            continue;
        if (to == 2) {
            k_cache[place] = __nv_cvt_float_to_fp8((float)k[i] * (1 / k_scale[0]), __NV_SATFINITE, __NV_E4M3);
            v_cache[place] = __nv_cvt_float_to_fp8((float)v[i] * (1 / v_scale[0]), __NV_SATFINITE, __NV_E4M3);
        } else {
            ((T *)k_cache)[place] = k[i];
            ((T *)v_cache)[place] = v[i];
        }
    }
}
