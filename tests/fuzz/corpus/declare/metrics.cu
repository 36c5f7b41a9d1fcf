/*!autotune
op x
shape n
type T = f32
arg y T[n] output
reference r
grid 1
block 1
traffic 4 * n
ops 2 * n
metric rate = ops / median_s  # a second
metric both = rate > 1 && registers < 64 ? rate / 2 : -spill_bytes
objective both max
*/ extern "C" __global__ void r(T *y) {}
