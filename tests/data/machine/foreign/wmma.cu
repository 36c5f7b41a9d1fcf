// grid 1 block 32: wmma of small whole numbers, in its types and shapes, by rows and by columns.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

enum { MOST = 32 * 32 };

template <class T> __device__ T number(unsigned bits)
{
    return T((float)(bits % 7) - 3);
}
template <> __device__ unsigned char number(unsigned bits)
{
    return bits;
}
template <> __device__ signed char number(unsigned bits)
{
    return bits;
}

template <bool first, class A, class B> struct either {
    using type = A;
};
template <class A, class B> struct either<false, A, B> {
    using type = B;
};

template <class T> struct stored {
    using type = T;
};
template <> struct stored<wmma::precision::tf32> {
    using type = float;
};

/* A is by rows and B by columns where `turned` is false, else the other way round. */
template <class T, class Sum, int M, int N, int K, bool turned> 
__device__ int by_tensors(unsigned *out, const unsigned *in, double *memory)
{
    using S = typename stored<T>::type;
    using by_rows = wmma::row_major;
    using by_columns = wmma::col_major;
    S *a = (S *)memory, *b = (S *)(memory + MOST);
    Sum *c = (Sum *)(memory + 2 * MOST);
    for (int i = threadIdx.x; i < MOST; i += 32) {
        a[i] = number<S>(in[i]);
        b[i] = number<S>(in[i + 1000]);
        c[i] = number<Sum>(in[i + 2000] % 100);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, T, typename either<turned, by_columns, by_rows>::type> x;
    wmma::fragment<wmma::matrix_b, M, N, K, T, typename either<turned, by_rows, by_columns>::type> y;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> z;
    wmma::load_matrix_sync(x, a, turned ? M : K);
    wmma::load_matrix_sync(y, b, turned ? N : K);
    wmma::load_matrix_sync(z, c, turned ? M : N, turned ? wmma::mem_col_major : wmma::mem_row_major);
    wmma::mma_sync(z, x, y, z);
    for (int i = 0; i < z.num_elements; i++)
        z.x[i] = z.x[i] + Sum(1);
    __syncwarp();
    wmma::store_matrix_sync(c, z, N, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < M * N; i += 32)
        out[i] = (unsigned)(int)(float)c[i];
    __syncwarp();
    return M * N;
}

template <class T, class Sum, int M, int N, int K, bool turned> 
__device__ int plainly(unsigned *out, const unsigned *in, double *)
{
    using S = typename stored<T>::type;
    for (int i = threadIdx.x; i < M * N; i += 32) {
        const int row = i / N, column = i % N;
        float sum = (float)number<Sum>(in[(turned ? column * M + row : i) + 2000] % 100) + 1;
        for (int k = 0; k < K; k++)
            sum += (float)number<S>(in[turned ? k * M + row : row * K + k]) *
                   (float)number<S>(in[(turned ? k * N + column : column * K + k) + 1000]);
        out[i] = (unsigned)(int)sum;
    }
    return M * N;
}

#define ALL(DO)                                                                                              \
    int n = 0;                                                                                               \
    n += DO<half, float, 16, 16, 16, false>(out + n, in, memory);                                                    \
    n += DO<half, float, 16, 16, 16, true>(out + n, in, memory);                                                     \
    n += DO<half, half, 16, 16, 16, false>(out + n, in, memory);                                                     \
    n += DO<half, half, 16, 16, 16, true>(out + n, in, memory);                                                      \
    n += DO<half, float, 32, 8, 16, false>(out + n, in, memory);                                                     \
    n += DO<half, float, 8, 32, 16, true>(out + n, in, memory);                                                      \
    n += DO<__nv_bfloat16, float, 16, 16, 16, false>(out + n, in, memory);                                           \
    n += DO<__nv_bfloat16, float, 32, 8, 16, true>(out + n, in, memory);                                             \
    n += DO<__nv_bfloat16, float, 8, 32, 16, false>(out + n, in, memory);                                            \
    n += DO<signed char, int, 16, 16, 16, false>(out + n, in, memory);                                               \
    n += DO<signed char, int, 32, 8, 16, true>(out + n, in, memory);                                                 \
    n += DO<unsigned char, int, 8, 32, 16, false>(out + n, in, memory);                                              \
    n += DO<wmma::precision::tf32, float, 16, 16, 8, false>(out + n, in, memory);                                    \
    n += DO<wmma::precision::tf32, float, 16, 16, 8, true>(out + n, in, memory);                                     \
    n += DO<double, double, 8, 8, 4, false>(out + n, in, memory);                                                    \
    n += DO<double, double, 8, 8, 4, true>(out + n, in, memory);

extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    __shared__ __align__(32) double memory[3 * MOST];
    ALL(by_tensors)
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    double *const memory = nullptr;
    ALL(plainly)
}
