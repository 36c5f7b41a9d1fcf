/*!autotune
op        poly # a polynomial whose coefficients are in constant memory
shape     n
type      T = f32
arg       y T[n] output
arg       x T[n] input uniform -1 1
arg       c T[256] input uniform -1 1 into c
arg       n i64
reference template plain
check     within 1e-4 relative 1e-4 absolute
traffic   2 * n * sizeof(T)
*/
