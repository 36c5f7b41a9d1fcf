// autotune: x
#define AUTOTUNE_RENDERED 1
#line 1 "common/x.cuh"
/*!autotune
common x
*/
#ifndef AUTOTUNE_RENDERED
#pragma once
#endif
template <int n, class V = S<(n > 1)>> struct Access;
template <> struct Access<1> { using type = int; };
namespace n { int a; } extern "C" { int b; }
const char *s = "a\" } {", *r = R"x(}) )x"; static_assert(sizeof(int) == 4, "");
#if Q
int q[2] = { 1, 2 };
#else
struct alignas(16) Q { int a; } q;
#endif
template <class V> __device__ V load(const V *p) { return q[0] + *p; }
union U { int a; }; typedef int W; using namespace n;
extern "C" __global__ void __launch_bounds__(32)
k(W *p) { Access<1>::type x = load(p); asm("{}" : "=r"(x)); }
