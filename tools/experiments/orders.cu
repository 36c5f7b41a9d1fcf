/*
 * orders.cu - in which order should blocks visit tiles? And what occupancy, a persistent grid, 64-bit offsets
 * and cache hints cost. One kernel: a shared tile with swapped vectors, 16-byte accesses on both sides.
 */
#include "bench.cuh"

#include <cstring>

enum Kind { IN_FAST, OUT_FAST, DIAGONAL, STAGGER, SPREAD, STRIP_ROWS, STRIP_COLS, MORTON, SCATTER };

struct Order {
    Kind kind;
    unsigned size; /* of a strip, in tiles */
};

enum Hint { NONE, STREAM, NO_ALLOCATE, PREFETCH, STORE_FIRST };

__device__ unsigned every_other_bit(unsigned x)
{
    x &= 0x55555555;
    x = (x | x >> 1) & 0x33333333;
    x = (x | x >> 2) & 0x0f0f0f0f;
    x = (x | x >> 4) & 0x00ff00ff;
    return (x | x >> 8) & 0xffff;
}

/* Strips of `size` tiles: along one, neighbours stand across it. */
__device__ void in_strips(unsigned &across, unsigned &along, unsigned t, unsigned size, unsigned wide,
                          unsigned length)
{
    const unsigned strip = t / (size * length), within = t % (size * length), first = strip * size;
    const unsigned here = wide - first < size ? wide - first : size;
    across = first + within % here;
    along = within / here;
}

__device__ void tile_of(unsigned &r, unsigned &c, unsigned t, unsigned down, unsigned across, Order order)
{
    switch (order.kind) {
    case IN_FAST:
        r = t / across, c = t % across;
        break;
    case OUT_FAST:
        r = t % down, c = t / down;
        break;
    case DIAGONAL:
        r = t % down, c = (t / down + r) % across;
        break;
    case STAGGER:
        r = t % down, c = (t / down + r / order.size * (across / (down / order.size))) % across;
        break;
    case SPREAD:
        r = t / across % order.size * (down / order.size) + t / across / order.size, c = t % across;
        break;
    case STRIP_ROWS:
        in_strips(r, c, t, order.size, down, across);
        break;
    case STRIP_COLS:
        in_strips(c, r, t, order.size, across, down);
        break;
    case MORTON:
        r = every_other_bit(t >> 1), c = every_other_bit(t);
        break;
    case SCATTER:
        t = (unsigned)(t * 2654435761ull % (down * across)), r = t / across, c = t % across;
        break;
    }
}

template <Hint hint> __device__ uint4 load(const uint4 *from)
{
    uint4 v;
    if (hint == STREAM || hint == STORE_FIRST)
        return hint == STREAM ? __ldcs(from) : *from;
    if (hint == NO_ALLOCATE)
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from));
    else if (hint == PREFETCH)
        asm volatile("ld.global.nc.L2::256B.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from));
    else
        v = *from;
    return v;
}

template <Hint hint> __device__ void store(uint4 *to, uint4 v)
{
    if (hint == STREAM) {
        __stcs(to, v);
    } else if (hint == STORE_FIRST) {
        unsigned long long policy;
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
        asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1,%2,%3,%4}, %5;" ::"l"(to), "r"(v.x), "r"(v.y),
                     "r"(v.z), "r"(v.w), "l"(policy));
    } else {
        *to = v;
    }
}

template <typename T_, int ROWS_, int COLS_, int THREADS_> struct Tile {
    using T = T_;
    static constexpr int ROWS = ROWS_, COLS = COLS_, THREADS = THREADS_, PER = 16 / sizeof(T);
    static constexpr int LANES_IN = COLS / PER, LANES_OUT = ROWS / PER, PASSES = ROWS * COLS / PER / THREADS;
    static constexpr int BYTES = ROWS * COLS * sizeof(T);
};

template <class Tile, Hint hint, typename Index>
__device__ void move_tile(typename Tile::T *out, const typename Tile::T *in, Index rows, Index cols,
                          uint4 *shared)
{
    using T = typename Tile::T;
    union Vector {
        uint4 bits;
        T element[Tile::PER];
    } part[Tile::PASSES], column;
    const Index in_pitch = cols / Tile::PER, out_pitch = rows / Tile::PER;

#pragma unroll
    for (int i = 0; i < Tile::PASSES; i++) {
        const int n = threadIdx.x + i * Tile::THREADS, x = n % Tile::LANES_IN, y = n / Tile::LANES_IN;
        part[i].bits = load<hint>((const uint4 *)in + (y * in_pitch + x));
    }
#pragma unroll
    for (int i = 0; i < Tile::PASSES; i++) {
        const int n = threadIdx.x + i * Tile::THREADS, x = n % Tile::LANES_IN, y = n / Tile::LANES_IN;
        shared[y * Tile::LANES_IN + (x ^ y / Tile::PER % Tile::LANES_IN)] = part[i].bits;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Tile::PASSES; i++) {
        const int n = threadIdx.x + i * Tile::THREADS, r = n % Tile::LANES_OUT, c = n / Tile::LANES_OUT;
#pragma unroll
        for (int k = 0; k < Tile::PER; k++)
            column.element[k] =
                ((const T *)shared)[(r * Tile::PER + k) * Tile::COLS +
                                    (c / Tile::PER ^ r % Tile::LANES_IN) * Tile::PER + c % Tile::PER];
        store<hint>((uint4 *)out + (c * out_pitch + r), column.bits);
    }
}

template <class Tile, Hint hint, typename Index, bool persistent>
__global__ void __launch_bounds__(Tile::THREADS)
    turn(typename Tile::T *__restrict__ out, const typename Tile::T *__restrict__ in, long long rows,
         long long cols, Order order)
{
    extern __shared__ uint4 shared[];
    const unsigned down = (unsigned)(rows / Tile::ROWS), across = (unsigned)(cols / Tile::COLS);
    for (unsigned t = blockIdx.x; t < down * across; t += gridDim.x) {
        unsigned r, c;
        tile_of(r, c, t, down, across, order);
        const long long r0 = (long long)r * Tile::ROWS, c0 = (long long)c * Tile::COLS;
        move_tile<Tile, hint, Index>(out + c0 * rows + r0, in + r0 * cols + c0, (Index)rows, (Index)cols,
                                     shared);
        if (!persistent)
            break;
        __syncthreads();
    }
}

struct Problem {
    Buffers b;
    long long rows, cols;
    double copy; /* microseconds */
};

template <class Tile, Hint hint = NONE, typename Index = int, bool persistent = false>
void measure(const Problem &p, const char *what, Order order, int blocks_a_sm = 0)
{
    using T = typename Tile::T;
    const auto kernel = turn<Tile, hint, Index, persistent>;
    int fit = 0, shared = Tile::BYTES;
    if (p.rows % Tile::ROWS || p.cols % Tile::COLS)
        return;
    MUST(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    if (blocks_a_sm && !persistent) /* more shared memory than needed keeps others out */
        shared = std::max(shared, std::min(227 << 10, (228 << 10) / blocks_a_sm - 1024 & ~127));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, Tile::THREADS, shared));
    if (blocks_a_sm > fit)
        return;
    const unsigned tiles = (unsigned)(p.rows / Tile::ROWS * (p.cols / Tile::COLS));
    const unsigned grid = persistent ? std::min(tiles, 132u * (blocks_a_sm ? blocks_a_sm : fit)) : tiles;
    const auto launch = [&] {
        kernel<<<grid, Tile::THREADS, shared>>>((T *)p.b.out, (const T *)p.b.in, p.rows, p.cols, order);
    };
    check_transpose<T>(what, p.b, p.rows, p.cols, launch);
    const double us = median_us(launch);
    printf("orders %6lldx%-6lld %2zu bytes  tile %3dx%-3d %3d threads %2d blocks a SM  %-24s %8.1f us  %5.1f "
           "%%\n",
           p.rows, p.cols, sizeof(T), Tile::ROWS, Tile::COLS, Tile::THREADS, fit, what, us,
           100 * p.copy / us);
    fflush(stdout);
}

static bool is_pow2(long long x)
{
    return (x & (x - 1)) == 0;
}

template <class Tile> void all_orders(const Problem &p)
{
    char name[64];
    measure<Tile>(p, "in_fast", { IN_FAST, 0 });
    measure<Tile>(p, "out_fast", { OUT_FAST, 0 });
    measure<Tile>(p, "diagonal", { DIAGONAL, 0 });
    for (unsigned size = 2; size <= 64; size *= 2) {
        snprintf(name, sizeof name, "%u tile rows", size);
        measure<Tile>(p, name, { STRIP_ROWS, size });
    }
    for (unsigned size = 2; size <= 64; size *= 2) {
        snprintf(name, sizeof name, "%u tile columns", size);
        measure<Tile>(p, name, { STRIP_COLS, size });
    }
    if (p.rows / Tile::ROWS == p.cols / Tile::COLS && is_pow2(p.rows / Tile::ROWS))
        measure<Tile>(p, "morton", { MORTON, 0 });
    measure<Tile>(p, "scatter", { SCATTER, 0 });
}

/* Occupancy, grid, offsets, hints: with the order that suits both sides. */
template <class Tile> void all_else(const Problem &p)
{
    char name[64];
    const Order order = { STRIP_ROWS, 16 };
    for (int blocks = 1; blocks <= 8; blocks++) {
        snprintf(name, sizeof name, "at most %d blocks", blocks);
        measure<Tile>(p, name, order, blocks);
    }
    measure<Tile, NONE, int, true>(p, "persistent", order);
    measure<Tile, NONE, long long>(p, "64-bit offsets", order);
    measure<Tile, STREAM>(p, "ld.cs st.cs", order);
    measure<Tile, NO_ALLOCATE>(p, "ld.nc no_allocate", order);
    measure<Tile, PREFETCH>(p, "ld L2::256B", order);
    measure<Tile, STORE_FIRST>(p, "st evict_first", order);
}

template <typename T, class Small, class Large> void shape(const Buffers &b, long long rows, long long cols)
{
    const Problem p = { b, rows, cols, copy_us(b, rows * cols * sizeof(T)) };
    printf("orders %6lldx%-6lld %2zu bytes  copy %80.1f us  100.0 %%\n", rows, cols, sizeof(T), p.copy);
    all_orders<Small>(p);
    all_orders<Large>(p);
    if (rows == 16384 && cols == 16384) {
        all_else<Small>(p);
        all_else<Large>(p);
    }
}

template <typename T, class Small, class Large> void type(const Buffers &b)
{
    shape<T, Small, Large>(b, 16384, 16384);
    shape<T, Small, Large>(b, 16384 + 256, 16384 + 256);
    if (sizeof(T) >= 4)
        shape<T, Small, Large>(b, 8192, 8192);
}

/*
 * Where the buffers lie to each other matters when rows are a large power of two bytes apart. The same orders
 * with the output at several distances from the input.
 */
template <class Tile> void placements(void *memory, long long side)
{
    using T = typename Tile::T;
    const size_t bytes = side * side * sizeof(T);
    const size_t distances[] = { bytes,
                                 bytes + (64 << 10),
                                 bytes + (2 << 20),
                                 bytes + (34 << 20),
                                 bytes + (96 << 20) + 4096,
                                 bytes + (256 << 20) };
    for (size_t distance : distances) {
        Problem p = { { memory, (char *)memory + distance, bytes }, side, side, 0 };
        p.copy = copy_us(p.b, bytes);
        printf("orders output %+lld KiB behind the input's end\n", (long long)(distance - bytes) >> 10);
        measure<Tile>(p, "in_fast", { IN_FAST, 0 });
        measure<Tile>(p, "out_fast", { OUT_FAST, 0 });
        measure<Tile>(p, "4 tile columns", { STRIP_COLS, 4 });
        measure<Tile>(p, "8 tile rows", { STRIP_ROWS, 8 });
        measure<Tile>(p, "16 tile rows", { STRIP_ROWS, 16 });
        measure<Tile>(p, "16 tile columns", { STRIP_COLS, 16 });
        measure<Tile>(p, "32 tile rows", { STRIP_ROWS, 32 });
        measure<Tile>(p, "32 tile columns", { STRIP_COLS, 32 });
        measure<Tile>(p, "64 tile columns", { STRIP_COLS, 64 });
        measure<Tile>(p, "stagger 4", { STAGGER, 4 });
        measure<Tile>(p, "stagger 8", { STAGGER, 8 });
        measure<Tile>(p, "stagger 16", { STAGGER, 16 });
        measure<Tile>(p, "stagger 32", { STAGGER, 32 });
        measure<Tile>(p, "stagger 64", { STAGGER, 64 });
        measure<Tile>(p, "scatter", { SCATTER, 0 });
    }
}

/* Few columns: every tile writes all output rows. */
template <class Tile> void tall(void *memory, long long rows, long long cols)
{
    using T = typename Tile::T;
    char name[64];
    const size_t bytes = rows * cols * sizeof(T);
    Problem p = { { memory, (char *)memory + bytes, bytes }, rows, cols, 0 };
    p.copy = copy_us(p.b, bytes);
    measure<Tile>(p, "in_fast", { IN_FAST, 0 });
    for (unsigned size = 2; size <= 128; size *= 2) {
        snprintf(name, sizeof name, "spread %u", size);
        measure<Tile>(p, name, { SPREAD, size });
    }
    measure<Tile>(p, "scatter", { SCATTER, 0 });
}

static int all_placements()
{
    void *memory;
    const size_t bytes = ((size_t)9 << 30) + (512 << 20);
    MUST(cudaMalloc(&memory, bytes));
    fill_random<<<4096, 256>>>((uint4 *)memory, bytes / 16);
    MUST(cudaDeviceSynchronize());
    placements<Tile<double, 64, 64, 512>>(memory, 16384);
    placements<Tile<uint4, 32, 32, 256>>(memory, 16384);
    placements<Tile<uint4, 32, 32, 256>>(memory, 8192);
    placements<Tile<unsigned, 64, 64, 512>>(memory, 32768);
    tall<Tile<unsigned, 64, 64, 512>>(memory, 262144 * 4, 64);
    tall<Tile<unsigned, 64, 64, 512>>(memory, 266240 * 4, 64);
    tall<Tile<unsigned, 128, 64, 512>>(memory, 262144 * 4, 64);
    tall<Tile<uint4, 32, 32, 256>>(memory, 262144, 64);
    tall<Tile<uint4, 32, 32, 256>>(memory, 266240, 64);
    return 0;
}

/* For a profiler: one launch of the large tile for 16384x16384 elements of 8 bytes in one order. */
static int one(const char *name)
{
    const Buffers b = buffers_open((size_t)16384 * 16384 * 8);
    const Order order = strcmp(name, "in_fast") == 0    ? Order{ IN_FAST, 0 }
                        : strcmp(name, "out_fast") == 0 ? Order{ OUT_FAST, 0 }
                                                        : Order{ STRIP_ROWS, (unsigned)atoi(name) };
    using Tile = ::Tile<double, 64, 64, 512>;
    const auto kernel = turn<Tile, NONE, int, false>;
    MUST(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::BYTES));
    copy_linear<<<(unsigned)(b.bytes / 16 / 128), 128>>>((uint4 *)b.out, (const uint4 *)b.in, b.bytes / 16);
    kernel<<<256 * 256, 512, Tile::BYTES>>>((double *)b.out, (const double *)b.in, 16384, 16384, order);
    MUST(cudaDeviceSynchronize());
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return strcmp(argv[1], "placements") == 0 ? all_placements() : one(argv[1]);
    const Buffers b = buffers_open((size_t)(16384 + 256) * (16384 + 256) * 16);
    type<unsigned char, Tile<unsigned char, 128, 128, 256>, Tile<unsigned char, 256, 256, 512>>(b);
    type<unsigned short, Tile<unsigned short, 64, 64, 256>, Tile<unsigned short, 128, 128, 512>>(b);
    type<unsigned, Tile<unsigned, 32, 32, 256>, Tile<unsigned, 64, 64, 512>>(b);
    type<double, Tile<double, 32, 32, 256>, Tile<double, 64, 64, 512>>(b);
    type<uint4, Tile<uint4, 16, 16, 256>, Tile<uint4, 32, 32, 256>>(b);
    return 0;
}
