/*!autotune
op        moe_unpermute                # out[t] = sum over k of weight[t][k] * in[place[t][k]], rows of experts back to their tokens
shape     tokens top hidden            # each token had `top` experts
type      T = bf16 f16

let       count   = tokens * hidden
let       moved   = (top + 1) * count * sizeof(T) + 8 * tokens * top
require   count > 0 && top > 0         # a shape needs at least one element
require   top <= 64                    # experts of a token
require   tokens * top < 2147483648    # rows are numbered in 32 bits

arg       out     T[count] output
arg       in      T[top * count] input normal 0 1
arg       place   i32[tokens * top] input permutation
arg       weight  f32[tokens * top] input uniform 0 1
arg       tokens  i64
arg       top     i64
arg       hidden  i64

reference moe_unpermute_reference
block     256
grid      min(ceil_div(count, 256), 1048576)

check     exact                        # added in f32 in the order of k, each by one fused multiplication and addition
traffic   moved
ops       2 * top * count
ceiling   copy ceil_div(moved, 2 * sizeof(T))

near      narrow  tokens <= 256 cost 16
near      aligned hidden cost 8
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#endif

/* What the answer is: slow, and too simple to be wrong. */
extern "C" __global__ void moe_unpermute_reference(T *out, const T *in, const int *place, const float *weight, long long tokens,
    long long top, long long hidden)
{
    const long long stride = (long long)gridDim.x * blockDim.x;

    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < tokens * hidden; i += stride) {
        const long long token = i / hidden, column = i % hidden;
        float sum = 0;
        for (long long k = token * top; k < (token + 1) * top; k++)
            sum = fmaf(weight[k], (float)in[place[k] * hidden + column], sum);
        out[i] = (T)sum;
    }
}
