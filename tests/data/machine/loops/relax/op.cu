/*!autotune
op relax # heat: each point becomes the mean of its neighbours and itself, so many times
shape rows cols steps
type T = f32
arg out T[rows * cols] output
arg in T[rows * cols] input uniform -1 1
scratch tmp T[rows * cols]
arg rows i32
arg cols i32
reference relax_reference
repeat steps swap out tmp from in
grid ceil_div(cols, 32) rows
block 32
check within 1e-5 absolute
traffic 2 * rows * cols * sizeof(T)
*/
extern "C" __global__ void relax_reference(T *out, const T *, const T *in, int rows, int cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= cols)
        return;
    double sum = in[(size_t)y * cols + x];
    sum += y > 0 ? in[(size_t)(y - 1) * cols + x] : 0;
    sum += y + 1 < rows ? in[(size_t)(y + 1) * cols + x] : 0;
    sum += x > 0 ? in[(size_t)y * cols + x - 1] : 0;
    sum += x + 1 < cols ? in[(size_t)y * cols + x + 1] : 0;
    out[(size_t)y * cols + x] = (T)(sum / 5);
}
