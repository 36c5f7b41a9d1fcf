/* host_matmul.c - see host_matmul.h. */
#include "host_matmul.h"

#include <math.h>
#include <string.h>

bool host_is_matmul(const char *name)
{
    return strncmp(name, "matmul", 6) == 0;
}

static bool is_called(const char *name, const char *kernel)
{
    return strcmp(name + 6, kernel) == 0;
}

/* In f32, from the last product to the first: rounded otherwise than the reference. */
static float sum_in_float(const float *a, const float *b, int64_t n, int64_t k)
{
    float sum = 0;
    for (int64_t i = k - 1; i >= 0; i--)
        sum += a[i] * b[i * n];
    return sum;
}

static float sum_in_double(const float *a, const float *b, int64_t n, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; i < k; i++)
        sum += (double)a[i] * (double)b[i * n];
    return (float)sum;
}

void host_matmul(const char *name, const uint64_t *p)
{
    const float *a = (const float *)(uintptr_t)p[1], *b = (const float *)(uintptr_t)p[2];
    float *c = (float *)(uintptr_t)p[0];
    int64_t m = (int64_t)p[3], n = (int64_t)p[4], k = (int64_t)p[5];
    if (is_called(name, "_nothing"))
        return;
    if (is_called(name, "_swapped")) {
        a = (const float *)(uintptr_t)p[2];
        b = (const float *)(uintptr_t)p[1];
    }
    for (int64_t row = 0; row < m; row++)
        for (int64_t col = 0; col < n; col++) {
            float *to = &c[row * n + col];
            if (is_called(name, "_nan"))
                *to = NAN;
            else if (is_called(name, "_reference"))
                *to = sum_in_double(a + row * k, b + col, n, k);
            else
                *to = sum_in_float(a + row * k, b + col, n, is_called(name, "_half") ? k / 2 : k);
        }
    if (is_called(name, "_outside"))
        c[m * n] = 1;
}
