/*!autotune
op        move # one step of bodies: arrays of structs, and a struct by value
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
struct Vec {
    float x, y;
};
struct Body {
    Vec pos;
    bool alive;
    double mass;
    short id[3];
    unsigned char tag;
    float4 v;
};
struct Step {
    int n;
    float dt;
    float m[4], w[2];
    Body *out;
    const Body *in;
};

__device__ void advance(Body *out, const Body *in, const Step &s, int i)
{
    Body b = in[i];
    b.pos.x += s.dt * b.v.x * s.m[1] * s.w[0];
    b.pos.y += s.m[3] + s.m[2] * (b.alive ? 1 : 2);
    b.alive = !b.alive;
    b.mass *= 2;
    b.id[2] += b.id[1];
    b.tag ^= 1;
    b.v.w = (float)b.mass;
    out[i] = b;
}

extern "C" __global__ void move_reference(Body *out, const Body *in, Step s, int words)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < s.n && words * 4 == sizeof(Body))
        advance(out, in, s, i);
}
