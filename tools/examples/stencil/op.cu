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
block     128
grid      ceil_div(count, 128)

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
 *     autotune tune --templates tools/examples/stencil 'stencil 8192x8192x4 f32'
 *
 * The tolerance. A step adds about 2e-7 to what a value of normal distribution, 6 at most, is off; 8 of them stay below 4e-6.
 * A step too few or too many, a border that moves, a neighbour that is another changes values by some 0.1.
 *
 * `steps` is a dimension, so winners are stored for each number of steps. Templates: `march`.
 */

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
#endif

/*
 * Each element by itself: the square of those that it depends on, made smaller step by step, in f64. What lies outside of the
 * plate is never read, since the border does not change.
 */
extern "C" __global__ void stencil_reference(T *out, const T *in, T rate, int rows, int cols, int steps)
{
    constexpr int MOST = 8, SIDE = 2 * MOST + 1;
    double now[SIDE][SIDE], next[SIDE][SIDE];
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= (long long)rows * cols)
        return;
    const int top = (int)(at / cols) - steps, left = (int)(at % cols) - steps, side = 2 * steps + 1;

    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            const bool inside = top + i >= 0 && top + i < rows && left + j >= 0 && left + j < cols;
            now[i][j] = inside ? (double)in[(long long)(top + i) * cols + left + j] : 0.0;
        }
    for (int step = 1; step <= steps; step++) {
        for (int i = step; i < side - step; i++)
            for (int j = step; j < side - step; j++) {
                const int y = top + i, x = left + j;
                const bool inner = y > 0 && y < rows - 1 && x > 0 && x < cols - 1;
                const double around = now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1];
                next[i][j] = inner ? now[i][j] + (double)rate * (around - 4 * now[i][j]) : now[i][j];
            }
        for (int i = step; i < side - step; i++)
            for (int j = step; j < side - step; j++)
                now[i][j] = next[i][j];
    }
    out[at] = (T)now[steps][steps];
}
