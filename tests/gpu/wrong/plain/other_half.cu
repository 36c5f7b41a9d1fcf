/*!autotune
template  other_half                   # writes one half of its output in one launch, and the other half in the next
grid      ceil_div(n, 256)
block     256
*/
__device__ int calls;

extern "C" __global__ void plain_other_half(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int turn = calls;
    if (i < n && (turn == 0 || i % 512 / 256 == turn % 2))
        y[i] = x[i];
    if (i == n - 1)
        calls = turn + 1;
}
