/*!autotune
op        bins                         # how often each number of 0 to 255 is among x
shape     n
type      T = i32

arg       y  T[256]  output zero
arg       x  T[n]    input range 0 255
arg       n  i64

reference bins_reference
block     256
grid      min(ceil_div(n, 256), 1024)

check     exact
traffic   n * sizeof(T)
ceiling   none
*/
extern "C" __global__ void bins_reference(T *y, const T *x, long long n)
{
    for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll)
        atomicAdd(&y[x[i]], 1);
}
