/*!autotune
template  heads                        # a thread has some pairs of a head, and the same of further heads, whose angles are the same
use       access policy wide

param     PAIRS   = 2 4 8 16           # of a thread and head, side by side
param     BYTES   = 16 32              # of an access to elements, at most
param     EACH    = 1 2 4 8            # heads of a thread
param     THREADS = 64 128 256 512     # threads a block
param     HINT    = none once          # reads and writes are marked as not needed again

const     INTERLEAVED = style == style_interleaved
const     Q_HEADS = q_heads
const     K_HEADS = k_heads
const     HEAD    = head
const     PARTS   = head / 2 / PAIRS   # of a head
let       heads   = q_heads + k_heads
const     APART   = ceil_div(heads, EACH) # between two heads of a thread
let       items   = tokens * APART * PARTS
const     RAGGED  = heads % EACH != 0

require   head % (2 * PAIRS) == 0
require   BYTES == 16 ? PAIRS <= 8 : device.cc >= 100 && PAIRS * sizeof(T) * (style == style_interleaved ? 2 : 1) >= 32 # older devices have no wider ones
require   PAIRS % 4 == 0 || head % 8 != 0 # far narrower than the alignment allows is slow
require   EACH == 1 || APART * EACH < heads + APART # every thread has heads
require   EACH <= heads
require   items < 2147480000 && ceil_div(items, THREADS) <= device.max_grid_x
require   THREADS <= device.max_threads_per_block

arg       q k q_in k_in table position tokens
grid      ceil_div(items, THREADS)
block     THREADS
default   PAIRS=8 EACH=4 THREADS=256 HINT=none BYTES=16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int PAIRS = 4, BYTES = 16, EACH = 4, THREADS = 256, INTERLEAVED = 0, Q_HEADS = 32, K_HEADS = 8, HEAD = 128, PARTS = 16, APART = 10, RAGGED = 0;
constexpr int HINT_none = 0, HINT_once = 1, HINT = HINT_none;
#include "../common/access.cuh"
#include "../common/policy.cuh"
#include "../common/wide.cuh"
#endif

constexpr int  RUN  = INTERLEAVED ? 2 * PAIRS : PAIRS; /* elements side by side */
constexpr int  PER  = RUN * ES < BYTES ? RUN : BYTES / ES;   /* of an access */
constexpr bool ONCE = HINT == HINT_once;

struct Pairs { /* of a head: elements of the pairs, or all first ones and then all second ones */
    Vector<PER> part[2 * PAIRS / PER];

    __device__ __forceinline__ static int offset(int i) { return i * PER % RUN + i * PER / RUN * (HEAD / 2); }
    __device__ __forceinline__ T &at(int e) { return part[e / PER].element[e % PER]; }
    __device__ __forceinline__ T &first(int p) { return at(INTERLEAVED ? 2 * p : p); }
    __device__ __forceinline__ T &second(int p) { return at(INTERLEAVED ? 2 * p + 1 : PAIRS + p); }

    __device__ __forceinline__ void read(const T *from)
    {
#pragma unroll
        for (int i = 0; i < 2 * PAIRS / PER; i++)
            part[i].bits = load<false, ONCE>((const typename Vector<PER>::Bits *)(from + offset(i)));
    }

    __device__ __forceinline__ void write(T *to) const
    {
#pragma unroll
        for (int i = 0; i < 2 * PAIRS / PER; i++)
            store<ONCE>((typename Vector<PER>::Bits *)(to + offset(i)), part[i].bits);
    }
};

struct Angles {
    float of[PAIRS];

    __device__ __forceinline__ void read(const float *from)
    {
        using Bits = typename Access<PAIRS == 2 ? 8 : 16>::type;
        constexpr int EACH_READ = sizeof(Bits) / 4;
#pragma unroll
        for (int i = 0; i < PAIRS / EACH_READ; i++) {
            union { Bits bits; float number[EACH_READ]; } some;
            some.bits = ((const Bits *)from)[i];
#pragma unroll
            for (int k = 0; k < EACH_READ; k++)
                of[i * EACH_READ + k] = some.number[k];
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS)
rope_heads(T *__restrict__ q, T *__restrict__ k, const T *__restrict__ q_in, const T *__restrict__ k_in, const float *__restrict__ table,
    const int *__restrict__ position, long long tokens)
{
    const unsigned item = blockIdx.x * THREADS + threadIdx.x;
    const int part = (int)(item % PARTS), head = (int)(item / PARTS % APART);
    const long long token = item / PARTS / APART;
    const int column = part * RUN;
    Pairs  pairs[EACH];
    Angles cosines, sines;

    if (token >= tokens)
        return;
    const float *angles = table + position[token] * (long long)HEAD + part * PAIRS;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int h = head + i * APART;
        if (!RAGGED || h < Q_HEADS + K_HEADS)
            pairs[i].read((h < Q_HEADS ? q_in + (token * Q_HEADS + h) * HEAD : k_in + (token * K_HEADS + h - Q_HEADS) * HEAD) + column);
    }
    cosines.read(angles);
    sines.read(angles + HEAD / 2);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int h = head + i * APART;
        if (RAGGED && h >= Q_HEADS + K_HEADS)
            continue;
#pragma unroll
        for (int p = 0; p < PAIRS; p++) {
            const float a = (float)pairs[i].first(p), b = (float)pairs[i].second(p);
            pairs[i].first(p) = (T)fmaf(-b, sines.of[p], __fmul_rn(a, cosines.of[p]));
            pairs[i].second(p) = (T)fmaf(a, sines.of[p], __fmul_rn(b, cosines.of[p]));
        }
        pairs[i].write((h < Q_HEADS ? q + (token * Q_HEADS + h) * HEAD : k + (token * K_HEADS + h - Q_HEADS) * HEAD) + column);
    }
}
