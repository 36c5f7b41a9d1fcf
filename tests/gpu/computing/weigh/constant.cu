/*!autotune
template  constant                     # weights in constant memory
param     THREADS = 128 256
grid      ceil_div(n, THREADS)
block     THREADS
*/
namespace weights {
__constant__ float c_w[9];
}

extern "C" __global__ void weigh_constant(T *y, const T *x, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;
    for (int j = 0; i < n && j < 9; j++)
        sum += weights::c_w[j] * x[i + j];
    if (i < n)
        y[i] = sum;
}
