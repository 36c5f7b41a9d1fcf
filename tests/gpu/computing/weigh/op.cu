/*!autotune
op        weigh                        # y[i] = sum over j < 9 of w[j] * x[i + j]
shape     n
type      T = f32

arg       y  T[n]      output
arg       x  T[n + 8]  input normal 0 1
arg       w  f32[9]    input uniform 0 1 into weights::c_w
arg       n  i32

reference weigh_reference
block     256
grid      ceil_div(n, 256)

check     within 1e-5 relative 1e-5 absolute
traffic   (2 * n + 8) * sizeof(T)
ops       18 * n
metric    flops_per_byte = ops / traffic
ceiling   gflops device.sms * 128 * 2  # at 1 GHz
*/
extern "C" __global__ void weigh_reference(T *y, const T *x, const float *w, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    double sum = 0;
    for (int j = 0; i < n && j < 9; j++)
        sum += (double)w[j] * x[i + j];
    if (i < n)
        y[i] = (T)sum;
}
