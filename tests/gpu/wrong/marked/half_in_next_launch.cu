/*!autotune
template  half_in_next_launch          # its second launch writes the other half of the output before, by an address in a variable
launch    marked_one_half grid ceil_div(n, 256) block 256 arg y x n
launch    marked_half_of_before grid ceil_div(n, 256) block 256 arg y x n
*/
__device__ T *y_before;
__device__ const T *x_before;

extern "C" __global__ void marked_one_half(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n / 2)
        y[i] = x[i];
}

extern "C" __global__ void marked_half_of_before(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n / 2 && i < n && y_before)
        y_before[i] = x_before[i];
    if (i == 0) {
        y_before = y;
        x_before = x;
    }
}
