# Drafts of kernels that a name alone does not tell: in namespaces without a name, static, and overloads.
need_nvrtc
cat >unnamed.cu <<'PROGRAM'
namespace ns {
namespace {
__global__ void plain(float *y, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) y[i] = 1; }
template <int N> __global__ void times(float *y, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) y[i] = N; }
} // namespace
static __global__ void alone(float *y, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) y[i] = 2; }
} // namespace ns
void run(float *y, int n) { ns::times<3><<<(n + 63) / 64, 64>>>(y, n); }
PROGRAM
cat >overloads.cu <<'PROGRAM'
__global__ void put(float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }
__global__ void put(double *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 2; }
PROGRAM
# A specialisation of a template is a kernel beside the instance that is meant.
cat >within.cu <<'PROGRAM'
#include <cuda_fp16.h>
namespace ns { namespace deep {
__global__ void lay(float *y, const float *x, int n) { if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x]; }
__global__ void lay(char4 *y, const half2 *x, const half2 *z, int n) { if (threadIdx.x < n) y[threadIdx.x].x = 2; }
template <class T> __global__ void fill(T *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }
template <> __global__ void fill(half *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 2; }
} }
PROGRAM
for kernel in plain times alone; do
  at adopt unnamed.cu --kernel $kernel -o templates
  grep '^kernel' templates/$kernel/adopted.cu
  at check $kernel --execute --shape 100 --templates templates 2>&1 | grep -v 'open question'
done
at adopt overloads.cu --kernel 'put(double *, int)' -o templates
grep '^kernel' templates/put/adopted.cu
at check put --execute --shape 100 --templates templates 2>&1 | grep -v 'open question'
at check put --shape 100 --templates templates --sample 1 --jobs 1 2>&1 | grep -v 'open question'
for kernel in 'lay#2' 'fill#1'; do
  at adopt within.cu --kernel $kernel -o templates
  grep '^kernel' templates/${kernel%#*}/adopted.cu
  at check ${kernel%#*} --shape 100 --templates templates --sample 1 --jobs 1 2>&1 | grep -v 'open question'
done
