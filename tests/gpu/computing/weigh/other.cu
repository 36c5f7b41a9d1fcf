/*!autotune
template  other                        # wrong: the weights the other way round
grid      ceil_div(n, 256)
block     256
*/
namespace weights {
__constant__ float c_w[9];
}

extern "C" __global__ void weigh_other(T *y, const T *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = 0;
    for (int j = 0; i < n && j < 9; j++)
        sum += weights::c_w[8 - j] * x[i + j];
    if (i < n)
        y[i] = sum;
}
