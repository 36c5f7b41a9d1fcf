// grid 1 block 64: functions called by their address, virtual ones, recursion.
static __device__ unsigned plus(unsigned a)
{
    return a + 5;
}
static __device__ unsigned times(unsigned a)
{
    return a * 3;
}
static __device__ unsigned bits(unsigned a)
{
    return __popc(a);
}
typedef unsigned function(unsigned);
__device__ function *const table[3] = { plus, times, bits };

struct shape {
    __device__ virtual unsigned size(unsigned n) const = 0;
};
struct square : shape {
    unsigned side;
    __device__ explicit square(unsigned s) : side(s)
    {
    }
    __device__ unsigned size(unsigned n) const override
    {
        return side * side + n;
    }
};
struct line : shape {
    __device__ unsigned size(unsigned n) const override
    {
        return n;
    }
};

static __device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    const unsigned t = threadIdx.x, v = in[t];
    const square a(v & 0xff);
    const line b;
    const shape *which = v & 1 ? (const shape *)&a : &b;
    for (unsigned i = 0; i < (v & 3); i++) /* so that nobody knows at compile time which it is */
        which = which == &a ? (const shape *)&b : &a;
    out[t] = table[v % 3](v) + table[in[0] % 3](t) + which->size(t) + fibonacci(v % 12);
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    const unsigned t = threadIdx.x, v = in[t], w = in[0] % 3, of_square = (v & 1) ^ (v & 1) ^ ((v & 3) & 1) ^ (v & 1);
    unsigned r = v % 3 == 0 ? v + 5 : v % 3 == 1 ? 3 * v : __popc(v), last = 0, next = 1;
    r += w == 0 ? t + 5 : w == 1 ? 3 * t : __popc(t);
    r += t + (of_square ? (v & 0xff) * (v & 0xff) : 0);
    for (unsigned i = 0; i < v % 12; i++) {
        const unsigned sum = last + next;
        last = next;
        next = sum;
    }
    out[t] = r + last;
}
