/*!autotune
template  honest                       # the kernel that must win
grid      ceil_div(n, 256)
block     256
*/
#define STEPS(v) for (int k = 0; k < 2000; k++) v = 3.7f * v * (1 - v)

extern "C" __global__ void costly_honest(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    T v = x[i];
    STEPS(v);
    y[i] = v;
}
