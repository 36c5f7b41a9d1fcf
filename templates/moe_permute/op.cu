/*!autotune
op        moe_permute                  # out[place[t][k]] = in[t] for each k, rows of tokens and their scales to their experts
shape     tokens top row_bytes scale_bytes # each token has `top` experts; bytes of a row of `in`, of a row of `scales`
type      T = i32 i64                  # of the places

let       count   = tokens * row_bytes
let       scale_count = tokens * scale_bytes
let       moved   = (top + 1) * (count + scale_count) + tokens * top * sizeof(T)
require   count > 0 && top > 0         # a shape needs at least one element
require   top <= 64                    # experts of a token
require   tokens * top < 2147483648    # rows are numbered in 32 bits

arg       out         u8[top * count] output
arg       out_scales  u8[top * scale_count] output
arg       in          u8[count] input
arg       scales      u8[scale_count] input
arg       place       T[tokens * top] input permutation
arg       tokens      i64
arg       top         i64
arg       row_bytes   i64
arg       scale_bytes i64

reference moe_permute_reference
block     256
grid      min(ceil_div(top * (count + scale_count), 256), 1048576)

check     exact
traffic   moved
ceiling   copy ceil_div(moved, 2 * sizeof(T))

near      narrow  tokens <= 256 cost 16
near      aligned row_bytes cost 8
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = int;
#endif

/* What the answer is: slow, and too simple to be wrong. */
extern "C" __global__ void moe_permute_reference(unsigned char *out, unsigned char *out_scales, const unsigned char *in,
    const unsigned char *scales, const T *place, long long tokens, long long top, long long row_bytes, long long scale_bytes)
{
    const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x, stride = (long long)gridDim.x * blockDim.x;

    for (long long i = first; i < tokens * top * row_bytes; i += stride) {
        const long long row = i / row_bytes; /* number `k` of a token */
        out[place[row] * row_bytes + i % row_bytes] = in[row / top * row_bytes + i % row_bytes];
    }
    for (long long i = first; i < tokens * top * scale_bytes; i += stride) {
        const long long row = i / scale_bytes;
        out_scales[place[row] * scale_bytes + i % scale_bytes] = scales[row / top * scale_bytes + i % scale_bytes];
    }
}
