/*!autotune
template  flat                         # some lanes have a group in registers, and several groups before the first is written
use       groups                       # with its parameters
general   EDGE=1

require   ELEMS * EACH <= 64           # 64 registers hold what is read

arg       q scales in tokens
grid      blocks
block     THREADS
default   ELEMS=8 EACH=2 THREADS=256 HINT=none BYTES=16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int ELEMS = 8, EACH = 2, THREADS = 256, BYTES = 16, LAYOUT = 1, GROUP = 128, GROUPS = 32, EDGE = 1;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT_apart = 3, HINT = HINT_none;
#include "../common/groups.cuh"
#endif

struct Mine {
    Elements<ELEMS, BYTES> gate, up;
    const T *in;
    float value[ELEMS];

    __device__ __forceinline__ void read(int token, int column)
    {
        const T *from = in + (long long)token * (2 * GROUPS * GROUP) + column;
        gate.template read<HINT >= HINT_keep, false>(from);
        up.template read<HINT >= HINT_keep, false>(from + GROUPS * GROUP);
    }

    __device__ __forceinline__ float largest() /* of what is computed here, when all has been read */
    {
        float most = 0;
#pragma unroll
        for (int i = 0; i < ELEMS; i++) {
            value[i] = __fdividef(gate[i] * up[i], 1 + __expf(-gate[i]));
            most = fmaxf(most, fabsf(value[i]));
        }
        return most;
    }

    __device__ __forceinline__ float operator[](int i) const { return value[i]; }
};

extern "C" __global__ void __launch_bounds__(THREADS)
silu_mul_quant_flat(unsigned char *__restrict__ q, unsigned char *__restrict__ scales, const T *__restrict__ in, long long tokens)
{
    constexpr bool ONCE = HINT == HINT_once || HINT == HINT_apart;
    Mine from = {};
    from.in = in;
    quantize_groups<Mine, false, THREADS, ELEMS, EACH, BYTES, LAYOUT, GROUP, GROUPS, EDGE, ONCE>(q, scales, tokens, from);
}
