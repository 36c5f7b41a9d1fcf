/*!autotune
op        convolution                  # out[y][x] = the sum over i, j < 17 of in[y + i][x + j] * filter[i][j]
shape     rows cols                    # of the output; the input has 16 more of both
type      T = f32

let       most = 2147483647
let       high = rows + 16
let       wide = cols + 16
require   rows > 0 && cols > 0         # nothing to compute
require   rows <= most && cols <= most && high * wide <= most # offsets have 32 bits

arg       out    T[rows * cols]  output
arg       in     T[high * wide]  input  uniform -1 1
arg       filter T[17 * 17]      input  uniform -1 1
arg       rows   i32
arg       cols   i32

reference convolution_reference
block     256
grid      ceil_div(rows * cols, 256)

check     within 1e-5 relative 5e-5 absolute
traffic   (rows * cols + high * wide + 17 * 17) * sizeof(T)
ops       2 * 17 * 17 * rows * cols
ceiling   none
*/

/*
 * A convolution with a filter of 17 x 17, the first example of many tuners: 289 products for each 8 bytes that move, so what
 * counts is how many of the instructions are multiplications.
 *
 *     autotune tune --templates tools/examples 'convolution 4096x4096 f32'
 *
 * The tolerance. 289 products of numbers between -1 and 1 add up to about 6, and every order of adding them is at most 2e-5
 * off. A product that is missing, or taken from the neighbour, shows as 1/4 on average; factors of 10 bits as 1e-3.
 *
 * Templates: `registers` is the fast one; `simple` is what it is measured against.
 */

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
#endif

extern "C" __global__ void convolution_reference(T *out, const T *in, const T *filter, int rows, int cols)
{
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= (long long)rows * cols)
        return;
    const long long y = at / cols, x = at % cols;
    double sum = 0;
    for (int i = 0; i < 17; i++)
        for (int j = 0; j < 17; j++)
            sum += (double)in[(y + i) * (cols + 16) + x + j] * (double)filter[i * 17 + j];
    out[at] = (T)sum;
}
