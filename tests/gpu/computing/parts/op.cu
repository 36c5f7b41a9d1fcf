/*!autotune
op        parts                        # 64 numbers whose sum is that of x, in any division
shape     n
type      T = i32

arg       y  T[64]  output
arg       x  T[n]   input range -9 9
arg       n  i32

reference parts_reference
block     64
grid      1

check     by same_sum
traffic   n * sizeof(T)
ceiling   none
*/
extern "C" __global__ void parts_reference(T *y, const T *x, int n)
{
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 64)
        sum += x[i];
    y[threadIdx.x] = sum;
}

extern "C" __global__ void same_sum(const T *y, const T *x, int n, const T *right, unsigned long long *wrong)
{
    int off = 0;
    for (int i = 0; i < 64; i++)
        off += y[i] - right[i];
    if (threadIdx.x == 0 && off != 0)
        atomicAdd(&wrong[0], 1ull);
}
