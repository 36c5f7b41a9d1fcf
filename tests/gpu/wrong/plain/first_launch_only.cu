/*!autotune
template  first_launch_only            # does nothing once a launch has ended
grid      ceil_div(n, 256)
block     256
*/
__device__ int ended;

extern "C" __global__ void plain_first_launch_only(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (ended)
        return;
    if (i < n)
        y[i] = x[i];
    if (i == n - 1) {
        __nanosleep(2000); // by then all blocks have looked
        ended = 1;
    }
}
