/*!autotune
op spmv # y = A x, A in compressed sparse rows
shape rows cols nnz
type T = f32 f64
arg y T[rows] output
arg values T[nnz] input uniform -1 1
arg columns i32[nnz] input columns cols of offsets
arg offsets i32[rows + 1] input offsets nnz skew 2
arg x T[cols] input uniform -1 1
arg rows i32
reference spmv_reference
grid ceil_div(rows, 256)
block 256
check within 1e-4 relative 1e-4 absolute
traffic nnz * (sizeof(T) + 4) + rows * (sizeof(T) + 4) + cols * sizeof(T)
ops 2 * nnz
*/
extern "C" __global__ void spmv_reference(T *y, const T *values, const int *columns, const int *offsets, const T *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = offsets[row]; i < offsets[row + 1]; i++)
        sum += (double)values[i] * (double)x[columns[i]];
    y[row] = (T)sum;
}
