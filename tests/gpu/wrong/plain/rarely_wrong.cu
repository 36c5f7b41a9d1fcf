/*!autotune
template  rarely_wrong                 # one element is wrong in one launch of 16, by the global timer
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_rarely_wrong(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    unsigned long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    if (i < n)
        y[i] = i == 0 && t / 1024 % 16 == 0 ? 2 : x[i];
}
