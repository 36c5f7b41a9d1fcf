/*!autotune
template  twice                        # wrong: one element twice
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void axpy_twice(T *y, const T *x, float a, long long n)
{
    long long i = blockIdx.x * 256ll + threadIdx.x;
    if (i < n)
        y[i] = (T)((double)y[i] + (double)a * (double)x[i]);
    if (i == n / 2)
        y[i] = (T)((double)y[i] + (double)a * (double)x[i]);
}
