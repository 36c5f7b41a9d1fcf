/*!autotune
op        scale                # y = 2 x
shape     batch=1 n
type      T = f16 f32
let       count = batch * n
require   count > 0            # nothing to do
arg       y  T[count] output
arg       x  T[count] input
arg       n  i64
arg       half i32 = count / 2
reference scale_reference
grid      min(ceil_div(count, 256), 65535) 1
block     256
shared    0
check     exact
traffic   2 * count * sizeof(T)
ceiling   copy batch 1 n
*/
/*!autotune
template  t
param     A = 1..4 8 16..64:16  # a range
param     ORDER = fast slow
let       q = A == 3 ? 1 : 12 / A
const     WIDE = count > 100 && \
                 ORDER != ORDER_slow # index
require   A * q <= 12           # too \
          much
kernel    k
grid      ceil_div(count, A) (1 + 1)
block     32 A
default   ORDER=slow A=2
*/
scale_reference k
