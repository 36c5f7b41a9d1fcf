/*!autotune
template  flat                         # a thread has the same piece of some tokens' rows of k and v
use       cache_rows                   # with its parameters

param     HINT    = none once keep apart # writes are marked as not needed soon; reads as to be kept in the L2; or both

const     READ    = CONVERT ? ELEMS : min(ELEMS, BYTES / sizeof(T)) # elements of a read access
const     WRITE   = min(ELEMS, BYTES / sizeof(T)) # of a write access

require   HINT <= HINT_once || (device.cc >= 80 && READ * bytes >= 4 && moved >= device.l2_bytes / 4) # older devices have no such reads

arg       k v k_cache v_cache slot k_scale v_scale slots tokens
grid      ceil_div(items, THREADS)
block     THREADS
default   ELEMS=8 EACH=1 THREADS=256 HINT=none BYTES=16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int ELEMS = 8, BYTES = 16, EACH = 1, THREADS = 256, CONVERT = 1, WIDTH = 1024, PARTS = 128, READ = 8, WRITE = 4;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT_apart = 3, HINT = HINT_none;
#include "../common/cache_rows.cuh"
#endif

struct Piece { /* of a row of a cache, as it is there */
    using Bits = Access<READ * (CONVERT ? 1 : ES)>::type;
    union { Bits bits[ELEMS / READ]; T element[CONVERT ? 1 : ELEMS]; unsigned char code[ELEMS]; };

    __device__ __forceinline__ void read(const unsigned char *cache, long long place)
    {
        const Bits *from = CONVERT ? (const Bits *)(cache + place) : (const Bits *)((const T *)cache + place);
#pragma unroll
        for (int i = 0; i < ELEMS / READ; i++)
            bits[i] = load<HINT >= HINT_keep>(from + i);
    }

    __device__ __forceinline__ void write(T *to, float scale) const
    {
        Vector<WRITE> part[ELEMS / WRITE];
#pragma unroll
        for (int i = 0; i < ELEMS; i++)
            if constexpr (!CONVERT)
                part[i / WRITE].element[i % WRITE] = element[i];
            else if (i % 2 == 0) {
                const float2 two = from_e4m3(code[i] | (unsigned)(i + 1 < ELEMS ? code[i + 1] : 0) << 8);
                part[i / WRITE].element[i % WRITE] = (T)(two.x * scale);
                if (i + 1 < ELEMS)
                    part[i / WRITE].element[(i + 1) % WRITE] = (T)(two.y * scale);
            }
#pragma unroll
        for (int i = 0; i < ELEMS / WRITE; i++)
            store<HINT == HINT_once || HINT == HINT_apart>((typename Vector<WRITE>::Bits *)to + i, part[i].bits);
    }
};

extern "C" __global__ void __launch_bounds__(THREADS)
kv_gather_flat(T *__restrict__ k, T *__restrict__ v, const unsigned char *__restrict__ k_cache, const unsigned char *__restrict__ v_cache,
    const long long *__restrict__ slot, const float *__restrict__ k_scale, const float *__restrict__ v_scale, long long slots,
    long long tokens)
{
    const unsigned item = blockIdx.x * THREADS + threadIdx.x;
    const int column = (int)(item % PARTS) * ELEMS;
    const long long first = item / PARTS, apart = (tokens + EACH - 1) / EACH;
    const float k_by = CONVERT ? k_scale[0] : 1, v_by = CONVERT ? v_scale[0] : 1;
    Piece of_k[EACH], of_v[EACH];

    if (first >= apart)
        return;
    const Slots<EACH> row(slot, first, apart, tokens);
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (EACH == 1 || first + i * apart < tokens) {
#ifdef AUTOTUNE_CHECK
            if (row.of[i] < 0 || row.of[i] >= slots)
                __trap();
#endif
            of_k[i].read(k_cache, row.of[i] * WIDTH + column);
            of_v[i].read(v_cache, row.of[i] * WIDTH + column);
        }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const long long token = first + i * apart;
        if (EACH == 1 || token < tokens) {
            of_k[i].write(k + token * WIDTH + column, k_by);
            of_v[i].write(v + token * WIDTH + column, v_by);
        }
    }
}
