#include <cstdio>
#define LANES 3
enum Kind { A, B };
struct __align__(16) Vec { float x, y; };
typedef struct Body_s {
    Vec pos;
    float4 v;            // vector
    int id[LANES], more;
    unsigned char flag = 1;
    bool alive;
    Kind kind;
    static const int N = 4;
    __host__ __device__ Body_s() : id{1}, more(2) {}
    __host__ __device__ float norm() const { return v.x; }
} Body;
union U { float f; int i; };
struct Mixed { U u; double d; };
struct Params { int n; float dt; uint3 cells; const float *mass; float *out; };
__global__ void step(Body *to, const Body *from, const Mixed *m, Params p, float3 gravity)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    to[i] = from[i];
    to[i].pos.x += p.dt * p.mass[i] + gravity.x + m[i].u.f;
    p.out[i] = from[i].v.x;
}
void run(Body *to, Body *from, Mixed *m, int count, float *mass, float *out)
{
    Params p;
    p.n = count;
    p.dt = 2;
    p.mass = mass;
    p.out = out;
    step<<<(p.n + 127) / 128, 128>>>(to, from, m, p, make_float3(0, 0, 1));
}
