/*!autotune
op        kv_gather                    # k[t] = k_cache[slot[t]] and v[t] = v_cache[slot[t]], rows of a paged cache
shape     from=same|e4m3 slots tokens width # rows of a cache; those that are read; elements of a row, of all heads
type      T = bf16 f16

let       bytes   = from == from_e4m3 ? 1 : sizeof(T) # of an element of a cache
let       moved   = 2 * width * (tokens * sizeof(T) + min(tokens, slots) * bytes) + 8 * tokens
require   tokens > 0 && width > 0      # a shape needs at least one element

arg       k       T[tokens * width] output
arg       v       T[tokens * width] output
arg       k_cache u8[slots * width * bytes] input bits
arg       v_cache u8[slots * width * bytes] input bits
arg       slot    i64[tokens] input spread slots
arg       k_scale f32[1] input uniform 0.5 2 # what elements of e4m3 are multiplied by
arg       v_scale f32[1] input uniform 0.5 2
arg       from    i64
arg       slots   i64
arg       tokens  i64
arg       width   i64

reference kv_gather_reference
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

__device__ T number_of(unsigned char bits, float scale)
{
    return (T)(__half2float(__half(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3))) * scale);
}

/* What the answer is: slow, and too simple to be wrong. */
extern "C" __global__ void kv_gather_reference(T *k, T *v, const unsigned char *k_cache, const unsigned char *v_cache,
    const long long *slot, const float *k_scale, const float *v_scale, long long from, long long slots, long long tokens, long long width)
{
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < tokens * width; i += (long long)gridDim.x * blockDim.x) {
        const long long place = slot[i / width] * width + i % width;
        if (from == 2) {
            k[i] = number_of(k_cache[place], k_scale[0]);
            v[i] = number_of(v_cache[place], v_scale[0]);
        } else {
            k[i] = ((const T *)k_cache)[place];
            v[i] = ((const T *)v_cache)[place];
        }
    }
}
