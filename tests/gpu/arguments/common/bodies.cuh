/*!autotune
common    bodies # the structs of `move`, and one step of a body
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
