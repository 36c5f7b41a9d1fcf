/*!autotune
template  race                   # a barrier is missing: what a thread reads is there sometimes
grid      ceil_div(count, 1024)
block     1024
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void copy_race(T *out, const T *in, long long batch, long long rows, long long cols)
{
    __shared__ T turned[1024];
    const long long count = batch * rows * cols;
    const long long first = (long long)blockIdx.x * 1024;
    const int       last  = count - first < 1024 ? (int)(count - first) - 1 : 1023;
    const int       t     = (int)threadIdx.x;

    if (t <= last)
        turned[last - t] = in[first + t];
    if (t <= last)
        out[first + last - t] = turned[t];
}
