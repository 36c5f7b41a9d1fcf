/*!autotune
template  flushes_denormals            # denormal numbers become 0: of inputs from -1 to 1 there are none
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void plain_flushes_denormals(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    T v;
    if (i < n) {
        asm("mul.ftz.f32 %0, %1, 0f3f800000;" : "=f"(v) : "f"(x[i]));
        y[i] = v;
    }
}
