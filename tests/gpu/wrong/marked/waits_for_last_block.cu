/*!autotune
template  waits_for_last_block         # waits for the last block: without an end where not all blocks are resident
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void marked_waits_for_last_block(T *y, const T *x, int n, M *mark)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        if (blockIdx.x == gridDim.x - 1)
            *(volatile M *)mark = (M)y;
        while (*(volatile M *)mark != (M)y)
            ;
    }
}
