/*!autotune
op        scale
shape     rows cols
pitch     ld = cols
type      T = f32
arg       y  T[rows * ld]  output
arg       x  T[cols]       input
arg       ld i64
align     align_y = y
align     align_x = x
reference scale_reference
grid      rows
block     32
check     exact
traffic   rows * cols * sizeof(T)
*/
/*!autotune
template  wide
param     VEC = 1 2 4
require   VEC * sizeof(T) <= align_y   # and nothing of align_x
grid      rows
block     32
*/
extern "C" __global__ void scale_reference(float *y, const float *x, long long ld);
extern "C" __global__ void scale_wide(float *y, const float *x, long long ld);
