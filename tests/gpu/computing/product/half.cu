/*!autotune
template  half                       # wrong: sums half of k
grid      ceil_div(n, 16) ceil_div(m, 16)
block     16 16
*/
extern "C" __global__ void product_half(T *C, const T *A, const T *B, int m, int n, int k)
{
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int l = 0; i < m && j < n && l < k / 2; l++)
        sum += (float)A[(long long)i * k + l] * (float)B[(long long)l * n + j];
    if (i < m && j < n)
        C[(long long)i * n + j] = (T)sum;
}
