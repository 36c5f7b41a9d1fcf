/*!autotune
op        rope                         # q and k turned by the angles of their positions, each pair of elements of a head
shape     style=neox|interleaved positions=8192 tokens q_heads k_heads head
type      T = bf16 f16

let       q_count = tokens * q_heads * head
let       k_count = tokens * k_heads * head
let       moved   = 2 * (q_count + k_count) * sizeof(T) + min(tokens, positions) * head * 4 + 4 * tokens
require   q_count + k_count > 0        # a shape needs at least one element
require   head % 2 == 0                # elements are turned in pairs
require   positions < 2147483648       # they are 32-bit numbers

arg       q        T[q_count] output
arg       k        T[k_count] output
arg       q_in     T[q_count] input normal 0 1
arg       k_in     T[k_count] input normal 0 1
arg       table    f32[positions * head] input uniform -1 1 # of a position, cosines and then sines of head / 2 angles
arg       position i32[tokens] input index positions
arg       style    i64
arg       tokens   i64
arg       q_heads  i64
arg       k_heads  i64
arg       head     i64

reference rope_reference
block     256
grid      min(ceil_div((q_count + k_count) / 2, 256), 1048576)

check     exact                        # each product and sum is rounded to f32 as the reference writes them
traffic   moved
ops       3 * (q_count + k_count)
ceiling   copy ceil_div(moved, 2 * sizeof(T))

near      narrow  tokens <= 256 cost 16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#endif

/*
 * What the answer is: slow, and too simple to be wrong. Of a pair (a, b) and an angle
 *
 *     a' = a cos - b sin        b' = b cos + a sin
 *
 * `neox`: pair i of a head is its elements i and i + head / 2; `interleaved`: 2 i and 2 i + 1. The second product of each is fused
 * with the subtraction or addition.
 */
extern "C" __global__ void rope_reference(T *q, T *k, const T *q_in, const T *k_in, const float *table, const int *position,
    long long style, long long tokens, long long q_heads, long long k_heads, long long head)
{
    const long long pairs = head / 2, heads = q_heads + k_heads;

    for (long long n = (long long)blockIdx.x * blockDim.x + threadIdx.x; n < tokens * heads * pairs; n += (long long)gridDim.x * blockDim.x) {
        const long long pair = n % pairs, h = n / pairs % heads, token = n / pairs / heads;
        const bool      of_q = h < q_heads;
        const long long begin = of_q ? (token * q_heads + h) * head : (token * k_heads + h - q_heads) * head;
        const long long first = begin + (style == 1 ? pair : 2 * pair), second = first + (style == 1 ? pairs : 1);
        const float a = (float)(of_q ? q_in : k_in)[first], b = (float)(of_q ? q_in : k_in)[second];
        const float c = table[position[token] * head + pair], s = table[position[token] * head + pairs + pair];
        (of_q ? q : k)[first] = (T)fmaf(-b, s, __fmul_rn(a, c));
        (of_q ? q : k)[second] = (T)fmaf(a, s, __fmul_rn(b, c));
    }
}
