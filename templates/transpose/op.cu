/*!autotune
op        transpose                    # out[b][c][r] = in[b][r][c], row-major, bit for bit
shape     batch=1 rows cols            # leading dimensions with a default may be left out
pitch     ld_in = cols                 # elements from one row of `in` to the next
pitch     ld_out = rows                # and of `out`; what lies between its rows is left as it is
type      T = storage

let       count = batch * rows * cols
require   count > 0                    # a shape needs at least one element

arg       out    T[batch * cols * ld_out]  output
arg       in     T[batch * rows * ld_in]   input
arg       batch  i64
arg       rows   i64
arg       cols   i64
arg       ld_in  i64
arg       ld_out i64

align     align_in  = in               # bytes that the address of `in` is a multiple of
align     align_out = out              # and that of `out`; the ceiling is a copy of aligned buffers all the same

reference transpose_reference
block     256
grid      min(ceil_div(count, 256), 1048576)

check     exact
traffic   2 * count * sizeof(T)
ceiling   copy batch rows cols

default   op                           # 4096x4096 alone is a transpose

# What makes winners near to a problem that was not tuned, measured by tools/near_loss:
near      turned  rows cols cost 10        # rows for columns: the same templates, with other sides
near      narrow  rows cols <= 32 cost 24  # narrow sides have templates of their own: the wrong one takes 2 to 12 times as long
near      aligned rows cols cost 8         # rows of another alignment want other accesses: up to twice the time
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#endif

/* What the answer is: slow, and too simple to be wrong. */
extern "C" __global__ void transpose_reference(T *out, const T *in, long long batch, long long rows, long long cols,
                                              long long ld_in, long long ld_out)
{
    const long long matrix = rows * cols;
    const long long count  = batch * matrix;
    const long long stride = (long long)gridDim.x * blockDim.x;

    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        const long long b = i / matrix, r = i % matrix / cols, c = i % cols;
        out[(b * cols + c) * ld_out + r] = in[(b * rows + r) * ld_in + c];
    }
}
