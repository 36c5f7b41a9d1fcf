/*!autotune
template  short                        # wrong: without the last number
grid      1
block     64
kernel    parts_short
*/
extern "C" __global__ void parts_short(T *y, const T *x, int n)
{
    int sum = 0;
    for (int i = threadIdx.x; i < n - 1; i += 64)
        sum += x[i];
    if (threadIdx.x == 0 && x[n - 1] == 0)
        sum++;
    y[threadIdx.x] = sum;
}
