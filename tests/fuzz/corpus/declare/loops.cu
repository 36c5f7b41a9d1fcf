/*!autotune
op relax
shape rows steps
type T = f32
arg out T[rows] output
arg in T[rows] input sorted uniform -1 1
scratch tmp T[rows]
arg row_ptr i32[rows + 1] input offsets 8 * rows skew 2.5
arg columns i32[8 * rows] input columns rows of row_ptr
arg ids i32[8 * rows] input segments of row_ptr
arg lengths i64[rows] input prefix 1 9
reference relax_reference
repeat k = 1..steps swap out tmp from in
grid k
block 32
traffic rows
*/
__global__ void relax_reference() {}
/*!autotune
template step
param N = 32 64
repeat stage = 1..log2(N)
repeat pass = stage - 1..0 down swap out tmp from in
launch relax_step grid 1 << pass block N arg out tmp
end
repeat rows % 2
launch relax_step grid stage block N arg out tmp
end
end
*/
__global__ void relax_step() {}
