#define AUTOTUNE_ARG(name) name
using T = unsigned;
constexpr int A = 1, B = 0, N = sizeof(T) * 2;
enum { P_a = 0, P_b = 1 };
constexpr int P = P_b;
#line 1 "t.cu"
__global__ void k(T *p, int AUTOTUNE_ARG(n))
{
    const int a = n, b = a;
    if (A || n) { f(); } else if (B) g(); else { h(); }
    for (int i = 0; i < n; i++)
        if (!A || (P == P_b && i < n)) {
            p[i] = 1; /* x */
        }
#if X
    if (B)
        return;
#endif
    if (N == 8 && n > 1) p[0] = 2; // y
}
