# Kernels whose files have more of the host around them: stand-ins for what NVRTC lacks come with autotune.
"$AUTOTUNE" check --only tile --shape 1x1 --dtype u8 --sample 1 >/dev/null 2>&1 || skip "there is no NVRTC here"
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
__global__ void sums(float *y, const float *x, int n)
{
    typedef cub::BlockReduce<float, 128> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    int i = blockIdx.x * 128 + threadIdx.x;
    float sum = Reduce(storage).Reduce(i < n ? Part<float>().of(x[i]) : 0, cub::Sum());
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}
}
void run(float *y, float *x, int n) { device::sums<<<(n + 127) / 128, 128>>>(y, x, n); }
PROGRAM
at adopt host.cu -o some/new/folder
at check sums --templates some/new/folder --sample 1 --jobs 1 2>&1 | grep -v 'open question'
