/*!autotune
op        vector_add                   # c[i] = a[i] + b[i]
shape     n
type      T = f32

require   n > 0 && n < 1073741824      # indices are 32-bit integers

arg       c  T[n]  output
arg       a  T[n]  input  uniform 0 1
arg       b  T[n]  input  uniform 0 1
arg       n  i32

reference vector_add_reference
block     256
grid      ceil_div(n, 256)

check     within 1e-5 relative 1e-6 absolute
traffic   3 * n * sizeof(T)
ops       n
*/

extern "C" __global__ void vector_add_reference(float *c, const float *a, const float *b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
