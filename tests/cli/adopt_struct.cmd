# Drafts of kernels that take structs by value, and arrays of them: read, run on the CPU.
need_nvrtc
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
# Fields as the host's braces set them, its names in the grid, a tile of both sizes of an array, bounds that follow
# them, and a __constant__ variable of a namespace.
cat >stencil.cu <<'PROGRAM'
#define BX 32
#define BY 8
#define R 1
namespace app { namespace detail {
__constant__ float coef[2 * R + 1];
struct Params { int nx, ny, pitch; float scale; };
__global__ __launch_bounds__(BX * BY) void stencil(const float *in, float *out, Params p)
{
    __shared__ float tile[BY][BX + 2 * R];
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    for (int i = threadIdx.x; i < BX + 2 * R; i += BX) {
        int from = min(max((int)(blockIdx.x * BX) + i - R, 0), p.nx - 1), row = min(y, p.ny - 1);
        tile[threadIdx.y][i] = in[row * p.pitch + from];
    }
    __syncthreads();
    if (x >= p.nx || y >= p.ny)
        return;
    float a = 0;
    for (int k = 0; k <= 2 * R; k++)
        a += coef[k] * tile[threadIdx.y][threadIdx.x + k];
    out[y * p.pitch + x] = a * p.scale;
}
}}
void run(const float *in, float *out, int nx, int ny)
{
    app::detail::Params p = { nx, ny, nx, 0.5f };
    dim3 b(BX, BY), g((nx + b.x - 1) / b.x, (ny + b.y - 1) / b.y);
    app::detail::stencil<<<g, b>>>(in, out, p);
}
PROGRAM
at adopt stencil.cu -o templates
cat templates/stencil/op.cu templates/stencil/adopted.cu
at check stencil --execute --shape 70x33 --templates templates
