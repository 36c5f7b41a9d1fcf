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
metric rate = ops / seconds  # a second
metric both = rate > 1 && registers < 64 ? rate / 2 : -spilled_bytes
objective both max
*/ extern "C" __global__ void r(T *y) {}
