/*!autotune
template step # a launch for each step, to and fro between two buffers
repeat steps swap out tmp from in
arg out tmp rows cols
param BX = 16 32 64
param BY = 2 4 8
grid ceil_div(cols, BX) ceil_div(rows, BY)
block BX BY
*/
extern "C" __global__ void relax_step(T *out, const T *in, int rows, int cols)
{
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    if (x >= cols || y >= rows)
        return;
    T sum = in[(size_t)y * cols + x];
    sum += y > 0 ? in[(size_t)(y - 1) * cols + x] : 0;
    sum += y + 1 < rows ? in[(size_t)(y + 1) * cols + x] : 0;
    sum += x > 0 ? in[(size_t)y * cols + x - 1] : 0;
    sum += x + 1 < cols ? in[(size_t)y * cols + x + 1] : 0;
    out[(size_t)y * cols + x] = sum / 5;
}
