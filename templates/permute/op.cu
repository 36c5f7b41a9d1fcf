/*!autotune
op        permute                      # out = in with its dimensions in another order, bit for bit
shape     n0=1 n1=1 n2=1 n3=1 n4=1 n5=1 n6=1 n7 # in the output's order; canonical: no extents of 1 but in front, none that could be fused
strides   in  i0 i1 i2 i3 i4 i5 i6 i7  \
          out o0 o1 o2 o3 o4 o5 o6 o7  # elements from one to the next of each dimension; what lies between in `out` is left as it is
type      T = storage
each      j k = 0..7                   # dimensions

let       count = product(k: n[k])
let       reach_in  = 1 + sum(k: (n[k] - 1) * i[k])
let       reach_out = 1 + sum(k: (n[k] - 1) * o[k])
require   count > 0                    # a shape needs at least one element

# Elements of the dimensions that are faster in the input than each: where the input is dense, its stride.
let       f[j] = product(k: i[k] < i[j] ? n[k] : 1)

arg       out    T[reach_out] output
arg       in     T[reach_in] input

align     align_in  = in               # bytes that the address of `in` is a multiple of
align     align_out = out              # and that of `out`; the ceiling is a copy of aligned buffers all the same

reference permute_reference
block     256
grid      min(ceil_div(count, 256), 1048576)

check     exact
traffic   2 * count * sizeof(T)
ceiling   copy count

# What has one dimension is a copy, what has two is a transpose, and so is a batch of such:
same      copy n7 when n6 == 1 && i7 == 1 && o7 == 1 && min(align_in, align_out) == 256
same      transpose n5 n7 n6 pitch i7 o6 when n4 == 1 && n6 > 1 && i6 == 1 && o7 == 1 && i7 >= n6 && o6 >= n7 \
          && (n5 == 1 || (i5 == n7 * i7 && o5 == n6 * o6))
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr long long n0 = 1, n1 = 1, n2 = 1, n3 = 1, n4 = 1, n5 = 15, n6 = 48, n7 = 75;
constexpr long long i0 = 0, i1 = 0, i2 = 0, i3 = 0, i4 = 0, i5 = 48, i6 = 1, i7 = 720;
constexpr long long o0 = 0, o1 = 0, o2 = 0, o3 = 0, o4 = 0, o5 = 3600, o6 = 75, o7 = 1;
#endif

/* What the answer is: slow, and too simple to be wrong. Extents and strides are constants. */
extern "C" __global__ void permute_reference(T *out, const T *in)
{
    const long long extent[8] = { n0, n1, n2, n3, n4, n5, n6, n7 };
    const long long step_in[8] = { i0, i1, i2, i3, i4, i5, i6, i7 }, step_out[8] = { o0, o1, o2, o3, o4, o5, o6, o7 };
    const long long count = n0 * n1 * n2 * n3 * n4 * n5 * n6 * n7, stride = (long long)gridDim.x * blockDim.x;

    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        long long rest = i, from = 0, to = 0;
        for (int d = 7; d >= 0; d--) {
            from += rest % extent[d] * step_in[d];
            to += rest % extent[d] * step_out[d];
            rest /= extent[d];
        }
        out[to] = in[from];
    }
}
