/*!autotune
op        boxes                        # out = in, a matrix
shape     rows cols
type      T = f32

require   rows > 0 && cols > 0         # nothing to copy
require   rows <= 2147483647 && cols <= 2147483647

arg       out    T[rows * cols]  output
arg       in     T[rows * cols]  input  bits
arg       count  i64 = rows * cols

reference boxes_reference
block     256
grid      min(ceil_div(rows * cols, 256), 1048576)

check     exact
traffic   2 * rows * cols * sizeof(T)
ceiling   copy rows cols
*/

/*
 * A copy by the copy engine: the smallest kernel that takes tensor maps.
 *
 *     autotune tune --templates tools/examples 'boxes 8192x8192 f32'
 */

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
#endif

extern "C" __global__ void boxes_reference(T *out, const T *in, long long count)
{
    for (long long i = (long long)blockIdx.x * 256 + threadIdx.x; i < count; i += (long long)gridDim.x * 256)
        out[i] = in[i];
}
