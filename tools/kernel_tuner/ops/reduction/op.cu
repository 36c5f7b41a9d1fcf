/*!autotune
op        reduction                    # the sum of n floats
shape     n
type      T = f32

require   n > 0 && n < 1073741824      # indices are 32-bit integers

arg       sum    T[1]  output zero
arg       array  T[n]  input  uniform 0 1
arg       n      i32

reference reduction_reference
block     1024
grid      256

check     within 1e-5 relative 1000 absolute # of 10^8 numbers; one float ulp of their sum is 4
traffic   n * sizeof(T)
ops       n
*/

extern "C" __global__ void reduction_reference(float *sum, const float *array, int n)
{
    __shared__ double joined[1024];
    double own = 0;
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += 256 * 1024)
        own += array[i];
    joined[threadIdx.x] = own;
    for (int step = 512; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step)
            joined[threadIdx.x] += joined[threadIdx.x + step];
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, (float)joined[0]);
}
