# Kernels whose files have more of the host around them: stand-ins for what NVRTC lacks come with autotune.
need_nvrtc
# A class of the host's with members of its libraries has the name of one of the kernel's.
cat >host.cu <<'PROGRAM'
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <cub/cub.cuh>
#if defined __has_include
#if !__has_include("configured.h")
#error "run configure first"
#endif
#endif
#ifdef WITH_CUDA
typedef float real;
#endif
namespace host {
class Part {
  public:
    explicit Part(const std::string &name) : name(name) {}
    std::string name;
    std::vector<std::string> all;
    std::shared_ptr<Part> next;
    std::function<int(int)> act;
};
}
namespace device {
template <class T> struct Part { __device__ T of(T x) { return x + 1; } };
struct Handles { cublasHandle_t blas; ncclComm_t comm; cufftHandle fft; };
__global__ void sums(real *y, const real *x, int n)
{
    static_assert(sizeof(Handles) == 24 && std::numeric_limits<short>::digits10 == 4);
    static_assert(std::numeric_limits<float>::max_digits10 == 9 && std::numeric_limits<double>::has_denorm == std::denorm_present);
    static_assert(std::complex<float>(1, 2).imag() == 2);
    static_assert(std::numeric_limits<int>::round_error() == 0 && !std::numeric_limits<bool>::epsilon() && !std::numeric_limits<bool>::infinity());
    typedef cub::BlockReduce<float, 128> Reduce;
    static_assert(std::is_scalar<float *>::value && std::is_pod<Part<int>>::value && std::alignment_of<int>::value == 4);
    __shared__ typename Reduce::TempStorage storage;
    register int i = blockIdx.x * 128 + threadIdx.x;
    float sum = Reduce(storage).Reduce(i < n ? Part<float>().of(x[i]) : 0, cub::Sum());
    if (threadIdx.x == 0) {
        __asm__ __volatile__("" ::: "memory");
        y[blockIdx.x] = sum;
    }
}
}
void run(float *y, float *x, int n) { device::sums<<<(n + 127) / 128, 128>>>(y, x, n); }
PROGRAM
at adopt host.cu -o some/new/folder
at check sums --templates some/new/folder --sample 1 --jobs 1 2>&1 | grep -v 'open question'
# What a kernel of an extension of PyTorch uses of its headers.
cat >extension.cu <<'PROGRAM'
#include <ATen/ATen.h>
#include <ATen/AccumulateType.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/DeviceUtils.cuh>
#include <c10/macros/Macros.h>
template <typename scalar_t>
C10_LAUNCH_BOUNDS_1(256)
__global__ void scale_rows(scalar_t *out, const scalar_t *in, const at::Half *by, int n)
{
    using accscalar_t = at::acc_type<scalar_t, true>;
    CUDA_KERNEL_LOOP(i, n) {
        accscalar_t value = static_cast<accscalar_t>(in[i]) * by[i];
        value += WARP_SHFL_XOR(value, 1);
        out[i] = static_cast<scalar_t>(value);
    }
}
void scale(at::Tensor out, at::Tensor in, at::Tensor by)
{
    const int n = in.numel();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(in.scalar_type(), "scale", [&] {
        scale_rows<scalar_t><<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            out.data_ptr<scalar_t>(), in.data_ptr<scalar_t>(), by.data_ptr<at::Half>(), n);
    });
}
PROGRAM
at adopt extension.cu -o templates
cat templates/scale_rows/op.cu templates/scale_rows/adopted.cu
at check scale_rows --templates templates --sample 2 --jobs 1 2>&1 | grep -v 'open question'
# Tensors by value: a pointer, sizes and strides.
cat >tensors.cu <<'PROGRAM'
#include <torch/extension.h>
template <typename scalar_t>
__global__ void rows(torch::PackedTensorAccessor32<scalar_t, 1, torch::RestrictPtrTraits> out,
                     const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> in)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= in.size(0))
        return;
    scalar_t sum = 0;
    for (int i = 0; i < in.size(1); i++)
        sum += in[row][i];
    out[row] = sum;
}
PROGRAM
at adopt tensors.cu -o templates
grep -E '^(shape|arg|struct)' templates/rows/op.cu
at check rows --execute --shape 40 --templates templates 2>&1 | grep -v 'open question'
# So are tensors by another name of their type.
sed 's/torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> in/matrix in/; s/^template/typedef torch::PackedTensorAccessor32<float, 2> matrix;\ntemplate/; s/rows(/sums(/' tensors.cu >named.cu
at adopt named.cu -o templates
grep -E '^struct' templates/sums/op.cu
