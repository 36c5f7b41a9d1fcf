/*!autotune
template  nothing                       # wrong: does nothing
grid      ceil_div(n, 16) ceil_div(m, 16)
block     16 16
*/
extern "C" __global__ void product_nothing(T *C, const T *A, const T *B, int m, int n, int k)
{
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    (void)i, (void)j;
}
