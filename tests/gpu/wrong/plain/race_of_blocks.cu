/*!autotune
template  race_of_blocks               # block 0 writes a wrong value to an element of block 1: which one stays is chance
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_race_of_blocks(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
    if (i == 0 && n > 300)
        y[300] = 0;
}
