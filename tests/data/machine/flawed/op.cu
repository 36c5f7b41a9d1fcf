/*!autotune
op        flawed                       # out[i] = in[255 - i] within each 256 elements; templates with one flaw each
shape     n
type      T = f32
require   n > 0 && n % 256 == 0

arg       out   T[n]  output
arg       in    T[n]  input  uniform 0 1
arg       n     i32

reference flawed_reference
block     256
grid      n / 256
check     exact
traffic   2 * n * sizeof(T)
*/
#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void flawed_reference(T *out, const T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i ^ 255];
}
