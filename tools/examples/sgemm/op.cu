/*!autotune
op        sgemm                        # c[m][n] = the sum over k of a[m][k] * b[k][n], row-major, in f32 throughout
shape     m n k
type      T = f32

let       most = 2147483647
require   m > 0 && n > 0 && k > 0      # nothing to multiply
require   m <= most && n <= most && k <= most && m * n <= most && m * k <= most && k * n <= most # offsets have 32 bits

arg       c      T[m * n]  output
arg       a      T[m * k]  input  uniform -1 1
arg       b      T[k * n]  input  uniform -1 1
arg       m      i32
arg       n      i32
arg       k      i32

reference sgemm_reference
block     256
grid      ceil_div(m * n, 256)

check     within 1e-5 relative 1e-3 absolute
traffic   (m * n + m * k + k * n) * sizeof(T)
ops       2 * m * n * k
ceiling   none

near      narrow m n k <= 64 cost 16   # a small side is another kind of product
*/

/*
 * A matrix product without tensor cores: what a user's own kernel of this kind looks like to autotune.
 *
 *     autotune tune --templates tools/examples 'sgemm 4096x4096x4096 f32'
 *
 * The tolerance. Of k products of numbers between -1 and 1 the sum is about sqrt(k) / 3; rounding it k times puts it off
 * by some k * 7e-9, at worst six times that: 4e-4 at k = 8192. One product that is missing shows in nearly every element
 * (1/4 on average), and tensor cores, whose factors have 10 bits, are off by sqrt(k) * 6e-5: more than 1e-3 somewhere, from
 * k = 64 on. So 1e-3 lets every honest order of the sum pass, and neither of those. It is absolute because sums that cancel
 * are as far off as large ones.
 *
 * Templates: `registers` is the fast one, a little slower where n is no multiple of 4; `simple` is what it is measured
 * against, and has an answer for the smallest shapes.
 */

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
#endif

/* Sums in f64, where a product of two floats is exact. */
extern "C" __global__ void sgemm_reference(T *c, const T *a, const T *b, int m, int n, int k)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (long long)m * n)
        return;
    const T *from_a = a + i / n * k, *from_b = b + i % n;
    double sum = 0;
    for (int p = 0; p < k; p++)
        sum += (double)from_a[p] * (double)from_b[(long long)p * n];
    c[i] = (T)sum;
}
