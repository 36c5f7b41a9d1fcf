/*!autotune
template  stores_what_differs          # stores only the elements that differ from what is there
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_stores_what_differs(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n && y[i] != x[i])
        y[i] = x[i];
}
