/*
 * matrix.cu - what turns a tile of 1- or 2-byte elements best inside a block? Permuted words, single
 * elements, or the instructions that turn 8x8 matrices of 16 bits (ldmatrix, movmatrix, stmatrix).
 *
 * All ways move 16 bytes a thread on both sides (one stores 4), in the same tiles and blocks, and blocks
 * follow the output's rows. None has a bank conflict. A warp reads and writes runs of 128 bytes and more, but
 * ldmatrix writes, stmatrix reads, and movmatrix does both in runs of 64; stores of 4 bytes are runs of 32.
 * Buffers are used in rotation, so that small problems find the L2 cold too.
 */
#include "matrix_ways.cuh"

/*
 * Blocks of a multiprocessor that registers leave room for: ROOM is for how many threads nothing spills. Left
 * alone, the compiler takes more registers.
 */
template <class Way> constexpr int resident()
{
    const int fit = std::min(32, (228 << 10) / (Way::SHARED + 1024)), threads = Way::Tile::THREADS;
    return std::max(1, std::min(fit, (Way::ROOM + threads - 1) / threads));
}

template <class Way>
__global__ void __launch_bounds__(Way::Tile::THREADS, resident<Way>())
    turn(typename Way::Tile::T *__restrict__ out, const typename Way::Tile::T *__restrict__ in,
         long long rows, long long cols)
{
    extern __shared__ uint4 shared_memory[];
    using Tile = typename Way::Tile;
    const long long r0 = (long long)blockIdx.x * Tile::ROWS, c0 = (long long)blockIdx.y * Tile::COLS;
    const Place p = { (uint4 *)(out + c0 * rows + r0), (const uint4 *)(in + r0 * cols + c0),
                      (unsigned)(rows / Tile::PER), (unsigned)(cols / Tile::PER) };
    Way::turn(shared_memory, p);
}

constexpr size_t ROTATION = 256 << 20; /* bytes of each side that launches go over before the first returns */

struct Problem {
    Buffers all;
    long long side;
    size_t bytes;
    double copy; /* microseconds */
};

static int wrong_ways;

/* Median time of one launch, which takes output and input: one for each pair of buffers, all in one graph. */
template <typename Launch> double rotated_us(const Problem &p, Launch launch)
{
    const size_t pairs = std::max<size_t>(1, ROTATION / p.bytes);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t batch;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (size_t i = 0; i < pairs; i++)
        launch((char *)p.all.out + i * p.bytes, (const char *)p.all.in + i * p.bytes, stream);
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&batch, graph, 0));
    const double us = median_us([&] { MUST(cudaGraphLaunch(batch, 0)); });
    MUST(cudaGraphExecDestroy(batch));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
    return us / pairs;
}

template <class Way> void measure(const Problem &p)
{
    using Tile = typename Way::Tile;
    using T = typename Tile::T;
    if constexpr (Way::FITS) {
        const auto kernel = turn<Way>;
        const dim3 grid((unsigned)(p.side / Tile::ROWS), (unsigned)(p.side / Tile::COLS));
        cudaFuncAttributes made;
        char name[64];
        int fit = 0;
        Way::describe(name);
        if (Way::SHARED > 0)
            MUST(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Way::SHARED));
        MUST(cudaFuncGetAttributes(&made, kernel));
        MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, Tile::THREADS, Way::SHARED));
        const auto launch = [&](void *out, const void *in, cudaStream_t stream) {
            kernel<<<grid, Tile::THREADS, Way::SHARED, stream>>>((T *)out, (const T *)in, p.side, p.side);
        };
        const unsigned long long wrong = wrong_elements<T>({ p.all.in, p.all.out, p.bytes }, p.side, p.side,
                                                           [&] { launch(p.all.out, p.all.in, 0); });
        wrong_ways += wrong > 0;
        printf(
            "matrix %5lldx%-5lld %zu bytes  tile %3dx%-3d %3d threads %2d blocks a SM %3d registers  %-24s ",
            p.side, p.side, sizeof(T), Tile::ROWS, Tile::COLS, Tile::THREADS, fit, made.numRegs, name);
        if (wrong) {
            printf("%llu elements are wrong\n", wrong);
        } else {
            const double us = rotated_us(p, launch);
            printf("%8.2f us  %5.1f %%\n", us, 100 * p.copy / us);
        }
        fflush(stdout);
    }
}

template <class Tile> void all_ways(const Problem &p)
{
    measure<Subtile<Tile, 4>>(p);
    measure<Subtile<Tile, 8>>(p);
    measure<Subtile<Tile, 16>>(p);
    measure<Gather<Tile, 16, true>>(p);
    measure<Ldmatrix<Tile>>(p);
    measure<Movmatrix<Tile, 1>>(p);
    if constexpr (Tile::ES == 2) /* 32 registers hold two squares of 2 bytes, one of 1 byte */
        measure<Movmatrix<Tile, 2>>(p);
    measure<Stmatrix<Tile>>(p);
    measure<Gather<Tile, 16, false>>(p);
    measure<Gather<Tile, 4, false>>(p);
}

template <typename T, class... Tiles> void type(const Buffers &b)
{
    constexpr int piece = 16 / sizeof(T);
    for (long long side : { 16384, 8192, 4096, 1024 }) {
        Problem p = { b, side, side * side * sizeof(T), 0 };
        const auto copy = [&](void *out, const void *in, cudaStream_t stream) {
            copy_linear<<<(unsigned)(p.bytes / 16 / 128), 128, 0, stream>>>((uint4 *)out, (const uint4 *)in,
                                                                            p.bytes / 16);
        };
        p.copy = rotated_us(p, copy);
        printf("matrix %5lldx%-5lld %zu bytes  copy %8.2f us  100.0 %%\n", side, side, sizeof(T), p.copy);
        (all_ways<Tiles>(p), ...);
        measure<Movmatrix<Tile<T, 4 * piece, 4 * piece, 32>, 1>>(p); /* it alone can use tiles that narrow */
        measure<Movmatrix<Tile<T, 8 * piece, 4 * piece, 64>, 1>>(p);
        const double again = rotated_us(p, copy);
        printf("matrix %5lldx%-5lld %zu bytes  copy again %8.2f us  %5.1f %%\n", side, side, sizeof(T), again,
               100 * p.copy / again);
    }
}

int main()
{
    using u8 = unsigned char;
    using u16 = unsigned short;
    const Buffers b = buffers_open((size_t)16384 * 16384 * 2);
    type<u16, Tile<u16, 64, 64, 128>, Tile<u16, 64, 64, 256>, Tile<u16, 64, 128, 256>,
         Tile<u16, 128, 64, 256>, Tile<u16, 128, 128, 256>, Tile<u16, 128, 128, 512>>(b);
    type<u8, Tile<u8, 128, 128, 128>, Tile<u8, 128, 128, 256>, Tile<u8, 128, 256, 256>,
         Tile<u8, 256, 128, 256>, Tile<u8, 256, 256, 256>, Tile<u8, 256, 256, 512>>(b);
    return wrong_ways > 0;
}
