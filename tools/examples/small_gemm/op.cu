/*!autotune
op        small_gemm                   # c[i] = a[i] * b[i] for each i of a batch of small matrices, row-major
shape     batch=16384 m n k
type      T = f32 f64

let       most = 2147483647
require   batch > 0 && m > 0 && n > 0 && k > 0 # nothing to multiply
require   m <= 64 && n <= 64 && k <= 64 # larger ones are another kind of product
require   batch * m * n <= most && batch * m * k <= most && batch * k * n <= most # offsets have 32 bits

arg       c      T[batch * m * n]  output
arg       a      T[batch * m * k]  input  uniform -1 1
arg       b      T[batch * k * n]  input  uniform -1 1
arg       batch  i32
arg       m      i32
arg       n      i32
arg       k      i32

reference small_gemm_reference
block     256
grid      ceil_div(batch * m * n, 256)

check     within 1e-5 relative 1e-4 absolute
traffic   batch * (m * n + m * k + k * n) * sizeof(T)
ops       2 * batch * m * n * k
ceiling   none
*/

/*
 * Thousands of sizes, each with a best configuration of its own: a population of problems. Nobody tunes all
 * of them; a model answers for those that were not tuned.
 *
 *     autotune tune --templates tools/examples --shapes sizes.txt --within 3%
 *
 * The tolerance. A sum of 64 products of numbers between -1 and 1 is off by at most 64 * 64 * 6e-8 = 2e-4, and hardly ever
 * by more than a tenth of that; a product that is missing changes a sum by 1/4 on average.
 */

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
#endif

extern "C" __global__ void small_gemm_reference(T *c, const T *a, const T *b, int batch, int m, int n, int k)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (long long)batch * m * n)
        return;
    const int which = (int)(i / (m * n)), row = (int)(i % (m * n)) / n, col = (int)(i % n);
    double sum = 0;
    for (int p = 0; p < k; p++)
        sum += (double)a[((long long)which * m + row) * k + p] * (double)b[((long long)which * k + p) * n + col];
    c[i] = (T)sum;
}
