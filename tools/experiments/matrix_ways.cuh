/*
 * matrix_ways.cuh - the ways that matrix.cu compares: a tile, how it is filled and drained, and one struct a
 * way, whose turn() moves a block's tile. SHARED is its bytes of shared memory, ROOM for how many threads of a
 * multiprocessor its registers suffice.
 */
#pragma once

#include "bench.cuh"

#include <cstring>

template <typename T_, int ROWS_, int COLS_, int THREADS_> struct Tile {
    using T = T_;
    static constexpr int ROWS = ROWS_, COLS = COLS_, THREADS = THREADS_, WARPS = THREADS / 32;
    static constexpr int ES = sizeof(T), PER = 16 / ES, PACK = 4 / ES; /* elements in 16 bytes, in a word */
    static constexpr int IN = COLS / PER, OUT = ROWS / PER;            /* 16-byte pieces of a row         */
    static constexpr int BYTES = ROWS * COLS * ES, PIECES = BYTES / 16 / THREADS; /* of a thread */
};

/* Where a block's tile begins, and how far rows are apart, in 16-byte pieces. */
struct Place {
    uint4 *out;
    const uint4 *in;
    unsigned out_pitch, in_pitch;
};

union Piece {
    uint4 bits;
    unsigned word[4];
};

/* 16-byte pieces that a thread holds at a time, on their way from memory or to it. */
constexpr int MOST_LOADS = 8, MOST_STORES = 4;

__device__ unsigned address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ void copy_async(uint4 *to, const uint4 *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address(to)), "l"(from) : "memory");
}

__device__ void await_copies()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

/*
 * Four 8x8 matrices of 16 bits. Of matrix m, lane 8 m + j knows where row j is in shared memory; in register
 * m, lane l holds the pair at row l / 4, columns l % 4 * 2 and the next, of the matrix turned.
 */
__device__ void load_turned(unsigned (&pair)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(pair[0]), "=r"(pair[1]), "=r"(pair[2]), "=r"(pair[3])
                 : "r"(address(row))
                 : "memory");
}

__device__ void store_turned(void *row, const unsigned (&pair)[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address(row)),
                 "r"(pair[0]), "r"(pair[1]), "r"(pair[2]), "r"(pair[3])
                 : "memory");
}

/* One such matrix, held as above before and after. */
__device__ unsigned turned(unsigned pair)
{
    unsigned other;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(other) : "r"(pair));
    return other;
}

/* Turns PACK words of PACK elements, one below the other, in place. */
template <int PACK> __device__ void turn_words(unsigned (&w)[PACK])
{
    if constexpr (PACK == 2) {
        const unsigned a = w[0], b = w[1];
        w[0] = __byte_perm(a, b, 0x5410), w[1] = __byte_perm(a, b, 0x7632);
    } else {
        const unsigned a = __byte_perm(w[0], w[1], 0x5140), b = __byte_perm(w[0], w[1], 0x7362),
                       c = __byte_perm(w[2], w[3], 0x5140), d = __byte_perm(w[2], w[3], 0x7362);
        w[0] = __byte_perm(a, c, 0x5410), w[1] = __byte_perm(a, c, 0x7632);
        w[2] = __byte_perm(b, d, 0x5410), w[3] = __byte_perm(b, d, 0x7632);
    }
}

/*
 * Copies a tile as it is; the pieces of a row are swapped as Way::swap tells, which takes bits of the row's
 * number, so that parts of the number may be swapped one after the other.
 */
template <class Way, class Tile> __device__ void fill(uint4 *tile, const Place &p)
{
    constexpr unsigned step = Tile::THREADS / Tile::IN;
    const unsigned row = threadIdx.x / Tile::IN, piece = threadIdx.x % Tile::IN;
    const unsigned swapped = piece ^ Way::swap(row);
    const uint4 *const from = p.in + (row * p.in_pitch + piece);
#pragma unroll
    for (unsigned i = 0; i < Tile::PIECES; i++)
        copy_async(tile + (row + i * step) * Tile::IN + (swapped ^ Way::swap(i * step)),
                   from + i * step * p.in_pitch);
    await_copies();
    __syncthreads();
}

/* Writes a tile that is kept turned; the pieces of a column are swapped. */
template <class Way, class Tile> __device__ void drain(const uint4 *tile, const Place &p)
{
    constexpr unsigned step = Tile::THREADS / Tile::OUT;
    const unsigned col = threadIdx.x / Tile::OUT, piece = threadIdx.x % Tile::OUT;
    const unsigned swapped = piece ^ Way::swap(col);
    uint4 *const to = p.out + (col * p.out_pitch + piece);
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < Tile::PIECES; i++)
        to[i * step * p.out_pitch] = tile[(col + i * step) * Tile::OUT + (swapped ^ Way::swap(i * step))];
}

/* Register blocks of 16 bytes by CELL / ES rows are turned by permutes on their way into a turned tile. */
template <class Tile_, int CELL> struct Subtile {
    using Tile = Tile_;
    static constexpr int ROWS = CELL / Tile::ES, PER = Tile::PER, PACK = Tile::PACK;
    static constexpr int AHEAD = std::max(1, std::min(MOST_LOADS, Tile::PIECES) / ROWS); /* blocks */
    static constexpr int PASSES = Tile::PIECES / ROWS, SHARED = Tile::BYTES;
    static constexpr int ROOM = Tile::PIECES <= 4 ? 2048 : Tile::PIECES > 8 ? 768 : CELL == 16 ? 1024 : 1280;
    static constexpr bool FITS = Tile::PIECES % (ROWS * AHEAD) == 0 && Tile::ROWS % (ROWS * 4) == 0;

    static void describe(char *text)
    {
        sprintf(text, "subtile, cells of %d", CELL);
    }

    static __device__ unsigned swap(unsigned col)
    {
        return col / PER % 8;
    }

    /* A warp stands 8 blocks wide and 4 high. */
    static __device__ void stand(unsigned &r, unsigned &c, unsigned pass)
    {
        const unsigned lane = threadIdx.x % 32, n = threadIdx.x / 32 + pass * Tile::WARPS;
        r = n / (Tile::IN / 8) * 4 + lane / 8;
        c = n % (Tile::IN / 8) * 8 + lane % 8;
    }

    static __device__ void put(uint4 *tile, unsigned r, unsigned c, const Piece (&row)[ROWS])
    {
        unsigned cell[PER][CELL / 4];
#pragma unroll
        for (int i = 0; i < ROWS; i += PACK)
#pragma unroll
            for (int k = 0; k < 4; k++) {
                unsigned w[PACK];
#pragma unroll
                for (int e = 0; e < PACK; e++)
                    w[e] = row[i + e].word[k];
                turn_words<PACK>(w);
#pragma unroll
                for (int e = 0; e < PACK; e++)
                    cell[k * PACK + e][i / PACK] = w[e];
            }
#pragma unroll
        for (int e = 0; e < PER; e++) {
            const unsigned col = c * PER + e, piece = r * CELL / 16;
            char *const to = (char *)(tile + col * Tile::OUT + (piece ^ swap(col))) + r * CELL % 16;
            if constexpr (CELL == 4)
                *(unsigned *)to = cell[e][0];
            else if constexpr (CELL == 8)
                *(uint2 *)to = make_uint2(cell[e][0], cell[e][1]);
            else
                *(uint4 *)to = make_uint4(cell[e][0], cell[e][1], cell[e][2], cell[e][3]);
        }
    }

    static __device__ void turn(uint4 *tile, const Place &p)
    {
#pragma unroll
        for (int pass = 0; pass < PASSES; pass += AHEAD) {
            Piece row[AHEAD][ROWS];
            unsigned r, c;
#pragma unroll
            for (int a = 0; a < AHEAD; a++) {
                stand(r, c, pass + a);
#pragma unroll
                for (int i = 0; i < ROWS; i++)
                    row[a][i].bits = p.in[(r * ROWS + i) * p.in_pitch + c];
            }
#pragma unroll
            for (int a = 0; a < AHEAD; a++) {
                stand(r, c, pass + a);
                put(tile, r, c, row[a]);
            }
        }
        drain<Subtile, Tile>(tile, p);
    }
};

/*
 * From a tile that is kept as it is, a warp reads below each other 8 units of UNIT bytes of an output row and
 * aside 4 words: element by element (volatile, or the compiler would read whole words), or words that are
 * turned.
 */
template <class Tile_, int UNIT, bool WORDS> struct Gather {
    using Tile = Tile_;
    using T = typename Tile::T;
    static constexpr int UNIT_ROWS = UNIT / Tile::ES, PACK = Tile::PACK, SHARED = Tile::BYTES;
    static constexpr int DOWN = Tile::ROWS / (8 * UNIT_ROWS), TURNS = DOWN * Tile::IN / Tile::WARPS;
    static constexpr int ROOM = Tile::PIECES <= 4 ? 2048 : Tile::PIECES > 8 ? 768 : 1280;
    static constexpr bool FITS = DOWN * Tile::IN % Tile::WARPS == 0;

    static void describe(char *text)
    {
        sprintf(text, WORDS ? "words, stores of %d" : "elements, stores of %d", UNIT);
    }

    static __device__ unsigned swap(unsigned row)
    {
        return row / UNIT_ROWS % 8;
    }

    static __device__ const unsigned *word(const uint4 *tile, unsigned row, unsigned piece, unsigned aside)
    {
        return (const unsigned *)(tile + row * Tile::IN + (piece ^ swap(row))) + aside;
    }

    static __device__ void gather(unsigned (&to)[PACK][UNIT / 4], const uint4 *tile, unsigned row,
                                  unsigned piece, unsigned aside)
    {
#pragma unroll
        for (int i = 0; i < UNIT_ROWS; i += PACK)
            if constexpr (WORDS) {
                unsigned w[PACK];
#pragma unroll
                for (int e = 0; e < PACK; e++)
                    w[e] = *word(tile, row + i + e, piece, aside);
                turn_words<PACK>(w);
#pragma unroll
                for (int e = 0; e < PACK; e++)
                    to[e][i / PACK] = w[e];
            } else {
#pragma unroll
                for (int col = 0; col < PACK; col++) {
                    union {
                        unsigned bits;
                        T element[PACK];
                    } w;
#pragma unroll
                    for (int e = 0; e < PACK; e++)
                        w.element[e] = ((const volatile T *)word(tile, row + i + e, piece, aside))[col];
                    to[col][i / PACK] = w.bits;
                }
            }
    }

    static __device__ void turn(uint4 *tile, const Place &p)
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, aside = lane / 8;
        fill<Gather, Tile>(tile, p);
#pragma unroll
        for (int i = 0; i < TURNS; i++) {
            const unsigned n = warp * TURNS + i, unit = n % DOWN * 8 + lane % 8, piece = n / DOWN;
            unsigned column[PACK][UNIT / 4];
            gather(column, tile, unit * UNIT_ROWS, piece, aside);
#pragma unroll
            for (int e = 0; e < PACK; e++) {
                const unsigned col = piece * Tile::PER + aside * PACK + e;
                if constexpr (UNIT == 16)
                    p.out[col * p.out_pitch + unit] =
                        make_uint4(column[e][0], column[e][1], column[e][2], column[e][3]);
                else
                    ((unsigned *)p.out)[col * (p.out_pitch * 4) + unit] = column[e][0];
            }
        }
    }
};

/*
 * Matrices have eight rows anywhere: of matrix m the rows 2 m and 2 m + 1 of each of four runs of PER rows.
 * Then a lane's pairs of all matrices are 16 bytes of an output row (1 byte: of two rows, mixed), and a warp
 * writes four such pieces of 8 rows.
 */
template <class Tile_> struct Ldmatrix {
    using Tile = Tile_;
    static constexpr int PER = Tile::PER, HALVES = PER / 8; /* of a lane's matrices: four a time */
    static constexpr int DOWN = Tile::OUT / 4, TURNS = DOWN * Tile::IN / Tile::WARPS, SHARED = Tile::BYTES;
    static constexpr int AHEAD = std::min(MOST_STORES / HALVES, TURNS);
    static constexpr int ROOM = 2048;
    static constexpr bool FITS = DOWN * Tile::IN % (Tile::WARPS * AHEAD) == 0;

    static void describe(char *text)
    {
        strcpy(text, "ldmatrix");
    }

    static __device__ unsigned swap(unsigned row)
    {
        return row / PER % 4 * 2 + row % 2;
    }

    static __device__ void put(const Place &p, const unsigned (&pair)[HALVES][4], unsigned run,
                               unsigned piece)
    {
        const unsigned across = threadIdx.x % 32 / 4;
        if constexpr (HALVES == 1) {
            p.out[(piece * PER + across) * p.out_pitch + run] =
                make_uint4(pair[0][0], pair[0][1], pair[0][2], pair[0][3]);
        } else {
#pragma unroll
            for (int e = 0; e < 2; e++) {
                const unsigned pick = e == 0 ? 0x6420 : 0x7531;
                p.out[(piece * PER + across * 2 + e) * p.out_pitch + run] = make_uint4(
                    __byte_perm(pair[0][0], pair[0][1], pick), __byte_perm(pair[0][2], pair[0][3], pick),
                    __byte_perm(pair[HALVES - 1][0], pair[HALVES - 1][1], pick),
                    __byte_perm(pair[HALVES - 1][2], pair[HALVES - 1][3], pick));
            }
        }
    }

    static __device__ void turn(uint4 *tile, const Place &p)
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const unsigned own = lane % 8 / 2 * PER + lane / 8 * 2 + lane % 2; /* row that the lane points to */
        fill<Ldmatrix, Tile>(tile, p);
#pragma unroll
        for (int i = 0; i < TURNS; i += AHEAD) {
            unsigned pair[AHEAD][HALVES][4];
#pragma unroll
            for (int a = 0; a < AHEAD; a++)
#pragma unroll
                for (int h = 0; h < HALVES; h++) {
                    const unsigned n = warp * TURNS + i + a, row = n % DOWN * (4 * PER) + own + h * 8;
                    load_turned(pair[a][h], tile + row * Tile::IN + (n / DOWN ^ swap(row)));
                }
#pragma unroll
            for (int a = 0; a < AHEAD; a++) {
                const unsigned n = warp * TURNS + i + a;
                put(p, pair[a], n % DOWN * 4 + lane % 4, n / DOWN);
            }
        }
    }
};

/* 2 bytes: words as they are. 1 byte: two rows mixed, so that a pair of bytes is a column's. */
template <class Tile>
__device__ void pair_up(unsigned (&pair)[Tile::PER / 2], const Piece (&row)[Tile::PER / 8])
{
#pragma unroll
    for (int k = 0; k < 4; k++)
        if constexpr (Tile::ES == 2) {
            pair[k] = row[0].word[k];
        } else {
            pair[2 * k] = __byte_perm(row[0].word[k], row[Tile::PER / 8 - 1].word[k], 0x5140);
            pair[2 * k + 1] = __byte_perm(row[0].word[k], row[Tile::PER / 8 - 1].word[k], 0x7362);
        }
}

/*
 * No shared memory: a warp turns 4 PER rows of 64 bytes in registers. Four lanes read a row; the rows that
 * it reads at a time are two (1 byte: four) of each run of PER rows, so that a lane ends with whole pieces.
 */
template <class Tile_, int SQUARES> struct Movmatrix {
    using Tile = Tile_;
    static constexpr int PER = Tile::PER, DEEP = PER / 8, SHARED = 0; /* rows of a pair's element */
    static constexpr int DOWN = Tile::OUT / 4, TURNS = DOWN * (Tile::IN / 4) / Tile::WARPS;
    static constexpr int DATA = Tile::ES == 2 ? SQUARES * 16 : 32; /* registers */
    static constexpr int ROOM = Tile::PIECES > 8 ? 512 : Tile::BYTES > 32768 ? 1024 : DATA > 16 ? 1280 : 1536;
    static constexpr bool FITS = DOWN * (Tile::IN / 4) % (Tile::WARPS * SQUARES) == 0;

    static void describe(char *text)
    {
        sprintf(text, "movmatrix, %d a warp", SQUARES);
    }

    static __device__ void get(Piece (&row)[4][DEEP], const Place &p, unsigned r, unsigned c)
    {
        const unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int n = 0; n < 4; n++)
#pragma unroll
            for (int d = 0; d < DEEP; d++)
                row[n][d].bits =
                    p.in[(r * (4 * PER) + lane / 8 * PER + (2 * n + lane / 4 % 2) * DEEP + d) * p.in_pitch +
                         c * 4 + lane % 4];
    }

    static __device__ void put(const Place &p, unsigned r, unsigned c, const Piece (&row)[4][DEEP])
    {
        const unsigned lane = threadIdx.x % 32, col = (c * 4 + lane / 8) * PER + lane / 4 % 2;
        unsigned pair[4][PER / 2];
#pragma unroll
        for (int n = 0; n < 4; n++)
            pair_up<Tile>(pair[n], row[n]);
#pragma unroll
        for (int w = 0; w < PER / 2; w++)
            p.out[(col + 2 * w) * p.out_pitch + r * 4 + lane % 4] =
                make_uint4(turned(pair[0][w]), turned(pair[1][w]), turned(pair[2][w]), turned(pair[3][w]));
    }

    static __device__ void turn(uint4 *, const Place &p)
    {
        const unsigned warp = threadIdx.x / 32;
#pragma unroll
        for (int i = 0; i < TURNS; i += SQUARES) {
            Piece row[SQUARES][4][DEEP];
#pragma unroll
            for (int s = 0; s < SQUARES; s++)
                get(row[s], p, (warp * TURNS + i + s) % DOWN, (warp * TURNS + i + s) / DOWN);
#pragma unroll
            for (int s = 0; s < SQUARES; s++)
                put(p, (warp * TURNS + i + s) % DOWN, (warp * TURNS + i + s) / DOWN, row[s]);
        }
    }
};

/* A warp reads PER rows of 64 bytes, and writes each column's 16 bytes into a turned tile. */
template <class Tile_> struct Stmatrix {
    using Tile = Tile_;
    static constexpr int PER = Tile::PER, DEEP = PER / 8, SHARED = Tile::BYTES;
    static constexpr int ACROSS = Tile::IN / 4, TURNS = Tile::PIECES / DEEP;
    static constexpr int AHEAD = std::min(MOST_LOADS / DEEP, TURNS);
    static constexpr int ROOM = 2048;
    static constexpr bool FITS = Tile::PIECES % (DEEP * AHEAD) == 0;

    static void describe(char *text)
    {
        strcpy(text, "stmatrix");
    }

    static __device__ unsigned swap(unsigned col)
    {
        return col / PER % 4 * 2 + col % 2;
    }

    static __device__ void get(Piece (&row)[DEEP], const Place &p, unsigned n)
    {
        const unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int d = 0; d < DEEP; d++)
            row[d].bits =
                p.in[(n / ACROSS * PER + lane / 4 * DEEP + d) * p.in_pitch + n % ACROSS * 4 + lane % 4];
    }

    static __device__ void put(uint4 *tile, unsigned n, const Piece (&row)[DEEP])
    {
        const unsigned lane = threadIdx.x % 32;
        unsigned pair[PER / 2];
        pair_up<Tile>(pair, row);
#pragma unroll
        for (int h = 0; h < DEEP; h++) {
            const unsigned col = (n % ACROSS * 4 + lane % 8 / 2) * PER + h * 8 + lane / 8 * 2 + lane % 2;
            const unsigned four[4] = { pair[h * 4], pair[h * 4 + 1], pair[h * 4 + 2], pair[h * 4 + 3] };
            store_turned(tile + col * Tile::OUT + (n / ACROSS ^ swap(col)), four);
        }
    }

    static __device__ void turn(uint4 *tile, const Place &p)
    {
        const unsigned warp = threadIdx.x / 32;
#pragma unroll
        for (int i = 0; i < TURNS; i += AHEAD) {
            Piece row[AHEAD][DEEP];
#pragma unroll
            for (int a = 0; a < AHEAD; a++)
                get(row[a], p, warp * TURNS + i + a);
#pragma unroll
            for (int a = 0; a < AHEAD; a++)
                put(tile, warp * TURNS + i + a, row[a]);
        }
        drain<Stmatrix, Tile>(tile, p);
    }
};
