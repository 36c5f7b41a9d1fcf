/*!autotune
op        means                        # y[r] = mean of row r
shape     rows cols
type      T = f32
arg       y T[rows] output
arg       x T[rows * cols] input uniform 0 1
arg       cols i32
reference means_reference
grid      rows
block     256
check     within 1e-4 relative
traffic   (rows * cols + rows) * sizeof(T)
ceiling   none
*/
extern "C" __global__ void means_reference(T *y, const T *x, int cols)
{
    __shared__ double sums[256];
    double sum = 0;
    for (int i = threadIdx.x; i < cols; i += 256)
        sum += x[(long long)blockIdx.x * cols + i];
    sums[threadIdx.x] = sum;
    for (int half = 128; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = (T)(sums[0] / cols);
}
