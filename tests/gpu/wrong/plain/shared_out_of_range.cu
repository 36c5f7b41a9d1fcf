/*!autotune
template  shared_out_of_range          # takes shared memory beyond its own for zeroes
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_shared_out_of_range(T *y, const T *x, int n)
{
    __shared__ volatile T own[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    own[threadIdx.x] = i < n ? x[i] : 0;
    const volatile T *beyond = own + 256 + n % 2; // the compiler must not know how far
    if (i < n)
        y[i] = own[threadIdx.x] + beyond[threadIdx.x * 16];
}
