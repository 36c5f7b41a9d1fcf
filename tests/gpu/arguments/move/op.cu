/*!autotune
op        move # one step of bodies: arrays of structs, and a struct by value
use       bodies
shape     n
type      T = f32
struct    Vec = f32 x uniform -1 1, f32 y uniform -1 1
struct    Body = Vec pos, bool alive, f64 mass uniform 0.5 1, i16 id[3] range 0 99, u8 tag, \
                 f32 v[4] align 16 uniform 2 3
arg       out Body[n] output
arg       in Body[n] input
struct    Step = i32 n, f32 dt = 0.25, f32 m[4] = { 1, 2, 3, 1 / n }, f32 w[2] uniform 5 6, Body *out, const Body *in
arg       step Step
let       words = sizeof(Body) / 4
arg       words i32
reference move_reference
grid      ceil_div(n, 256)
block     256
check     within 1e-6 relative
traffic   2 * n * sizeof(Body)
*/

extern "C" __global__ void move_reference(Body *out, const Body *in, Step s, int words)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < s.n && words * 4 == sizeof(Body))
        advance(out, in, s, i);
}
