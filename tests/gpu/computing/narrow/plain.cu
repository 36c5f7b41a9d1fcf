/*!autotune
template  plain
param     THREADS = 64 256 1024
grid      ceil_div(n, THREADS)
block     THREADS
*/
extern "C" __global__ void narrow_plain(H *y, const T *x, const int *p, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        y[p[i]] = (H)x[i];
}
