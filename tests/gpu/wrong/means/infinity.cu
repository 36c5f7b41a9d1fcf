/*!autotune
template  infinity                     # infinity
grid      rows
block     256
*/
extern "C" __global__ void means_infinity(T *y, const T *x, int cols)
{
    if (threadIdx.x == 0)
        y[blockIdx.x] = __int_as_float(0x7f800000);
}
