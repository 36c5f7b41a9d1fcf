# What would fail on a device is found without one: the kernel's name, its parameters, the geometry.
need_nvrtc
mkdir -p dir/copy src
template() { printf '/*!autotune\ntemplate t\n%s\n*/\n' "$1" >dir/copy/t.cu; }
check() { at check copy --only t --shape 64x64 --dtype f32 --templates dir --jobs 1 --sample 0; }
args='const unsigned *in, unsigned *out, long long b, long long r, long long c'
printf '#include "n.h"\n__global__ void f(%s) { out[0] = in[NUMBER]; }\n' "$args" >src/k.cu
printf '#pragma once\n#define NUMBER b + N\n' >src/n.h
template $'source ../../src/k.cu\nparam N = 1 2\nkernel f\narg in out batch rows cols\ngrid 1\nblock 32'
check
template $'source ../../src/k.cu\nparam N = 1 2\nkernel g\ngrid 1\nblock 32'
check
template $'source ../../src/k.cu\nparam N = 1 2\nkernel f\narg in out rows cols\ngrid 1\nblock 32'
check
printf '__global__ void f(%s) { out[0] = in[N]; }\n' "${args/long long r/int r}" >src/k.cu
template $'source ../../src/k.cu\nparam N = 1 2\nkernel f\narg in out batch rows cols\ngrid 1\nblock 32'
check
printf '__global__ void __launch_bounds__(256) f(%s) { out[0] = in[N]; }\n' "$args" >src/k.cu
template $'source ../../src/k.cu\nparam N = 1 2 3 4 5 6 7\nkernel f\narg in out batch rows cols\ngrid N == 1 ? 0 : N == 2 ? 0 : 1 N == 3 ? 65536 : 1\nblock N == 4 ? 2048 : N == 5 ? 512 : N == 6 ? 32 : 1 N == 6 ? 64 : 1\nshared N == 7 ? 300000 : 0'
check
printf '#if N > 1\nwrong\n#endif\n__global__ void f(%s) { out[0] = nowhere; }\n' "$args" >src/k.cu
template $'source ../../src/k.cu\nparam N = 1 2 3\ndefine N\nkernel f\ngrid 1\nblock 32'
check
at check copy --only t --shape 64x64 --dtype f32 --templates dir --jobs 1 --sample 0 --format json
# A parameter that the code does not see: its values all give the same machine code.
printf '#ifndef N\n#define N 4\n#endif\n__global__ void f(%s) { out[0] = in[N] + M; }\n' "$args" >src/k.cu
template $'source ../../src/k.cu\nparam N = 1 2 3\nparam M = 1 2\nparam L = 1 2\nparam B = 32 64\nkernel f\narg in out batch rows cols\ngrid 1\nblock B'
check
template $'source ../../src/k.cu\nparam N = 1 2 3\nparam M = 1 2\ndefine N\nkernel f\narg in out batch rows cols\ngrid 1\nblock 32'
check
template $'source ../../src/k.cu\nparam N = 1 2\nrequire N > 2 # never\nkernel f\ngrid 1\nblock 32'
check
# So too where it changes the launch, and the code should have seen it: a forgotten `define`.
printf '#ifndef N\n#define N 32\n#endif\n__global__ void f(%s) { out[0] = in[blockIdx.x * N]; }\n' "$args" >src/k.cu
template $'source ../../src/k.cu\nparam N = 32 64\nkernel f\narg in out batch rows cols\ngrid ceil_div(cols, N)\nblock N'
check
template $'source ../../src/k.cu\nparam N = 32 64\ndefine all\nkernel f\narg in out batch rows cols\ngrid ceil_div(cols, N)\nblock N'
check
# A macro that the file defines again.
printf '#define N 4\n__global__ void f(%s) { out[0] = in[N]; }\n' "$args" >src/k.cu
template $'source ../../src/k.cu\nparam N = 1 2\ndefine N\nkernel f\narg in out batch rows cols\ngrid 1\nblock 32'
check
# A template is code only where its arguments are named.
printf 'template <class U, int V> __global__ void f(%s) { out[0] = in[V]; }\n' "$args" >src/k.cu
for name in f ::f 'f<float, N>'; do
  template $'source ../../src/k.cu\nparam N = 1 2\nkernel '"$name"$'\narg in out batch rows cols\ngrid 1\nblock 32'
  check
done
# What a compiler takes for the end of a file would cut it off without a word.
printf '// \377\n__global__ void f(%s) { out[0] = in[0]; }\n' "$args" >src/k.cu
template $'source ../../src/k.cu\nkernel f\narg in out batch rows cols\ngrid 1\nblock 32'
check
# The reference is launched, too, before anything else.
mkdir -p own/half
half() { # GRID BLOCK SHARED PARAMETERS
  printf '/*!autotune\nop half\nshape n\ntype T = f32\narg n i32\narg by f32 = 0.5\narg in T[n] input uniform -1 1\narg out T[n] output\nreference r\ngrid %s\nblock %s\nshared %s\ncheck exact\ntraffic 8 * n\n*/\n' "$1" "$2" "$3" >own/half/op.cu
  printf 'extern "C" __global__ void r(%s) { out[0] = in[0] * by; }\n' "$4" >>own/half/op.cu
  at check half --shape 64 --templates own --jobs 1
}
half n 32 0 'int n, float by, const T *in, T *out'
half 'n / (n - 64)' 32 0 'int n, float by, const T *in, T *out'
half n 2048 0 'int n, float by, const T *in, T *out'
half n 32 300000 'int n, float by, const T *in, T *out'
half n 32 0 'float by, int n, const T *in, T *out'
half n 32 0 'long long n, float by, const T *in, T *out'
half n 32 0 'float by, const T *in, T *out'
# Data that goes into a variable, of a kernel that takes it as a parameter, too: nothing would fill the variable.
mkdir -p into/weigh
cat >into/weigh/op.cu <<'END'
/*!autotune
op        weigh
shape     n
type      T = f32
arg       out T[n] output
arg       in T[n] input uniform 1 2
arg       w T[4] input uniform 1 2 into c_w
arg       n i32
reference weigh_reference
grid      ceil_div(n, 256)
block     256
traffic   8 * n
*/
extern "C" __global__ void weigh_reference(T *out, const T *in, const T *w, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        out[i] = w[0] * in[i];
}
END
both() { # ARGUMENTS
  cat >into/weigh/both.cu <<END
/*!autotune
template  both
arg       $1
grid      ceil_div(n, 128)
block     128
*/
__constant__ float c_w[4];
extern "C" __global__ void weigh_both(T *out, const T *in, const T *w, int n)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n)
        out[i] = c_w[0] * in[i];
}
END
  at check weigh --shape 64 --templates into --only both --jobs 1
  at check weigh --shape 64 --templates into --only both --execute
}
both 'out in w n'
both 'out in in n'
# The number 0 of eight bytes is a null pointer; another number is none.
maybe() { # VALUE
  printf '/*!autotune\nop maybe\nshape n\ntype T = f32\narg q i64 = %s\narg out T[n] output\nreference r\ngrid n\nblock 32\ncheck exact\ntraffic 8 * n\n*/\n' "$1" >own/maybe/op.cu
  printf 'extern "C" __global__ void r(const float *q, T *out) { out[blockIdx.x] = q ? *q : 1; }\n' >>own/maybe/op.cu
  at check maybe --shape 64 --templates own --jobs 1
}
mkdir -p own/maybe
maybe 0
maybe 8
