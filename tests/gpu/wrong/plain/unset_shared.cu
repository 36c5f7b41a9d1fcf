/*!autotune
template  unset_shared                 # takes shared memory that nobody has written for zeroes
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_unset_shared(T *y, const T *x, int n)
{
    __shared__ volatile T sum[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        sum[threadIdx.x] += x[i];
    if (i < n)
        y[i] = sum[threadIdx.x];
}
