/*!autotune
op        hgemm                        # c[m][n] = the sum over k of a[m][k] * b[n][k], row-major, summed in f32
shape     m n k
type      T = f16 bf16

let       most = 2147483647
require   m > 0 && n > 0 && k > 0      # nothing to multiply
require   m <= most && n <= most && k <= most && m * n <= most && m * k <= most && k * n <= most # offsets have 32 bits

arg       c      T[m * n]  output
arg       a      T[m * k]  input  uniform -1 1
arg       b      T[n * k]  input  uniform -1 1
arg       m      i32
arg       n      i32
arg       k      i32

reference hgemm_reference
block     256
grid      ceil_div(m * n, 256)

check     within 8e-3 relative 2e-3 absolute
traffic   (m * n + m * k + k * n) * sizeof(T)
ops       2 * m * n * k
ceiling   none

near      narrow m n k <= 64 cost 16   # a small side is another kind of product
*/

/*
 * A matrix product on Hopper's tensor cores: kernels that use what one architecture alone has, and are launched with
 * clusters and tensor maps.
 *
 *     autotune tune --templates tools/examples 'hgemm 4096x4096x4096 bf16'
 *
 * The tolerance. Products of two such numbers are exact in f32, and their sum is some k * 7e-9 off, at worst; then it is
 * rounded to T, by 1 part in 512 (bf16) or 4096 (f16). A neighbour is allowed: 8e-3 of the number, or 2e-3, which is less
 * than a hundredth of one product that is missing.
 */

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
#include <cuda_fp16.h>
using T = __half;
#endif

extern "C" __global__ void hgemm_reference(T *c, const T *a, const T *b, int m, int n, int k)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (long long)m * n)
        return;
    const T *from_a = a + i / n * k, *from_b = b + i % n * k;
    float sum = 0;
    for (int p = 0; p < k; p++)
        sum += (float)from_a[p] * (float)from_b[p];
    c[i] = (T)sum;
}
