/*!autotune
template  honest                       # the kernel that must win
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void marked_honest(T *y, const T *x, int n, M *mark)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
