/*!autotune
op        matmul                       # C = A * B, square, row-major
shape     n
type      T = f32

require   n > 0 && n <= 32768          # indices are 32-bit integers

arg       C  T[n * n]  output
arg       A  T[n * n]  input  uniform 0 1
arg       B  T[n * n]  input  uniform 0 1
arg       n  i32

reference matmul_reference
block     32 8
grid      ceil_div(n, 32) ceil_div(n, 8)

check     within 1e-5 relative 1e-2 absolute
traffic   3 * n * n * sizeof(T)
ops       2 * n * n * n
*/

extern "C" __global__ void matmul_reference(float *C, const float *A, const float *B, int n)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= n || row >= n)
        return;
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (double)A[row * n + k] * B[k * n + col];
    C[row * n + col] = (float)sum;
}
