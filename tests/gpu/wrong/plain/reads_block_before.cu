/*!autotune
template  reads_block_before           # takes for granted that the block before it has ended
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_reads_block_before(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
    if (i < n && i >= 256 && *(volatile T *)&y[i - 256] != x[i - 256])
        y[i] = 0;
}
