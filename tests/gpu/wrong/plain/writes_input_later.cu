/*!autotune
template  writes_input_later           # changes an element of its input from its 30th launch on
grid      ceil_div(n, 256)
block     256
*/
__device__ int calls;

extern "C" __global__ void plain_writes_input_later(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
    if (i == n - 1 && ++calls >= 30)
        ((T *)x)[0] = 0;
}
