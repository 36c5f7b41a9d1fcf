/*!autotune
op        product                      # C[i][j] = sum over l of A[i][l] * B[l][j], row-major
shape     m n k
type      T = f32 f16

arg       C  T[m * n]  output
arg       A  T[m * k]  input uniform -1 1
arg       B  T[k * n]  input normal 0 1
arg       m  i32
arg       n  i32
arg       k  i32

reference product_reference
block     16 16
grid      ceil_div(n, 16) ceil_div(m, 16)

check     within 1e-2 relative 1e-2 absolute
traffic   (m * n + m * k + k * n) * sizeof(T)
ops       2 * m * n * k
ceiling   none
*/
extern "C" __global__ void product_reference(T *C, const T *A, const T *B, int m, int n, int k)
{
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    double sum = 0;
    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; l++)
        sum += (double)(float)A[(long long)i * k + l] * (double)(float)B[(long long)l * n + j];
    C[(long long)i * n + j] = (T)(float)sum;
}
