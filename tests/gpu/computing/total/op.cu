/*!autotune
op        total                        # y[0] = sum of x
shape     n
type      T = f32
type      A = f64

arg       y        T[1]    output
arg       x        T[n]    input uniform 0 1
scratch   partial  A[4096]
arg       n        i64

reference total_reference
block     1024
grid      1

check     within 1e-5 relative
traffic   n * sizeof(T)
ops       n
ceiling   none
*/
extern "C" __global__ void total_reference(T *y, const T *x, A *partial, long long n)
{
    __shared__ A sums[1024];
    A sum = 0;
    for (long long i = threadIdx.x; i < n; i += 1024)
        sum += x[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 512; half; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[0] = (T)sums[0];
}
