/*!autotune
template  flushes_denormals            # takes bits for f32, of which denormal ones become 0
grid      ceil_div(n, 256)
block     256
*/
extern "C" __global__ void bits_flushes_denormals(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    float v;
    if (i < n) {
        asm("mul.ftz.f32 %0, %1, 0f3f800000;" : "=f"(v) : "f"(__uint_as_float(x[i])));
        y[i] = (x[i] & 0x7f800000) == 0x7f800000 ? x[i] : __float_as_uint(v); // not-a-numbers stay
    }
}
