# From a kernel that is there to a first draft, which compiles and asks what only its author knows.
mkdir src
cat >src/conv.cu <<'END'
/* __global__ void not_this(float *a) */
#include <cuda_runtime.h>
#ifndef block_size_x
  #define block_size_x 16
#endif
#ifndef block_size_y
    #define block_size_y 16
#endif
#ifndef read_only
#define read_only 0 // through the texture path
#endif
#ifndef tile_size_x
#define tile_size_x 4
#endif
#ifndef CONV_H
#define CONV_H
#endif
#ifndef WEIGHT
#define WEIGHT 0.5f
#endif

__device__ float helper(float x) { return x * WEIGHT; }

__global__ void __launch_bounds__(block_size_x * block_size_y) convolution_kernel(
    float *output, const float *__restrict__ input, // the image
    const float (*filter), int width, size_t height)
{
    for (int k = 0; k < tile_size_x; k++) {
        long long i = (blockIdx.x * block_size_x + threadIdx.x) * tile_size_x + k + threadIdx.y * width;
#if read_only == 1
        if (i < width)
            output[i] = helper(__ldg(input + i)) * filter[height];
#else
        if (i < width)
            output[i] = helper(input[i]) * filter[height];
#endif
    }
}
END
at adopt src/conv.cu -o templates
cat templates/convolution/op.cu templates/convolution/adopted.cu
at adopt src/conv.cu -o templates
at adopt src/conv.cu --kernel other -o templates
at adopt nowhere.cu
# What its program copies into __constant__ arrays.
cat >src/weigh.cu <<'END'
#define N 4
__constant__ float c_weights[3][3];
static __constant__ int c_more[N];
__constant__ float c_scale; // no array
__global__ void weigh(float *y, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i] * c_weights[i % 3][i / 3 % 3] + c_more[i % N] * c_scale;
}
END
at adopt src/weigh.cu -o templates
grep -v '^$' templates/weigh/op.cu
# Values around the default; 0 and 1 of what only #if asks for.
{
  for define in 'ROWS 1' 'UNROLL 16' 'DEPTH 3' 'USE_LDG 1' 'PAD 0' 'USE_LDG_MORE 1'; do
    printf '#ifndef %s\n#define %s\n#endif\n' "${define% *}" "$define"
  done
  printf '__global__ void values(float *y)\n{\n#if USE_LDG\n    y[0] = ROWS + UNROLL + DEPTH + PAD + USE_LDG_MORE;\n#endif\n}\n'
} >src/values.cu
at adopt src/values.cu -o templates >/dev/null
grep param templates/values/adopted.cu
# A template within namespaces; (16), 4u; an array whose size the launch says.
cat >src/scale.cu <<'END'
#ifndef DEPTH
#  define DEPTH (16) // elements
#endif
#ifndef WAYS
#define WAYS 4u
#endif
namespace mine { inline namespace v1 { struct other { int x; }; }
template <typename U> __device__ U twice(U x) { return x + x; }
namespace inner {
template <class Element, int BLOCK_SIZE, int TILE = 8, bool CHECKED = true>
__global__ void scale(Element *out, const Element *in, Element factor, int n)
{
    extern __shared__ float part[];
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    part[threadIdx.x] = (float)in[i] * DEPTH * WAYS * TILE;
    if (!CHECKED || i < n)
        out[i] = twice((Element)part[threadIdx.x] * factor);
}
} // namespace inner
} // namespace mine
END
at adopt src/scale.cu -o templates
cat templates/scale/adopted.cu
grep '^arg' templates/scale/op.cu
# A disk that is full gets neither file, so that the next try finds nothing in its way.
(ulimit -f 0; at adopt src/scale.cu -o elsewhere) | cat
ls elsewhere/scale
at adopt src/scale.cu -o elsewhere
rm elsewhere/scale/op.cu
at adopt src/scale.cu -o elsewhere
ls elsewhere/scale
# Buffers of another type than the output's have their own; a type that words do not tell is the output's.
cat >src/pick.cu <<'END'
typedef float real;
__global__ void pick(float *out, const float *table, const int *index, unsigned char *seen, int n, int width) {}
template <typename E, int BLOCK> __global__ void pick_any(E *out, const float *bias, const long long *index, long n) {}
__global__ void heat(real *next, const real *now, int n, real k) {}
END
for kernel in pick pick_any heat; do
  at adopt src/pick.cu --kernel $kernel -o templates
  grep -E '^(type|arg|traffic|extern)' templates/$kernel/op.cu
done
cat templates/pick/adopted.cu
printf 'template <template <int> class F, int N>\n__global__ void pack(int *x) {}\n' >src/pack.cu
at adopt src/pack.cu -o templates
grep '^kernel' templates/pack/adopted.cu
printf '__global__ void a(int *x) {}\n__global__ void b(int *x) {}\n__global__ void c(int n) {}\n' >src/three.cu
at adopt src/three.cu
at adopt src/three.cu --kernel c
need_nvrtc
at check convolution --shape 64x64 --templates templates --sample 3 --jobs 1
at check weigh --shape 64 --dtype f32 --templates templates --sample 3 --jobs 1
at check scale --shape 64 --templates templates --sample 3 --jobs 1
# A whole program: grid, block and numbers are those of its launch. --run goes on to compile it.
cat >src/whole.cu <<'PROGRAM'
#include <cstdio>
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
__global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}
int main()
{
    const int n = 1 << 20;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    saxpy<<<DIV_UP(n, 128), 128>>>(y, x, 2.5f, n);
    std::printf("%d\n", cudaDeviceSynchronize());
}
PROGRAM
at adopt src/whole.cu -o templates
cat templates/saxpy/op.cu templates/saxpy/adopted.cu
mkdir none
echo 'no library' >none/libcuda.so.1
LD_LIBRARY_PATH=$PWD/none:${LD_LIBRARY_PATH:-} "$AUTOTUNE" adopt src/whole.cu -o timed --run 1000 2>/dev/null | grep -Eo '^sm_90  *f32  *saxpy  *adopted  *[0-9]*|^it compiles.*|^  autotune .*'
