/*
 * torch.cuh - what kernels of PyTorch's extensions use of its headers, which NVRTC cannot compile: element types, the
 * types that sums of them have, and some functions. As host.cuh, it is put before texts of `source FILE device`, and
 * only what the kernels reach of it stays.
 */
namespace c10 {
struct alignas(2) Half {
    unsigned short x;
    Half() = default;
    __device__ Half(float value) { x = __half_as_ushort(__float2half(value)); }
    __device__ Half(__half value) { x = __half_as_ushort(value); }
    __device__ operator float() const { return __half2float(__ushort_as_half(x)); }
    __device__ operator __half() const { return __ushort_as_half(x); }
};
struct alignas(2) BFloat16 {
    unsigned short x;
    BFloat16() = default;
    __device__ BFloat16(float value) { x = __bfloat16_as_ushort(__float2bfloat16(value)); }
    __device__ BFloat16(__nv_bfloat16 value) { x = __bfloat16_as_ushort(value); }
    __device__ operator float() const { return __bfloat162float(__ushort_as_bfloat16(x)); }
    __device__ operator __nv_bfloat16() const { return __ushort_as_bfloat16(x); }
};
__device__ inline Half operator+(Half a, Half b) { return float(a) + float(b); }
__device__ inline Half operator-(Half a, Half b) { return float(a) - float(b); }
__device__ inline Half operator*(Half a, Half b) { return float(a) * float(b); }
__device__ inline Half operator/(Half a, Half b) { return float(a) / float(b); }
__device__ inline float operator+(Half a, float b) { return float(a) + b; }
__device__ inline float operator-(Half a, float b) { return float(a) - b; }
__device__ inline float operator*(Half a, float b) { return float(a) * b; }
__device__ inline float operator/(Half a, float b) { return float(a) / b; }
__device__ inline float operator+(float a, Half b) { return a + float(b); }
__device__ inline float operator-(float a, Half b) { return a - float(b); }
__device__ inline float operator*(float a, Half b) { return a * float(b); }
__device__ inline float operator/(float a, Half b) { return a / float(b); }
__device__ inline BFloat16 operator+(BFloat16 a, BFloat16 b) { return float(a) + float(b); }
__device__ inline BFloat16 operator-(BFloat16 a, BFloat16 b) { return float(a) - float(b); }
__device__ inline BFloat16 operator*(BFloat16 a, BFloat16 b) { return float(a) * float(b); }
__device__ inline BFloat16 operator/(BFloat16 a, BFloat16 b) { return float(a) / float(b); }
__device__ inline float operator+(BFloat16 a, float b) { return float(a) + b; }
__device__ inline float operator-(BFloat16 a, float b) { return float(a) - b; }
__device__ inline float operator*(BFloat16 a, float b) { return float(a) * b; }
__device__ inline float operator/(BFloat16 a, float b) { return float(a) / b; }
__device__ inline float operator+(float a, BFloat16 b) { return a + float(b); }
__device__ inline float operator-(float a, BFloat16 b) { return a - float(b); }
__device__ inline float operator*(float a, BFloat16 b) { return a * float(b); }
__device__ inline float operator/(float a, BFloat16 b) { return a / float(b); }
}

namespace at {
using c10::Half;
using c10::BFloat16;
template <class T> struct AccumulateType { typedef T type; };
template <> struct AccumulateType<Half> { typedef float type; };
template <> struct AccumulateType<BFloat16> { typedef float type; };
template <> struct AccumulateType<__half> { typedef float type; };
template <> struct AccumulateType<__nv_bfloat16> { typedef float type; };
template <> struct AccumulateType<char> { typedef long long type; };
template <> struct AccumulateType<signed char> { typedef long long type; };
template <> struct AccumulateType<unsigned char> { typedef long long type; };
template <> struct AccumulateType<short> { typedef long long type; };
template <> struct AccumulateType<int> { typedef long long type; };
template <class T, bool IS_CUDA> using acc_type = typename AccumulateType<T>::type;
template <class T> struct OpMathType { typedef T type; };
template <> struct OpMathType<Half> { typedef float type; };
template <> struct OpMathType<BFloat16> { typedef float type; };
template <class T> using opmath_type = typename OpMathType<T>::type;
template <class T> struct DefaultPtrTraits { typedef T *PtrType; };
template <class T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };
/* A tensor's data, sizes and strides; x[i] is one of a dimension less, of the last one an element. */
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class index_t = long> struct TensorAccessor {
    typename Traits<T>::PtrType data_;
    const index_t *sizes_, *strides_;
    __device__ TensorAccessor(typename Traits<T>::PtrType data, const index_t *sizes, const index_t *strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    __device__ TensorAccessor<T, N - 1, Traits, index_t> operator[](index_t i) const
    {
        return TensorAccessor<T, N - 1, Traits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
    __device__ index_t size(index_t i) const { return sizes_[i]; }
    __device__ index_t stride(index_t i) const { return strides_[i]; }
    __device__ typename Traits<T>::PtrType data() const { return data_; }
};
template <class T, template <class> class Traits, class index_t> struct TensorAccessor<T, 1, Traits, index_t> {
    typename Traits<T>::PtrType data_;
    const index_t *sizes_, *strides_;
    __device__ TensorAccessor(typename Traits<T>::PtrType data, const index_t *sizes, const index_t *strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    __device__ T &operator[](index_t i) const { return data_[strides_[0] * i]; }
    __device__ index_t size(index_t i) const { return sizes_[i]; }
    __device__ index_t stride(index_t i) const { return strides_[i]; }
    __device__ typename Traits<T>::PtrType data() const { return data_; }
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class index_t = long>
struct GenericPackedTensorAccessor {
    typename Traits<T>::PtrType data_;
    index_t sizes_[N], strides_[N];
    __device__ TensorAccessor<T, N - 1, Traits, index_t> operator[](index_t i) const
    {
        return TensorAccessor<T, N - 1, Traits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
    __device__ index_t size(index_t i) const { return sizes_[i]; }
    __device__ index_t stride(index_t i) const { return strides_[i]; }
    __device__ typename Traits<T>::PtrType data() const { return data_; }
};
template <class T, template <class> class Traits, class index_t> struct GenericPackedTensorAccessor<T, 1, Traits, index_t> {
    typename Traits<T>::PtrType data_;
    index_t sizes_[1], strides_[1];
    __device__ T &operator[](index_t i) const { return data_[strides_[0] * i]; }
    __device__ index_t size(index_t i) const { return sizes_[i]; }
    __device__ index_t stride(index_t i) const { return strides_[i]; }
    __device__ typename Traits<T>::PtrType data() const { return data_; }
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, long>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class index_t = long>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, index_t>;
template <class T> __device__ constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }
struct PhiloxCudaState {
    union Payload {
        unsigned long long val;
        long long *ptr;
    };
    Payload seed_, offset_;
    unsigned int offset_intragraph_;
    bool captured_;
};
namespace cuda {
template <class T> __device__ constexpr T ATenCeilDiv(T a, T b) { return (a + b - 1) / b; }
}
}
namespace torch {
using namespace at;
}

#define C10_WARP_SIZE 32
#define C10_RESTRICT __restrict__
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_DEVICE __device__
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define C10_UNUSED __attribute__((unused))
#define C10_LIKELY(condition) (condition)
#define C10_UNLIKELY(condition) (condition)
#define C10_HOST_DEVICE __host__ __device__
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define CUDA_KERNEL_LOOP_TYPE(i, n, type)                                                                         \
    for (type i = (type)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (type)blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

template <class T> __device__ inline T WARP_SHFL(T v, int lane, int width = 32, unsigned mask = 0xffffffff)
{
    return __shfl_sync(mask, v, lane, width);
}
template <class T> __device__ inline T WARP_SHFL_XOR(T v, int lanes, int width = 32, unsigned mask = 0xffffffff)
{
    return __shfl_xor_sync(mask, v, lanes, width);
}
template <class T> __device__ inline T WARP_SHFL_UP(T v, unsigned by, int width = 32, unsigned mask = 0xffffffff)
{
    return __shfl_up_sync(mask, v, by, width);
}
template <class T> __device__ inline T WARP_SHFL_DOWN(T v, unsigned by, int width = 32, unsigned mask = 0xffffffff)
{
    return __shfl_down_sync(mask, v, by, width);
}
__device__ inline unsigned long long WARP_BALLOT(int predicate, unsigned mask = 0xffffffff)
{
    return __ballot_sync(mask, predicate);
}
template <class T> __device__ inline T gpuAtomicAdd(T *to, T value) { return atomicAdd(to, value); }
template <class T> __device__ inline T gpuAtomicAddNoReturn(T *to, T value) { return atomicAdd(to, value); }
