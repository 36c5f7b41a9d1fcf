#ifndef DEPTH
#  define DEPTH (16) // elements
#endif
#ifndef WAYS
#define WAYS 4u
#endif
namespace mine { inline namespace v1 { struct other { int x; }; }
template <typename U> __device__ U twice(U x) { return x + x; }
namespace inner {
template <class Element, int BLOCK_SIZE, int TILE = 8, bool CHECKED = true>
__global__ void scale(Element *out, const Element *in, Element factor, int n)
{
    extern __shared__ float part[];
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    part[threadIdx.x] = (float)in[i] * DEPTH * WAYS * TILE;
    if (!CHECKED || i < n)
        out[i] = twice((Element)part[threadIdx.x] * factor);
}
} // namespace inner
} // namespace mine
