/*!autotune
template  flat                         # a thread has the same piece of some tokens' rows of k and v
use       cache_rows                   # with its parameters

param     HINT    = none once keep     # what the L2 is told of reads: nothing, that they are not needed again, to keep them

const     READ    = min(ELEMS, BYTES / sizeof(T)) # elements of an access

require   HINT != HINT_keep || (device.cc >= 80 && READ * sizeof(T) >= 4 && moved >= device.l2_bytes / 4) # older devices have no such reads

arg       k_cache v_cache k v slot k_scale v_scale slots tokens
grid      ceil_div(items, THREADS)
block     THREADS
default   ELEMS=8 EACH=1 THREADS=256 HINT=none BYTES=16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int ELEMS = 8, BYTES = 16, EACH = 1, THREADS = 256, CONVERT = 1, WIDTH = 1024, PARTS = 128, READ = 4;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT = HINT_none;
#include "../common/cache_rows.cuh"
#endif

struct Piece { /* of a row */
    Vector<READ> part[ELEMS / READ];

    __device__ __forceinline__ void read(const T *from)
    {
#pragma unroll
        for (int i = 0; i < ELEMS / READ; i++)
            part[i].bits = load<HINT == HINT_keep, HINT == HINT_once>((const typename Vector<READ>::Bits *)from + i);
    }

    __device__ __forceinline__ float operator[](int i) const { return (float)part[i / READ].element[i % READ]; }

    __device__ __forceinline__ void write(unsigned char *cache, long long place, float by) const
    {
        if constexpr (CONVERT && ELEMS >= 4) {
            write_e4m3<ELEMS, false, BYTES>(cache + place, *this, by);
        } else if constexpr (CONVERT) {
#pragma unroll
            for (int i = 0; i < ELEMS; i++)
                cache[place + i] = (unsigned char)convert_pair<TO_E4M3>((*this)[i] * by, 0);
        } else
#pragma unroll
            for (int i = 0; i < ELEMS / READ; i++)
                ((typename Vector<READ>::Bits *)((T *)cache + place))[i] = part[i].bits;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS)
kv_write_flat(unsigned char *__restrict__ k_cache, unsigned char *__restrict__ v_cache, const T *__restrict__ k, const T *__restrict__ v,
    const long long *__restrict__ slot, const float *__restrict__ k_scale, const float *__restrict__ v_scale, long long slots,
    long long tokens)
{
    const unsigned item = blockIdx.x * THREADS + threadIdx.x;
    const int column = (int)(item % PARTS) * ELEMS;
    const long long first = item / PARTS, apart = (tokens + EACH - 1) / EACH;
    const float k_by = CONVERT ? 1 / k_scale[0] : 1, v_by = CONVERT ? 1 / v_scale[0] : 1;
    Piece of_k[EACH], of_v[EACH];

    if (first >= apart)
        return;
    const Slots<EACH> row(slot, first, apart, tokens);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const long long token = first + i * apart;
        if (EACH == 1 || token < tokens) {
            of_k[i].read(k + token * WIDTH + column);
            of_v[i].read(v + token * WIDTH + column);
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (row.of[i] >= 0 && row.of[i] < slots) {
            of_k[i].write(k_cache, row.of[i] * WIDTH + column, k_by);
            of_v[i].write(v_cache, row.of[i] * WIDTH + column, v_by);
        }
}
