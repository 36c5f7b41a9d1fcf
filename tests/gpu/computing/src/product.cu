// Somebody's kernel: parameters are macros, arguments in an order of its own, a C++ name.
#include "product.h"

#ifndef block_size_x
#define block_size_x 16
#endif
#ifndef block_size_y
#define block_size_y 16
#endif

template <typename real> __global__ void multiply(int n, int m, int k, const real *a, const real *b, real *c)
{
    int i = blockIdx.y * block_size_y + threadIdx.y, j = blockIdx.x * block_size_x + threadIdx.x;
    float sum = 0;
#if use_early_exit
    if (i >= m || j >= n)
        return;
#endif
    for (int l = 0; l < k; l++)
        sum += i < m && j < n ? (float)a[AT_ROW(i, k) + l] * (float)b[AT_ROW(l, n) + j] : 0.f;
    if (i < m && j < n)
        c[AT_ROW(i, n) + j] = (real)sum;
}
