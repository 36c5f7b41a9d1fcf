/*!autotune
template  runs                         # each thread a run of neighbours: other numbers, the same sum
param     AHEAD = 1 4
grid      1
block     64
*/
extern "C" __global__ void parts_runs(T *y, const T *x, int n)
{
    int each = (n + 63) / 64, first = threadIdx.x * each, sum = 0;
#pragma unroll AHEAD
    for (int i = first; i < first + each; i++)
        sum += i < n ? x[i] : 0;
    y[threadIdx.x] = sum;
}
