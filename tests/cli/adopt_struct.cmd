# Drafts of kernels that take structs by value, and arrays of them: read, run on the CPU.
"$AUTOTUNE" check --only tile --shape 1x1 --dtype u8 --sample 1 >/dev/null 2>&1 || skip "there is no NVRTC here"
cat >step.cu <<'PROGRAM'
#include <cstdio>
#define LANES 3
struct alignas(16) Vec { float x, y; };
typedef struct Body_ {
    Vec pos;
    float4 v; // of CUDA
    int id[LANES], more;
    unsigned char flag = 1;
    bool alive;
    static const int N = 4;
    __host__ __device__ Body_() : id{ 1 }, more(2) {}
    __host__ __device__ float first() const { return v.x; }
} Body;
union Either { float f; int i; };
struct Mixed { Either either; double d; };
struct Params { int n; float dt; uint3 cells; const float *mass; float *out; };

__global__ void step(Body *to, const Body *from, const Mixed *m, Params p, float3 gravity)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n)
        return;
    to[i] = from[i];
    to[i].pos.x += p.dt * p.mass[i] + gravity.x + m[i].either.f;
    p.out[i] = from[i].first();
}

int main()
{
    Body *to = nullptr, *from = nullptr;
    Mixed *m = nullptr;
    Params p;
    p.n = 1000;
    p.dt = 2;
    std::printf("%d\n", p.n);
    step<<<(p.n + 127) / 128, 128>>>(to, from, m, p, make_float3(0, 0, 1));
}
PROGRAM
at adopt step.cu -o templates
cat templates/step/op.cu templates/step/adopted.cu
at check step --execute --shape 100 --templates templates
at check step --shape 100 --templates templates --sample 2 --jobs 1
# A size of a kernel whose parameters are all in a struct.
cat >view.cu <<'PROGRAM'
struct View { float *y; const float *x; int n; };
__global__ void view(View v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v.n)
        v.y[i] = 2 * v.x[i];
}
PROGRAM
at adopt view.cu -o templates
cat templates/view/op.cu
at check view --execute --shape 1000 --templates templates
