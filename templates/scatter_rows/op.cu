/*!autotune
op        scatter_rows                 # out[index[i]] = in[i], rows of bytes; no index occurs twice
shape     rows row_bytes               # rows of `in`, and bytes of each; `out` has at least as many
type      T = i64 i32                  # of the indices

let       moved = 2 * rows * row_bytes + rows * sizeof(T)
require   rows > 0 && row_bytes > 0    # nothing to move

arg       out       u8[rows * row_bytes] output
arg       in        u8[rows * row_bytes] input
arg       index     T[rows] input permutation
arg       rows      i64
arg       row_bytes i64

reference scatter_rows_reference
block     256
grid      min(ceil_div(rows * row_bytes, 256), 1048576)

check     exact
traffic   moved
ceiling   copy ceil_div(moved, 2 * sizeof(T))

near      narrow  row_bytes <= 256 cost 16
near      aligned row_bytes cost 8
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = long long;
#endif

/* What the answer is: slow, and too simple to be wrong. */
extern "C" __global__ void scatter_rows_reference(unsigned char *out, const unsigned char *in, const T *index, long long rows,
    long long row_bytes)
{
    const long long stride = (long long)gridDim.x * blockDim.x;

    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < rows * row_bytes; i += stride)
        out[index[i / row_bytes] * row_bytes + i % row_bytes] = in[i];
}
