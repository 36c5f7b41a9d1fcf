/*!autotune
template  in_second_launch             # right: its first launch does nothing and its second all, and both are timed
launch    marked_nothing grid 1 block 32 arg mark
launch    marked_all grid ceil_div(n, 256) block 256 arg y x n
*/
extern "C" __global__ void marked_nothing(M *mark)
{
    mark[threadIdx.x % 2] = 1;
}

extern "C" __global__ void marked_all(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
