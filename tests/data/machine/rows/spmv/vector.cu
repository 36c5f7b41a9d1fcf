/*!autotune
template vector # some threads a row
param LANES = 1 2 4 8 16 32
param BLOCK = 64 128 256
const ROWS = BLOCK / LANES
grid ceil_div(rows, ROWS)
block BLOCK
*/
extern "C" __global__ void spmv_vector(T *y, const T *values, const int *columns, const int *offsets, const T *x, int rows)
{
    int row = blockIdx.x * ROWS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    T sum = 0;
    if (row < rows)
        for (int i = offsets[row] + lane; i < offsets[row + 1]; i += LANES)
            sum += values[i] * x[columns[i]];
    for (int d = LANES / 2; d; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d, LANES);
    if (row < rows && lane == 0)
        y[row] = sum;
}
