/*
 * host.cuh - what NVRTC lacks of the headers that nvcc includes by itself or has from the host's compiler: names of
 * C and C++ that kernels use. It is put before every text of a line `source FILE device`, and only what the
 * kernels reach of it stays. For other compilers it is the host's own headers.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/util_type.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>
#ifndef __CUDACC_RTC__
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#else
/* As in cuda/std/cstdint, which may come along. */
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef int8_t int_least8_t;
typedef int16_t int_least16_t;
typedef int32_t int_least32_t;
typedef int64_t int_least64_t;
typedef uint8_t uint_least8_t;
typedef uint16_t uint_least16_t;
typedef uint32_t uint_least32_t;
typedef uint64_t uint_least64_t;
typedef int8_t int_fast8_t;
typedef int16_t int_fast16_t;
typedef int32_t int_fast32_t;
typedef int64_t int_fast64_t;
typedef uint8_t uint_fast8_t;
typedef uint16_t uint_fast16_t;
typedef uint32_t uint_fast32_t;
typedef uint64_t uint_fast64_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;
typedef long ssize_t;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar; // of OpenCV
typedef unsigned long ulong;

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct alignas(64) CUtensorMap_st {
    unsigned long long opaque[16];
} CUtensorMap;

#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10) /* NVRTC has CUDART_VERSION */
/* Of projects that can be built without CUDA. */
#define WITH_CUDA 1
#define USE_CUDA 1
#define HAVE_CUDA 1
#define ENABLE_CUDA 1

#define __extension__
#define __PRETTY_FUNCTION__ __PRETTY_FUNCTION__ /* it is no macro, but projects ask whether it is defined */
#define __builtin_clz at_host_clz
#define __builtin_popcount at_host_popcount
#define __builtin_ctz at_host_ctz
#define __asm__ asm
#define __volatile__ volatile
#define register /* C++17 has it no more */
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1L)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1LL)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807LL - 1LL)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX 18446744073709551615UL

#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN 1.17549435082228750796873653722224568e-38F
#define FLT_MAX 3.40282346638528859811704183484516925e+38F
#define FLT_EPSILON 1.1920928955078125e-7F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
#define MAXFLOAT 3.40282346638528859811704183484516925e+38F
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#define NAN __builtin_bit_cast(float, 0x7fffffff)
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000)
#define HUGE_VALF __builtin_bit_cast(float, 0x7f800000)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

/* Of gcc's: one instruction, but constants where the compiler asks for one. */
static constexpr __device__ inline int at_host_popcount(unsigned x)
{
    if (!__builtin_is_constant_evaluated())
        return __popc(x);
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}
static constexpr __device__ inline int at_host_ctz(unsigned x)
{
    return __builtin_is_constant_evaluated() ? at_host_popcount(~x & (x - 1)) : __ffs(x) - 1;
}
static constexpr __device__ inline int at_host_clz(unsigned x)
{
    if (!__builtin_is_constant_evaluated())
        return __clz(x);
    for (int n = 1; n < 32; n *= 2)
        x |= x >> n;
    return 32 - at_host_popcount(x);
}

/* Of integers, as <cmath> has them: of these alone there is x % 1. */
template <class T> static __device__ inline auto acos(T x) -> decltype(double(x % 1)) { return acos(double(x)); }
template <class T> static __device__ inline auto acosh(T x) -> decltype(double(x % 1)) { return acosh(double(x)); }
template <class T> static __device__ inline auto asin(T x) -> decltype(double(x % 1)) { return asin(double(x)); }
template <class T> static __device__ inline auto asinh(T x) -> decltype(double(x % 1)) { return asinh(double(x)); }
template <class T> static __device__ inline auto atan(T x) -> decltype(double(x % 1)) { return atan(double(x)); }
template <class T> static __device__ inline auto atanh(T x) -> decltype(double(x % 1)) { return atanh(double(x)); }
template <class T> static __device__ inline auto cbrt(T x) -> decltype(double(x % 1)) { return cbrt(double(x)); }
template <class T> static __device__ inline auto ceil(T x) -> decltype(double(x % 1)) { return ceil(double(x)); }
template <class T> static __device__ inline auto cos(T x) -> decltype(double(x % 1)) { return cos(double(x)); }
template <class T> static __device__ inline auto cosh(T x) -> decltype(double(x % 1)) { return cosh(double(x)); }
template <class T> static __device__ inline auto erf(T x) -> decltype(double(x % 1)) { return erf(double(x)); }
template <class T> static __device__ inline auto erfc(T x) -> decltype(double(x % 1)) { return erfc(double(x)); }
template <class T> static __device__ inline auto exp(T x) -> decltype(double(x % 1)) { return exp(double(x)); }
template <class T> static __device__ inline auto exp2(T x) -> decltype(double(x % 1)) { return exp2(double(x)); }
template <class T> static __device__ inline auto expm1(T x) -> decltype(double(x % 1)) { return expm1(double(x)); }
template <class T> static __device__ inline auto fabs(T x) -> decltype(double(x % 1)) { return fabs(double(x)); }
template <class T> static __device__ inline auto floor(T x) -> decltype(double(x % 1)) { return floor(double(x)); }
template <class T> static __device__ inline auto log(T x) -> decltype(double(x % 1)) { return log(double(x)); }
template <class T> static __device__ inline auto log10(T x) -> decltype(double(x % 1)) { return log10(double(x)); }
template <class T> static __device__ inline auto log1p(T x) -> decltype(double(x % 1)) { return log1p(double(x)); }
template <class T> static __device__ inline auto log2(T x) -> decltype(double(x % 1)) { return log2(double(x)); }
template <class T> static __device__ inline auto rint(T x) -> decltype(double(x % 1)) { return rint(double(x)); }
template <class T> static __device__ inline auto round(T x) -> decltype(double(x % 1)) { return round(double(x)); }
template <class T> static __device__ inline auto sin(T x) -> decltype(double(x % 1)) { return sin(double(x)); }
template <class T> static __device__ inline auto sinh(T x) -> decltype(double(x % 1)) { return sinh(double(x)); }
template <class T> static __device__ inline auto sqrt(T x) -> decltype(double(x % 1)) { return sqrt(double(x)); }
template <class T> static __device__ inline auto tan(T x) -> decltype(double(x % 1)) { return tan(double(x)); }
template <class T> static __device__ inline auto tanh(T x) -> decltype(double(x % 1)) { return tanh(double(x)); }
template <class T> static __device__ inline auto trunc(T x) -> decltype(double(x % 1)) { return trunc(double(x)); }
template <class A, class B> static __device__ inline auto atan2(A a, B b) -> decltype(double(a % 1) + double(b))
{
    return atan2(double(a), double(b));
}
template <class A, class B> static __device__ inline auto fmax(A a, B b) -> decltype(double(a % 1) + double(b))
{
    return fmax(double(a), double(b));
}
template <class A, class B> static __device__ inline auto fmin(A a, B b) -> decltype(double(a % 1) + double(b))
{
    return fmin(double(a), double(b));
}
template <class A, class B> static __device__ inline auto fmod(A a, B b) -> decltype(double(a % 1) + double(b))
{
    return fmod(double(a), double(b));
}
template <class A, class B> static __device__ inline auto pow(A a, B b) -> decltype(double(a % 1) + double(b))
{
    return pow(double(a), double(b));
}

static __device__ inline void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
static __device__ inline void cudaTriggerProgrammaticLaunchCompletion()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/* Of the host; what kernels never call is compiled with them in classes and functions that stay. */
typedef struct _IO_FILE FILE;
typedef unsigned long pthread_t;
typedef struct cublasContext *cublasHandle_t;
typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cudnnContext *cudnnHandle_t;
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct curandGenerator_st *curandGenerator_t;
typedef struct ncclComm *ncclComm_t;
typedef int cufftHandle;
#define stdout ((FILE *)0)
#define stderr ((FILE *)0)
template <class... A> static __device__ inline int fprintf(FILE *, const char *, A...) { return 0; }

/* Of HIP, where nvcc compiles. */
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_KERNEL_NAME(...) __VA_ARGS__

/* CUB has had these no more since CUDA 13. */
#if __CUDACC_VER_MAJOR__ >= 13
namespace cub {
struct Sum {
    template <class A, class B> __device__ auto operator()(A a, B b) const { return a + b; }
};
struct Max {
    template <class A, class B> __device__ auto operator()(A a, B b) const { return b > a ? b : a; }
};
struct Min {
    template <class A, class B> __device__ auto operator()(A a, B b) const { return b < a ? b : a; }
};
struct Equality {
    template <class A, class B> __device__ bool operator()(const A &a, const B &b) const { return a == b; }
};
}
#endif

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647

namespace std {
using ::size_t;
using ::ptrdiff_t;
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::intptr_t;
using ::uintptr_t;
typedef decltype(nullptr) nullptr_t;
enum class byte : unsigned char {};

template <class T, T V> struct integral_constant {
    static constexpr T value = V;
    typedef T value_type;
    typedef integral_constant type;
    constexpr operator T() const noexcept { return V; }
    constexpr T operator()() const noexcept { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;

template <class T> struct type_identity { typedef T type; };
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv { typedef typename remove_const<typename remove_volatile<T>::type>::type type; };
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; };
template <class T> struct remove_reference<T &&> { typedef T type; };
template <class T> struct remove_cvref { typedef typename remove_cv<typename remove_reference<T>::type>::type type; };
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T *> { typedef T type; };
template <class T> struct remove_pointer<T *const> { typedef T type; };
template <class T> struct remove_extent { typedef T type; };
template <class T> struct remove_extent<T[]> { typedef T type; };
template <class T, size_t N> struct remove_extent<T[N]> { typedef T type; };
template <class T> struct add_const { typedef const T type; };
template <class T> struct add_pointer { typedef typename remove_reference<T>::type *type; };
template <class T> struct add_lvalue_reference { typedef T &type; };
template <class T> struct add_rvalue_reference { typedef T &&type; };
template <class T> struct decay {
    typedef typename remove_cv<typename remove_extent<typename remove_reference<T>::type>::type>::type type;
};
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <class T> struct underlying_type { typedef __underlying_type(T) type; };
template <class T> struct make_unsigned { typedef T type; };
template <> struct make_unsigned<char> { typedef unsigned char type; };
template <> struct make_unsigned<signed char> { typedef unsigned char type; };
template <> struct make_unsigned<short> { typedef unsigned short type; };
template <> struct make_unsigned<int> { typedef unsigned int type; };
template <> struct make_unsigned<long> { typedef unsigned long type; };
template <> struct make_unsigned<long long> { typedef unsigned long long type; };
template <class T> struct make_signed { typedef T type; };
template <> struct make_signed<char> { typedef signed char type; };
template <> struct make_signed<unsigned char> { typedef signed char type; };
template <> struct make_signed<unsigned short> { typedef short type; };
template <> struct make_signed<unsigned int> { typedef int type; };
template <> struct make_signed<unsigned long> { typedef long type; };
template <> struct make_signed<unsigned long long> { typedef long long type; };
template <class T> using type_identity_t = typename type_identity<T>::type;
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_cvref_t = typename remove_cvref<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> using add_pointer_t = typename add_pointer<T>::type;
template <class T> using decay_t = typename decay<T>::type;
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;
template <class...> using void_t = void;

template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class T> struct is_void : is_same<void, typename remove_cv<T>::type> {};
template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct is_pointer_base : false_type {};
template <class T> struct is_pointer_base<T *> : true_type {};
template <class T> struct is_pointer : is_pointer_base<typename remove_cv<T>::type> {};
template <class T> struct is_reference : false_type {};
template <class T> struct is_reference<T &> : true_type {};
template <class T> struct is_reference<T &&> : true_type {};
template <class T> struct is_lvalue_reference : false_type {};
template <class T> struct is_lvalue_reference<T &> : true_type {};
template <class T> struct is_array : false_type {};
template <class T, size_t N> struct is_array<T[N]> : true_type {};
template <class T> struct is_array<T[]> : true_type {};
template <class T> struct is_floating_point_base : false_type {};
template <> struct is_floating_point_base<float> : true_type {};
template <> struct is_floating_point_base<double> : true_type {};
template <class T> struct is_floating_point : is_floating_point_base<typename remove_cv<T>::type> {};
template <class T> struct is_integral_base : false_type {};
template <> struct is_integral_base<bool> : true_type {};
template <> struct is_integral_base<char> : true_type {};
template <> struct is_integral_base<signed char> : true_type {};
template <> struct is_integral_base<unsigned char> : true_type {};
template <> struct is_integral_base<short> : true_type {};
template <> struct is_integral_base<unsigned short> : true_type {};
template <> struct is_integral_base<int> : true_type {};
template <> struct is_integral_base<unsigned int> : true_type {};
template <> struct is_integral_base<long> : true_type {};
template <> struct is_integral_base<unsigned long> : true_type {};
template <> struct is_integral_base<long long> : true_type {};
template <> struct is_integral_base<unsigned long long> : true_type {};
template <class T> struct is_integral : is_integral_base<typename remove_cv<T>::type> {};
template <class T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T> struct is_unsigned : bool_constant<is_integral<T>::value && (T(0) < T(-1))> {};
template <class T> struct is_signed : bool_constant<is_arithmetic<T>::value && (T(-1) < T(0))> {};
template <class T> struct is_enum : bool_constant<__is_enum(T)> {};
template <class T> struct is_class : bool_constant<__is_class(T)> {};
template <class T> struct is_empty : bool_constant<__is_empty(T)> {};
template <class T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class A, class R> struct unary_function {
    typedef A argument_type;
    typedef R result_type;
};
template <class A, class B, class R> struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};
template <class T> struct is_union : bool_constant<__is_union(T)> {};
template <class T> struct is_pod : bool_constant<__is_pod(T)> {};
template <class T> struct is_trivial : bool_constant<__is_trivial(T)> {};
template <class T> struct is_standard_layout : bool_constant<__is_standard_layout(T)> {};
template <class T> struct is_scalar
    : bool_constant<is_arithmetic<T>::value || is_enum<T>::value || is_pointer<T>::value> {};
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class A, class B> struct is_base_of : bool_constant<__is_base_of(A, B)> {};
template <class A, class B> struct is_convertible : bool_constant<__is_convertible_to(A, B)> {};
template <class T, class... Args> struct is_constructible : bool_constant<__is_constructible(T, Args...)> {};
template <class...> struct conjunction : true_type {};
template <class A> struct conjunction<A> : A {};
template <class A, class... B> struct conjunction<A, B...> : conditional_t<bool(A::value), conjunction<B...>, A> {};
template <class...> struct disjunction : false_type {};
template <class A> struct disjunction<A> : A {};
template <class A, class... B> struct disjunction<A, B...> : conditional_t<bool(A::value), A, disjunction<B...>> {};
template <class A> struct negation : bool_constant<!bool(A::value)> {};
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <class T> inline constexpr bool is_void_v = is_void<T>::value;
template <class T> inline constexpr bool is_const_v = is_const<T>::value;
template <class T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T> inline constexpr bool is_reference_v = is_reference<T>::value;
template <class T> inline constexpr bool is_lvalue_reference_v = is_lvalue_reference<T>::value;
template <class T> inline constexpr bool is_array_v = is_array<T>::value;
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T> inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T> inline constexpr bool is_enum_v = is_enum<T>::value;
template <class T> inline constexpr bool is_class_v = is_class<T>::value;
template <class T> inline constexpr bool is_empty_v = is_empty<T>::value;
template <class T> inline constexpr bool is_trivially_copyable_v = is_trivially_copyable<T>::value;
template <class T> inline constexpr bool is_union_v = is_union<T>::value;
template <class T> inline constexpr bool is_pod_v = is_pod<T>::value;
template <class T> inline constexpr bool is_trivial_v = is_trivial<T>::value;
template <class T> inline constexpr bool is_standard_layout_v = is_standard_layout<T>::value;
template <class T> inline constexpr bool is_scalar_v = is_scalar<T>::value;
template <class A, class B> inline constexpr bool is_base_of_v = is_base_of<A, B>::value;
template <class A, class B> inline constexpr bool is_convertible_v = is_convertible<A, B>::value;
template <class... A> inline constexpr bool conjunction_v = conjunction<A...>::value;
template <class... A> inline constexpr bool disjunction_v = disjunction<A...>::value;
template <class A> inline constexpr bool negation_v = negation<A>::value;
template <class T> __device__ typename add_rvalue_reference<T>::type declval() noexcept;

template <class T, T... I> struct integer_sequence {
    typedef T value_type;
    static constexpr size_t size() noexcept { return sizeof...(I); }
};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <class T, size_t N, size_t... I> struct make_integer_sequence_base
    : make_integer_sequence_base<T, N - 1, N - 1, I...> {};
template <class T, size_t... I> struct make_integer_sequence_base<T, 0, I...> {
    typedef integer_sequence<T, T(I)...> type;
};
template <class T, T N> using make_integer_sequence = typename make_integer_sequence_base<T, N>::type;
template <size_t N> using make_index_sequence = make_integer_sequence<size_t, N>;

template <class T> __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> __device__ constexpr const T &clamp(const T &v, const T &low, const T &high)
{
    return v < low ? low : high < v ? high : v;
}
template <class T> __device__ constexpr void swap(T &a, T &b)
{
    T kept = static_cast<T &&>(a);
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(kept);
}
template <class T> __device__ constexpr T *addressof(T &value) { return &value; }
template <class A, class B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
    __device__ constexpr pair() : first(), second() {}
    __device__ constexpr pair(const A &a, const B &b) : first(a), second(b) {}
};
template <class A, class B> __device__ constexpr pair<A, B> make_pair(A a, B b) { return pair<A, B>(a, b); }
template <class T, size_t N> struct array {
    typedef T value_type;
    T elements[N ? N : 1];
    __device__ constexpr T &operator[](size_t i) { return elements[i]; }
    __device__ constexpr const T &operator[](size_t i) const { return elements[i]; }
    __device__ constexpr size_t size() const { return N; }
    __device__ constexpr T *data() { return elements; }
    __device__ constexpr const T *data() const { return elements; }
    __device__ constexpr T *begin() { return elements; }
    __device__ constexpr const T *begin() const { return elements; }
    __device__ constexpr T *end() { return elements + N; }
    __device__ constexpr const T *end() const { return elements + N; }
};

template <size_t N, size_t A> struct aligned_storage {
    struct alignas(A) type {
        unsigned char bytes[N];
    };
};
template <size_t N, size_t A> using aligned_storage_t = typename aligned_storage<N, A>::type;

template <class T> struct complex {
    typedef T value_type;
    T parts[2];
    __device__ constexpr complex(T re = T(), T im = T()) : parts{re, im} {}
    __device__ constexpr T real() const { return parts[0]; }
    __device__ constexpr T imag() const { return parts[1]; }
};

/* Of the host. Classes that a kernel's file has may hold them; kernels do not use them. Sizes are those of GNU's. */
class string {
    alignas(8) char opaque[32];
};
template <class...> class vector {
    alignas(8) char opaque[24];
};
template <class...> class list {
    alignas(8) char opaque[24];
};
template <class...> class deque {
    alignas(8) char opaque[80];
};
template <class...> class queue {
    alignas(8) char opaque[80];
};
template <class...> class map {
    alignas(8) char opaque[48];
};
template <class...> class set {
    alignas(8) char opaque[48];
};
template <class...> class unordered_map {
    alignas(8) char opaque[56];
};
template <class...> class unordered_set {
    alignas(8) char opaque[56];
};
template <class...> class function {
    alignas(8) char opaque[32];
};
template <class...> class unique_ptr {
    alignas(8) char opaque[8];
};
template <class...> class shared_ptr {
    alignas(8) char opaque[16];
};
template <class...> class weak_ptr {
    alignas(8) char opaque[16];
};
template <class> class enable_shared_from_this {
    alignas(8) char opaque[16];
};
template <class T> class atomic {
    T opaque;
};
class mutex {
    alignas(8) char opaque[40];
};
class thread {
    alignas(8) char opaque[8];
};
class exception {
public:
    virtual ~exception();
};
class runtime_error : public exception {
    alignas(8) char opaque[8];
};
class ostream;
class istream;

enum float_round_style { round_indeterminate = -1, round_toward_zero, round_to_nearest };
enum float_denorm_style { denorm_indeterminate = -1, denorm_absent, denorm_present };
struct numeric_limits_base {
    static constexpr bool is_specialized = true, is_signed = false, is_integer = false, is_exact = false;
    static constexpr bool has_infinity = false, has_quiet_NaN = false, has_signaling_NaN = false;
    static constexpr bool has_denorm_loss = false, is_iec559 = false, is_bounded = true, is_modulo = false;
    static constexpr bool traps = false, tinyness_before = false;
    static constexpr int digits = 0, digits10 = 0, max_digits10 = 0, radix = 2;
    static constexpr int min_exponent = 0, min_exponent10 = 0, max_exponent = 0, max_exponent10 = 0;
    static constexpr float_denorm_style has_denorm = denorm_absent;
    static constexpr float_round_style round_style = round_toward_zero;
};
struct numeric_limits_real : numeric_limits_base {
    static constexpr bool is_signed = true, has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;
    static constexpr bool is_iec559 = true;
    static constexpr float_denorm_style has_denorm = denorm_present;
    static constexpr float_round_style round_style = round_to_nearest;
};
template <class T> struct numeric_limits : numeric_limits_base {
    static constexpr bool is_specialized = is_integral<T>::value, is_bounded = is_specialized;
    static constexpr bool is_integer = is_specialized, is_exact = is_specialized;
    static constexpr bool is_signed = std::is_signed<T>::value, is_modulo = is_specialized && !is_signed;
    static constexpr int digits = sizeof(T) * 8 - (std::is_signed<T>::value ? 1 : 0), digits10 = digits * 3 / 10;
    static constexpr __device__ T max() { return is_signed ? T((T(1) << (digits - 1)) - 1 + (T(1) << (digits - 1))) : T(~T(0)); }
    static constexpr __device__ T min() { return is_signed ? T(-max() - 1) : T(0); }
    static constexpr __device__ T lowest() { return min(); }
    static constexpr __device__ T epsilon() { return T(0); }
    static constexpr __device__ T round_error() { return T(0); }
    static constexpr __device__ T infinity() { return T(0); }
    static constexpr __device__ T quiet_NaN() { return T(0); }
    static constexpr __device__ T signaling_NaN() { return T(0); }
    static constexpr __device__ T denorm_min() { return T(0); }
};
template <> struct numeric_limits<bool> : numeric_limits_base {
    static constexpr bool is_integer = true, is_exact = true;
    static constexpr int digits = 1;
    static constexpr __device__ bool max() { return true; }
    static constexpr __device__ bool min() { return false; }
    static constexpr __device__ bool lowest() { return false; }
    static constexpr __device__ bool epsilon() { return false; }
    static constexpr __device__ bool round_error() { return false; }
    static constexpr __device__ bool infinity() { return false; }
    static constexpr __device__ bool quiet_NaN() { return false; }
    static constexpr __device__ bool signaling_NaN() { return false; }
    static constexpr __device__ bool denorm_min() { return false; }
};
template <> struct numeric_limits<float> : numeric_limits_real {
    static constexpr int digits = 24, digits10 = 6, max_digits10 = 9, max_exponent = 128, min_exponent = -125;
    static constexpr int max_exponent10 = 38, min_exponent10 = -37;
    static constexpr __device__ float max() { return 3.40282346638528859811704183484516925e+38F; }
    static constexpr __device__ float min() { return 1.17549435082228750796873653722224568e-38F; }
    static constexpr __device__ float lowest() { return -3.40282346638528859811704183484516925e+38F; }
    static constexpr __device__ float epsilon() { return 1.1920928955078125e-7F; }
    static constexpr __device__ float round_error() { return 0.5F; }
    static constexpr __device__ float infinity() { return __builtin_bit_cast(float, 0x7f800000); }
    static constexpr __device__ float quiet_NaN() { return __builtin_bit_cast(float, 0x7fc00000); }
    static constexpr __device__ float signaling_NaN() { return __builtin_bit_cast(float, 0x7fa00000); }
    static constexpr __device__ float denorm_min() { return __builtin_bit_cast(float, 1); }
};
template <> struct numeric_limits<double> : numeric_limits_real {
    static constexpr int digits = 53, digits10 = 15, max_digits10 = 17, max_exponent = 1024, min_exponent = -1021;
    static constexpr int max_exponent10 = 308, min_exponent10 = -307;
    static constexpr __device__ double max() { return 1.7976931348623157e+308; }
    static constexpr __device__ double min() { return 2.2250738585072014e-308; }
    static constexpr __device__ double lowest() { return -1.7976931348623157e+308; }
    static constexpr __device__ double epsilon() { return 2.2204460492503131e-16; }
    static constexpr __device__ double round_error() { return 0.5; }
    static constexpr __device__ double infinity() { return __builtin_bit_cast(double, 0x7ff0000000000000); }
    static constexpr __device__ double quiet_NaN() { return __builtin_bit_cast(double, 0x7ff8000000000000); }
    static constexpr __device__ double signaling_NaN() { return __builtin_bit_cast(double, 0x7ff4000000000000); }
    static constexpr __device__ double denorm_min() { return __builtin_bit_cast(double, 1LL); }
};

using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::lgamma;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lrint;
using ::lround;
using ::memcpy;
using ::memset;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::printf;
using ::remainder;
using ::rint;
using ::round;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
}
#endif
