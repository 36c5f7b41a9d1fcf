/*!autotune
op        transpose                    # out[b][c][r] = in[b][r][c], row-major, bit for bit
shape     batch=1 rows cols            # leading dimensions with a default may be left out
type      T = storage

let       count = batch * rows * cols
require   count > 0                    # a shape needs at least one element

arg       out    T[count]  output
arg       in     T[count]  input
arg       batch  i64
arg       rows   i64
arg       cols   i64

reference transpose_reference
block     256
grid      min(ceil_div(count, 256), 1048576)

check     exact
traffic   2 * count * sizeof(T)
ceiling   copy batch rows cols
near turned rows cols cost 10
near narrow rows cols <= 32 cost 24
near aligned cols cost 8
default op
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#endif

/* What the answer is: slow, and too simple to be wrong. */
extern "C" __global__ void transpose_reference(T *out, const T *in, long long batch, long long rows, long long cols)
{
    const long long matrix = rows * cols;
    const long long count  = batch * matrix;
    const long long stride = (long long)gridDim.x * blockDim.x;

    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        const long long b = i / matrix, r = i % matrix / cols, c = i % cols;
        out[b * matrix + c * rows + r] = in[i];
    }
}
