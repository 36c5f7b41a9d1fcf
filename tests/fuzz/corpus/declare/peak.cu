/*!autotune
op        peak
shape     n
type      T = f32
arg       y T[n] output
arg       x T[n] input normal 0 1
reference peak_reference
grid      1
block     32
ops       2 * n
ceiling   gflops device.sms * (n > 4 ? 507 : 1)
traffic   n
*/
void peak_reference() {}
