# What a user most likely did not mean is named before anything runs, once for each cause.
need_nvrtc
mkdir -p dir/scale
op() {
  printf '/*!autotune\nop scale\nshape n\ntype T = f32\narg y T[n] output\narg x T[n] input %s\narg a f32 = 0.5\narg n i32\nreference scale_reference\ngrid ceil_div(n, 256)\nblock 256\n%s\ntraffic 2 * n * sizeof(T)\n*/\n' "$1" "$2"
  printf '__global__ void scale_reference(T *y, const T *x, float a, int n)\n{\n    int i = blockIdx.x * 256 + threadIdx.x;\n    if (i < n)\n        y[i] = a * x[i];\n}\n'
} >dir/scale/op.cu
body=$'{\n    int i = blockIdx.x * THREADS + threadIdx.x;\n    if (i < n)\n        y[i] = a * x[i];\n}'
template() { printf '/*!autotune\ntemplate t\n%s\n*/\n%s\n%s\n' "$1" "${2:-}" "$body" >dir/scale/t.cu; }
check() { at check scale --only t --shape "${1:-1000}" --templates dir --jobs 1 --sample 0 | grep -v '^arch\|^sm_90 *f32 *scale\|a second, NVRTC'; }
good='__global__ void scale_t(T *y, const T *x, float a, int n)'
launch=$'param THREADS = 32 64\ngrid ceil_div(n, THREADS)\nblock THREADS'
# Inputs of floating point that say nothing: random bits are NaN, and so is every answer.
op '' 'check within 1e-5 relative'
template "$launch" "$good"
check
op 'uniform -1 1' 'check within 1e-5 relative'
check
# Another name; the near one is named.
template "$launch" '__global__ void scale_tt(T *y, const T *x, float a, int n)'
check
template $'kernel scale_ttt\n'"$launch" '__global__ void scale_tt(T *y, const T *x, float a, int n)'
check
# Arguments in another order, of another kind, or fewer: sizes tell, and where they do not, words do.
template "$launch" '__global__ void scale_t(T *x, T *y, float a, int n)'
check
template "$launch" '__global__ void scale_t(const T *x, T *y, float a, int n)'
check
template "$launch" '__global__ void scale_t(T *y, const T *x, int n, float a)'
check
template "$launch" '__global__ void scale_t(T *y, float a, const T *x, int n)'
check
template "$launch" $'#define a 0.5f\n__global__ void scale_t(T *y, const T *x, int n)'
check
# Requirements that refuse nothing, and those that leave nothing.
template "$launch"$'\nrequire THREADS >= 32\nrequire THREADS % 64 == 0 || n > 0\nrequire THREADS != 48' "$good"
check
template "$launch"$'\nrequire THREADS > 32 # large\nrequire n > 0\nrequire THREADS < 64 # small' "$good"
check
# A grid that comes to nothing for small problems.
template $'param THREADS = 32 64\ngrid n / THREADS\nblock THREADS' "$good"
check
check 40,1000
# Constant memory that a host would fill.
template "$launch" $'__constant__ float weight[17 * 17];\n__constant__ float known = 1;\n__constant__ float list[2] = { 1, 2 };\n#define a weight[0]\n__global__ void scale_t(T *y, const T *x, float given, int n)'
check
# One with a name that no argument can go into.
template "$launch" "__constant__ float weight_of_$(printf 'w%.0s' {1..55})[17 * 17];
#define a weight_of_$(printf 'w%.0s' {1..55})[0]
__global__ void scale_t(T *y, const T *x, float given, int n)"
check
# Headers that no kernel can have.
template "$launch" $'#include <iostream>\n'"$good"
check
