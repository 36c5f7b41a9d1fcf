/*
 * runs.cu - how long must a contiguous run be? A warp moves 512 bytes: in one linear piece on one side, in
 * runs of RUN bytes, one below the other, on the other side.
 *
 * "near": the next warp of the block has the runs beside, so that lines are complete soon, as in a transpose.
 * "far": the runs beside belong to another block much later: every run is a transaction with memory of its
 * own.
 */
#include "bench.cuh"

constexpr long long PITCH = 64 << 10; /* bytes between runs of a warp */
constexpr int WARPS = 8;              /* in a block                   */

enum Place { NEAR, FAR };

/* Offset in 16-byte vectors of a lane's vector on the scattered side. */
template <int RUN, Place place> __device__ size_t scattered(size_t warp, int lane)
{
    constexpr int lanes = RUN / 16, rows = 512 / RUN; /* of a warp's piece  */
    constexpr size_t across = PITCH / RUN;            /* pieces side by side */
    const size_t band = warp / across, within = warp % across;
    const size_t x = place == NEAR ? within : within % WARPS * (across / WARPS) + within / WARPS;
    return ((band * rows + lane / lanes) * PITCH + x * RUN) / 16 + lane % lanes;
}

template <int RUN, Place place, bool stores>
__global__ void __launch_bounds__(WARPS * 32) move(uint4 *__restrict__ out, const uint4 *__restrict__ in)
{
    const size_t warp = blockIdx.x * (size_t)WARPS + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const size_t straight = warp * 32 + lane, turned = scattered<RUN, place>(warp, lane);
    out[stores ? turned : straight] = in[stores ? straight : turned];
}

template <int RUN, Place place, bool stores> void measure(const Buffers &b, double copy)
{
    const double us = median_us([&] {
        move<RUN, place, stores>
            <<<(unsigned)(b.bytes / 512 / WARPS), WARPS * 32>>>((uint4 *)b.out, (const uint4 *)b.in);
    });
    printf("runs   %s %s %4d bytes   %8.1f us  %5.1f %%\n", stores ? "stores" : "loads ",
           place == NEAR ? "near" : "far ", RUN, us, 100 * copy / us);
}

template <int RUN> void measure_all(const Buffers &b, double copy)
{
    measure<RUN, NEAR, false>(b, copy);
    measure<RUN, FAR, false>(b, copy);
    measure<RUN, NEAR, true>(b, copy);
    measure<RUN, FAR, true>(b, copy);
}

int main()
{
    const Buffers b = buffers_open((size_t)1 << 30);
    const double copy = copy_us(b, b.bytes);
    printf("runs   copy of %zu MiB %18.1f us  100.0 %%\n", b.bytes >> 20, copy);
    measure_all<16>(b, copy);
    measure_all<32>(b, copy);
    measure_all<64>(b, copy);
    measure_all<128>(b, copy);
    measure_all<256>(b, copy);
    measure_all<512>(b, copy);
    return 0;
}
