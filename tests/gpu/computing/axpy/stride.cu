/*!autotune
template  stride                       # each thread several elements
param     THREADS = 128 256
param     EACH    = 1 4
grid      ceil_div(n, THREADS * EACH)
block     THREADS
*/
extern "C" __global__ void axpy_stride(T *y, const T *x, float a, long long n)
{
    long long first = (long long)blockIdx.x * THREADS * EACH + threadIdx.x;
    for (long long i = first; i < n && i < first + THREADS * EACH; i += THREADS)
        y[i] = (T)((double)y[i] + (double)a * (double)x[i]);
}
