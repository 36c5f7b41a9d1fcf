#include "x.h" // "
/* __global__ */
#ifndef BLOCK
#  define BLOCK 64
#endif
#ifndef EMPTY
#define EMPTY
#endif
#ifndef TILE
#define TILE 4u
template <typename U> __global__ void __launch_bounds__(BLOCK, (2)) f(const U *__restrict__ a, float b[], unsigned long long n, float4 *v, std::pair<int, int> p, char c = ')') { }
