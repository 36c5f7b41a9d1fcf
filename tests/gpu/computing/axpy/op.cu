/*!autotune
op        axpy                         # y += a * x
shape     n
type      T = f64 f32 bf16

arg       y  T[n]  inout uniform -1 1
arg       x  T[n]  input normal 0 1
arg       a  f32 = -2.5
arg       n  i64

reference axpy_reference
block     256
grid      ceil_div(n, 256)

check     within 1 ulp
traffic   3 * n * sizeof(T)
ceiling   copy n
*/
extern "C" __global__ void axpy_reference(T *y, const T *x, float a, long long n)
{
    long long i = blockIdx.x * 256ll + threadIdx.x;
    if (i < n)
        y[i] = (T)((double)y[i] + (double)a * (double)x[i]);
}
