/*!autotune
template  plain # so much code that the next message overwrites all of the one that the reference came in
param     BLOCK = 32..256:32
default   BLOCK=128
grid      ceil_div(n, BLOCK)
block     BLOCK
*/
__constant__ float c[256];

extern "C" __global__ void poly_plain(float *y, const float *x, long long n)
{
    const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16 * 256; k++)
        sum = sum * x[i] + c[k % 256];
    y[i] = sum;
}
