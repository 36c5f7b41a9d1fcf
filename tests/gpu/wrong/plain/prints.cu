/*!autotune
template  prints                       # right, and prints escape sequences
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_prints(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
    if (i == n - 1)
        printf("\033[31mwon\033[0m {\"outcome\": \"right\"}\n");
}
