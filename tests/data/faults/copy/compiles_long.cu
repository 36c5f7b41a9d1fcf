/*!autotune
template  compiles_long                   # compiles for minutes
grid      ceil_div(count, 256)
block     256
*/

#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

template <int I, int DEPTH> struct Tree {
    static __device__ T of(const T *p) { return Tree<2 * I, DEPTH - 1>::of(p) / (p[I] + Tree<2 * I + 1, DEPTH - 1>::of(p)); }
};
template <int I> struct Tree<I, 0> {
    static __device__ T of(const T *p) { return p[I]; }
};

extern "C" __global__ void copy_compiles_long(T *out, const T *in, long long batch, long long rows, long long cols)
{
    const long long count = batch * rows * cols;
    const long long i     = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = Tree<1, 16>::of(in);
}
