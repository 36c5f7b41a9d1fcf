/*!autotune
op        doubled                      # out[i] = 2 in[i]; its template moves both by the copy engine
shape     n
type      T = f32
require   n > 0 && n % 4 == 0

arg       out   T[n]  output
arg       in    T[n]  input  uniform 0 1
arg       n     i32

reference doubled_reference
block     256
grid      ceil_div(n, 256)
check     exact
traffic   2 * n * sizeof(T)
*/
#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void doubled_reference(T *out, const T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}
