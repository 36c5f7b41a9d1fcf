/*!autotune
op        stencil                      # heat in a plate: steps times u[y][x] += rate * (its four neighbours - 4 * u[y][x])
shape     rows cols steps              # the elements of the border keep their values
type      T = f32

let       most  = 2147483647
let       count = rows * cols
require   rows > 0 && cols > 0         # nothing to compute
require   rows <= most && cols <= most && count <= most # offsets have 32 bits
require   steps >= 1 && steps <= 8     # so many are computed in one pass over memory

arg       out    T[count]  output
arg       in     T[count]  input  normal 0 1
arg       rate   f32 = 0.2
arg       rows   i32
arg       cols   i32
arg       steps  i32

reference stencil_reference
block     32 32
grid      ceil_div(rows, 16) * ceil_div(cols, 16)

check     within 1e-5 absolute
traffic   2 * count * sizeof(T)        # one pass, whatever the steps
ops       6 * count * steps
ceiling   copy rows cols               # a pass cannot be faster than that; steps of them each alone would be
*/

/*
 * The heat equation with five points, `steps` time steps in one launch. Step by step each takes a pass over memory and is at
 * best as fast as a copy; a kernel that keeps rows in registers while they go through several steps does those in the time
 * of one pass. So GB/s counts one pass: 100 % of the copy with 4 steps is four times as fast as four perfect kernels of one.
 *
 *     autotune tune --templates tools/examples 'stencil 8192x8192x4 f32'
 *
 * The tolerance. A step adds about 2e-7 to what a value of normal distribution, 6 at most, is off; 8 of them stay below 4e-6.
 * A step too few or too many, a border that moves, a neighbour that is another changes values by some 0.1.
 *
 * `steps` is a dimension, so winners are stored for each number of steps. Templates: `march`, and `step` for one.
 */

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
#endif

/*
 * A block knows 32 x 32 elements and each step of them, in f64. With a step one more element from its sides is wrong, since
 * its neighbours are not known there; the 16 x 16 in the middle stay right for 8 steps. Elements outside of the plate are
 * zero and matter to none: the border does not change.
 */
extern "C" __global__ void stencil_reference(T *out, const T *in, T rate, int rows, int cols, int steps)
{
    constexpr int SIDE = 32, MARGIN = 8, INNER = SIDE - 2 * MARGIN;
    __shared__ double now[SIDE][SIDE];
    const int across = (cols + INNER - 1) / INNER, i = (int)threadIdx.y, j = (int)threadIdx.x;
    const int y = (int)blockIdx.x / across * INNER - MARGIN + i, x = (int)blockIdx.x % across * INNER - MARGIN + j;
    const bool inside = y >= 0 && y < rows && x >= 0 && x < cols;
    const bool inner = y > 0 && y < rows - 1 && x > 0 && x < cols - 1;
    const bool known = i > 0 && i < SIDE - 1 && j > 0 && j < SIDE - 1;

    now[i][j] = inside ? (double)in[(long long)y * cols + x] : 0.0;
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        double next = now[i][j];
        if (inner && known)
            next += (double)rate * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1] - 4 * now[i][j]);
        __syncthreads();
        now[i][j] = next;
        __syncthreads();
    }
    if (inside && i >= MARGIN && i < SIDE - MARGIN && j >= MARGIN && j < SIDE - MARGIN)
        out[(long long)y * cols + x] = (T)now[i][j];
}
