/*!autotune
op mini
shape n
type A = f64
type T = f32 f16
let wide = sizeof(A)
arg y T[n] output zero
arg z A[n] inout constant 2.5
arg a T[n] input uniform -1e-1 .5
arg b i32[n] input range 0 n - 1
arg c u8[n] input index 7
arg d T[n] input normal 0 1
arg e i64[n] input permutation
arg f T[n] input bits
arg g i16[n] input
arg n i64
arg eps A = -1.5e-5
arg h f16 = 2
check within 1e-3 relative 2 absolute
check z within 3 ulp
reference r
grid 1
block 1
traffic n
*/ r
/*!autotune
template t
param N = 1 2
fixed N == 1
grid n
block 1
*/ mini_t
