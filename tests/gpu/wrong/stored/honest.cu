/*!autotune
template  honest                       # the kernel that must win
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void stored_honest(T *y, const T *x, int n, T *s)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    T v = x[i];
    for (int k = 0; k < 2000; k++)
        v = 3.7f * v * (1 - v);
    y[i] = v;
}
