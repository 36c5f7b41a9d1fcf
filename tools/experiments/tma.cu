/*
 * tma.cu - does the copy engine for tensors (cp.async.bulk.tensor) move a transpose's tiles faster than plain
 * vector accesses? Loads into shared memory with the engine's 128-byte swizzle; stores from registers, or by
 * the engine from a second tile; one to four tiles in flight a block, blocks that stay (persistent) when
 * there are several.
 */
#include "bench.cuh"

#include <cudaTypedefs.h>

#include <cstdint>
#include <cstring>

constexpr int BOX = 128; /* bytes along a row: the widest that the swizzle takes */

static CUtensorMap map_of(void *memory, size_t element, long long rows, long long cols, int box_rows)
{
    static PFN_cuTensorMapEncodeTiled_v12000 encode;
    CUtensorMap map;
    if (!encode) {
        cudaDriverEntryPointQueryResult found;
        MUST(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                              cudaEnableDefault, &found));
    }
    const CUtensorMapDataType type = element == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                     : element == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                     : element == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                                    : CU_TENSOR_MAP_DATA_TYPE_UINT64;
    const cuuint64_t sizes[] = { (cuuint64_t)cols, (cuuint64_t)rows },
                     pitch[] = { (cuuint64_t)cols * element };
    const cuuint32_t box[] = { (cuuint32_t)(BOX / element), (cuuint32_t)box_rows }, step[] = { 1, 1 };
    const CUresult status = encode(&map, type, 2, memory, sizes, pitch, box, step,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                   CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS) {
        fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", (int)status);
        exit(1);
    }
    return map;
}

__device__ unsigned address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ void barrier_init(uint64_t *b)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(b)));
}

__device__ void expect(uint64_t *b, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(b)), "r"(bytes)
                 : "memory");
}

__device__ void wait(uint64_t *b, unsigned parity)
{
    asm volatile("{\n .reg .pred done;\n again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n @!done "
                 "bra again;\n}" ::"r"(address(b)),
                 "r"(parity)
                 : "memory");
}

__device__ void fetch(void *to, const CUtensorMap *map, int x, int y, uint64_t *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
                 "{%2, %3}], [%4];" ::"r"(address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(address(b))
                 : "memory");
}

__device__ void put(const CUtensorMap *map, int x, int y, const void *from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
                 "r"(x), "r"(y), "r"(address(from))
                 : "memory");
}

/* A tile is `side` elements wide and high: side * size / 128 boxes of side rows, in memory one behind the
 * other. */
template <typename T_, int SIDE_, int THREADS_, int STAGES_, bool ENGINE_STORES_> struct Way {
    using T = T_;
    static constexpr int SIDE = SIDE_, THREADS = THREADS_, STAGES = STAGES_, PER = 16 / sizeof(T),
                         BOXES = SIDE * (int)sizeof(T) / BOX;
    static constexpr bool ENGINE_STORES = ENGINE_STORES_;
    static constexpr int BYTES = SIDE * SIDE * sizeof(T), PIECES = BYTES / 16 / THREADS;
    static constexpr int SHARED = 1024 + BYTES * (STAGES + ENGINE_STORES) + 8 * STAGES;
};

/* Byte offset of 16-byte piece `piece` of row `row` as the engine swizzles it. */
template <class Way> __device__ int place(int row, int piece)
{
    return (piece / 8 * Way::SIDE + row) * BOX + (piece % 8 ^ row % 8) * 16;
}

template <class Way>
__device__ void begin(const CUtensorMap *map, unsigned char *tile, uint64_t *full, int r0, int c0)
{
    expect(full, Way::BYTES);
    for (int i = 0; i < Way::BOXES; i++)
        fetch(tile + i * Way::SIDE * BOX, map, c0 + i * BOX / (int)sizeof(typename Way::T), r0, full);
}

template <class Way>
__device__ void turn_tile(typename Way::T *out, const unsigned char *tile, unsigned char *turned,
                          long long rows, int r0, int c0)
{
    using T = typename Way::T;
    constexpr int lanes = Way::SIDE / Way::PER; /* pieces of an output row */
#pragma unroll
    for (int i = 0; i < Way::PIECES; i++) {
        const int n = threadIdx.x + i * Way::THREADS, r = n % lanes, c = n / lanes;
        union {
            uint4 bits;
            T element[Way::PER];
        } column;
#pragma unroll
        for (int k = 0; k < Way::PER; k++)
            column.element[k] =
                *(const T *)(tile + place<Way>(r * Way::PER + k, c / Way::PER) + c % Way::PER * sizeof(T));
        if (Way::ENGINE_STORES)
            *(uint4 *)(turned + place<Way>(c, r)) = column.bits;
        else
            ((uint4 *)(out + c0 * rows + r0))[c * (int)(rows / Way::PER) + r] = column.bits;
    }
}

template <class Way> __device__ void end(const CUtensorMap *map, const unsigned char *turned, int r0, int c0)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < Way::BOXES; i++)
            put(map, r0 + i * BOX / (int)sizeof(typename Way::T), c0, turned + i * Way::SIDE * BOX);
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

/* Strips of 16 tile rows, as in orders.cu. */
__device__ void tile_of(int &r0, int &c0, unsigned t, unsigned tiles, int side)
{
    const unsigned strip = t / (16 * tiles), within = t % (16 * tiles), first = strip * 16,
                   here = min(16u, tiles - first);
    r0 = (int)(first + within % here) * side;
    c0 = (int)(within / here) * side;
}

template <class Way>
__global__ void __launch_bounds__(Way::THREADS)
    turn(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out_map,
         typename Way::T *__restrict__ out, long long rows)
{
    extern __shared__ unsigned char memory[];
    unsigned char *const stages = memory + (-address(memory) & 1023);
    unsigned char *const turned = stages + Way::STAGES * Way::BYTES;
    uint64_t *const full = (uint64_t *)(stages + (Way::STAGES + Way::ENGINE_STORES) * Way::BYTES);
    const unsigned tiles = (unsigned)(rows / Way::SIDE);
    int r0, c0;

    if (threadIdx.x == 0) {
        for (int i = 0; i < Way::STAGES; i++)
            barrier_init(full + i);
        asm volatile("fence.mbarrier_init.release.cluster;\n fence.proxy.async.shared::cta;" ::: "memory");
        for (int i = 0; i < Way::STAGES; i++) {
            const unsigned t = blockIdx.x + i * gridDim.x;
            if (t < tiles * tiles) {
                tile_of(r0, c0, t, tiles, Way::SIDE);
                begin<Way>(&in, stages + i * Way::BYTES, full + i, r0, c0);
            }
        }
    }
    __syncthreads();

    unsigned turn = 0;
    for (unsigned t = blockIdx.x; t < tiles * tiles; t += gridDim.x, turn++) {
        const int stage = turn % Way::STAGES;
        wait(full + stage, turn / Way::STAGES % 2);
        tile_of(r0, c0, t, tiles, Way::SIDE);
        turn_tile<Way>(out, stages + stage * Way::BYTES, turned, rows, r0, c0);
        if (Way::ENGINE_STORES)
            end<Way>(&out_map, turned, r0, c0);
        if (Way::STAGES > 1)
            __syncthreads(); /* this stage has been read, and the turned tile too */
        const unsigned next = t + Way::STAGES * gridDim.x;
        if (threadIdx.x == 0 && next < tiles * tiles) {
            tile_of(r0, c0, next, tiles, Way::SIDE);
            begin<Way>(&in, stages + stage * Way::BYTES, full + stage, r0, c0);
        }
    }
}

template <class Way> void measure(const Buffers &b, long long side, double copy)
{
    using T = typename Way::T;
    const auto kernel = turn<Way>;
    int fit = 0;
    MUST(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Way::SHARED));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, Way::THREADS, Way::SHARED));
    const CUtensorMap in = map_of(b.in, sizeof(T), side, side, Way::SIDE),
                      out = map_of(b.out, sizeof(T), side, side, Way::SIDE);
    const unsigned tiles = (unsigned)(side / Way::SIDE * (side / Way::SIDE));
    const unsigned grid = Way::STAGES > 1 ? std::min(tiles, 132u * fit) : tiles;
    const auto launch = [&] { kernel<<<grid, Way::THREADS, Way::SHARED>>>(in, out, (T *)b.out, side); };
    check_transpose<T>("tma", b, side, side, launch);
    const double us = median_us(launch);
    printf("tma    %5lldx%-5lld %zu bytes  tile %3dx%-3d %3d threads %2d blocks a SM  %d stages, %-14s %8.1f "
           "us  %5.1f %%\n",
           side, side, sizeof(T), Way::SIDE, Way::SIDE, Way::THREADS, fit, Way::STAGES,
           Way::ENGINE_STORES ? "engine stores" : "plain stores", us, 100 * copy / us);
    fflush(stdout);
}

template <typename T, int SIDE, int THREADS> void measure_ways(const Buffers &b, long long side, double copy)
{
    measure<Way<T, SIDE, THREADS, 1, false>>(b, side, copy);
    measure<Way<T, SIDE, THREADS, 1, true>>(b, side, copy);
    measure<Way<T, SIDE, THREADS, 2, false>>(b, side, copy);
    measure<Way<T, SIDE, THREADS, 2, true>>(b, side, copy);
    if constexpr (SIDE * SIDE * sizeof(T) <= 32768) {
        measure<Way<T, SIDE, THREADS, 4, false>>(b, side, copy);
        measure<Way<T, SIDE, THREADS, 4, true>>(b, side, copy);
    }
}

template <typename T, int SMALL, int LARGE> void type(const Buffers &b)
{
    for (long long side : { 4096 << (sizeof(T) == 1), 16384, 16640 }) {
        const double copy = copy_us(b, side * side * sizeof(T));
        printf("tma    %5lldx%-5lld %zu bytes  copy %75.1f us  100.0 %%\n", side, side, sizeof(T), copy);
        if (side % SMALL == 0)
            measure_ways<T, SMALL, 128>(b, side, copy);
        if (side % LARGE == 0)
            measure_ways<T, LARGE, 256>(b, side, copy);
    }
}

int main()
{
    const Buffers b = buffers_open((size_t)16640 * 16640 * 8);
    type<unsigned char, 128, 256>(b);
    type<unsigned short, 64, 128>(b);
    type<unsigned, 32, 64>(b);
    type<double, 32, 64>(b);
    return 0;
}
