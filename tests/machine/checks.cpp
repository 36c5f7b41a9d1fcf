/*
 * checks.cpp - the kernels that fill buffers and compare results (runner/verify.cu, fill.cu), on the CPU: every
 * thread of a small grid, one after the other. Their arithmetic is tested in tests/unit/declare/test_data.c; here
 * is that each number is looked at once, whatever the grid and the count, and that what is found adds up.
 */
#include "cuda_words.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

uint3 threadIdx, blockIdx, blockDim, gridDim;

struct ulonglong2 {
    unsigned long long x, y;
};

static ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y)
{
    return { x, y };
}

#include "../../tuner/declare/data.h"

#include "../../tuner/declare/placed.h"
#include "../../tuner/runner/verify.cu"

#include "../../tuner/runner/fill.cu"

namespace {

int failures;

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("line %d: %s\n", __LINE__, #condition);                                                        \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

/* On a grid that fits neither words nor numbers. */
template <class Kernel, class... Args> void launch(Kernel kernel, Args... args)
{
    gridDim  = { 3, 1, 1 };
    blockDim = { 5, 1, 1 };
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
            kernel(args...);
}

typedef std::vector<float> Floats;
constexpr u64 F32 = ATX_FLOAT * 16 + 4;

struct Found {
    u64 words[12] = {};
    u64 first() const
    {
        return ~words[1];
    }
};

u64 bits(double value)
{
    return atx_bits_of_double(value);
}

Floats generate(u64 count, u64 seed)
{
    Floats to(count + 1, -77);
    launch(verify_generate, (void *)to.data(), count, seed, F32 | ATX_UNIFORM << 8, bits(2), bits(-1), 0ull, 0ull, 0ull, 0ull, 0ull);
    EXPECT(to[count] == -77);
    return to;
}

void generated_numbers_are_found_again()
{
    for (u64 count : { 1, 2, 14, 15, 16, 1000 }) {
        Floats data = generate(count, 3);
        Found  same, other;
        for (u64 i = 0; i < count; i++)
            EXPECT(data[i] >= -1 && data[i] <= 1 && (i == 0 || data[i] != data[i - 1]));
        launch(verify_generated, (const void *)data.data(), count, 3ull, F32 | ATX_UNIFORM << 8, bits(2), bits(-1), 0ull, 0ull, 0ull, 0ull, 0ull, same.words);
        EXPECT(same.words[0] == 0);
        data[count / 2] += 1;
        data[count - 1] += 1;
        launch(verify_generated, (const void *)data.data(), count, 3ull, F32 | ATX_UNIFORM << 8, bits(2), bits(-1), 0ull, 0ull, 0ull, 0ull, 0ull, other.words);
        EXPECT(other.words[0] == (count / 2 == count - 1 ? 1 : 2) && other.first() == count / 2);
    }
}

Found close(const Floats &got, const Floats &right, u64 rule, double a, double b)
{
    Found found;
    launch(verify_close, (const void *)got.data(), (const void *)right.data(), (u64)right.size(), F32 | rule << 8, bits(a), bits(b), found.words, 0ull, 0ull);
    return found;
}

u64 worst(const Floats &got, const Floats &right, u64 rule, double a, double b)
{
    Found found;
    const u64 count = right.size(), how = F32 | rule << 8;
    launch(verify_worst, (const void *)got.data(), (const void *)right.data(), count, how, bits(a), bits(b), found.words, 0ull, 0ull);
    launch(verify_where, (const void *)got.data(), (const void *)right.data(), count, how, bits(a), bits(b), found.words, 0ull, 0ull);
    return found.first();
}

void the_worst_of_many_is_found()
{
    const Floats right = generate(1000, 5);
    Floats       got   = right;
    EXPECT(close(got, right, ATX_WITHIN, 0, 0).words[0] == 0);
    got[10] += 1;
    got[500] += 3;
    got[501] -= 3.5f;
    got[999] += 0.01f;
    EXPECT(close(got, right, ATX_WITHIN, 0, 0.1).words[0] == 3);
    EXPECT(worst(got, right, ATX_WITHIN, 0, 0.1) == 501);
    got[2] = NAN;
    got[3] = NAN;
    EXPECT(close(got, right, ATX_WITHIN, 0, 0.1).words[0] == 5);
    EXPECT(worst(got, right, ATX_WITHIN, 0, 0.1) == 2);
}

void a_norm_is_of_the_whole()
{
    Floats right(100, 3), got = right;
    got[7] = 5;
    got[8] = 2;
    const Found found = close(got, right, ATX_NORM, 0, 0);
    EXPECT(found.words[0] == 0 && atx_double_of(found.words[7]) == 5 && atx_double_of(found.words[10]) == 900);
    EXPECT(worst(got, right, ATX_NORM, 0, 0) == 7);
    got[50] = INFINITY;
    EXPECT(close(got, right, ATX_NORM, 0, 0).words[0] == 1);
    right[50] = INFINITY;
    const Found same = close(got, right, ATX_NORM, 0, 0);
    EXPECT(same.words[0] == 0 && atx_double_of(same.words[10]) == 99 * 9);
}

/* Whose squares would be 0 or infinite. */
void a_norm_of_doubles_of_any_size_is_found()
{
    for (double unit : { 1e-300, 1., 1e300 }) {
        const std::vector<double> right(100, 3 * unit);
        std::vector<double>       got = right;
        Found                     found;
        got[7] = 6 * unit;
        launch(verify_close, (const void *)got.data(), (const void *)right.data(), (u64)right.size(), (u64)(ATX_FLOAT * 16 + 8) | ATX_NORM << 8, 0ull, 0ull, found.words, 0ull, 0ull);
        double sums[2 * ATX_SQUARES];
        std::memcpy(sums, found.words + 6, sizeof sums);
        EXPECT(found.words[0] == 0 && std::fabs(atx_norm_of(sums, sums + ATX_SQUARES) - 0.1) < 1e-9);
    }
}

void outputs_begin_far_from_right()
{
    Floats right = generate(1000, 6), got(1001, 4);
    right[5] = NAN;
    launch(verify_far, (void *)got.data(), (const void *)right.data(), 1000ull, F32, 0ull, 0ull);
    EXPECT(got[1000] == 4);
    got.resize(right.size());
    EXPECT(close(got, right, ATX_WITHIN, 1e30, 1e30).words[0] == 1000);
}

void an_answer_is_validated()
{
    Floats right = generate(1000, 7), before(1001, 0);
    Found  found, same;
    right.resize(1000);
    for (int i = 0; i < 30; i++)
        right[i + 1] = i % 3 ? NAN : INFINITY;
    before[999] = right[999];
    launch(verify_outputs, (const void *)right.data(), (const void *)before.data(), 1000ull, F32, found.words);
    EXPECT(found.words[0] == 1 && found.words[1] == 20 && found.words[2] == 10 && found.words[3] == 999);
    launch(verify_outputs, (const void *)before.data(), (const void *)before.data(), 999ull, F32, same.words);
    EXPECT(same.words[0] == 999 && same.words[3] == 0);
}

/* Where buffers begin in memory that is aligned to 16 bytes, and how long they are. */
constexpr u64 BEGINS[] = { 0, 1, 8 }, LENGTHS[] = { 1, 15, 16, 17, 32, 300 };
constexpr unsigned char OUTSIDE = 9; /* what is around them */

struct Bytes {
    std::vector<ulonglong2> memory;
    unsigned char          *at;
    u64                     begin, length;
    Bytes(u64 begin, u64 length) : memory(40), at((unsigned char *)memory.data() + begin), begin(begin), length(length)
    {
        std::memset(memory.data(), OUTSIDE, 16 * memory.size());
    }
    bool is_alone() const
    {
        const unsigned char *all = (const unsigned char *)memory.data();
        for (u64 i = 0; i < 16 * memory.size(); i++)
            if ((i < begin || i >= begin + length) && all[i] != OUTSIDE)
                return false;
        return true;
    }
};

/* Each byte alone, then the ends together. `check` looks at `data` and says what it found. */
template <class Check> void each_byte_is_found(Bytes &data, Check check)
{
    EXPECT(check().words[0] == 0);
    for (u64 k = 0; k < data.length; k++) {
        data.at[k] ^= 0x10;
        const Found found = check();
        EXPECT(found.words[0] == 1 && found.first() == k);
        data.at[k] ^= 0x10;
    }
    data.at[0] ^= 1;
    data.at[data.length - 1] ^= 2;
    const Found both = check();
    EXPECT(both.words[0] == (data.length > 1 ? 2 : 1) && both.first() == 0);
}

void a_byte_that_differs_is_found_wherever_it_is()
{
    for (u64 length : LENGTHS)
        for (u64 begin : BEGINS)
            for (u64 other : BEGINS) {
                Bytes got(begin, length), right(other, length);
                launch(verify_fill, right.at, length, 5ull, 8ull);
                std::memcpy(got.at, right.at, length);
                each_byte_is_found(got, [&] {
                    Found found;
                    launch(verify_equal, (const unsigned char *)got.at, (const unsigned char *)right.at, length, found.words, 0ull, 0ull);
                    return found;
                });
            }
}

void outputs_begin_wrong_in_every_byte()
{
    for (u64 length : LENGTHS)
        for (u64 begin : BEGINS)
            for (u64 other : BEGINS) {
                Bytes to(begin, length), right(other, length);
                launch(verify_fill, right.at, length, 6ull, 8ull);
                launch(verify_poison, to.at, (const unsigned char *)right.at, length, 0ull, 0ull, 1ull, 0ull);
                for (u64 i = 0; i < length; i++)
                    EXPECT(to.at[i] == (unsigned char)~right.at[i]);
                EXPECT(to.is_alone() && right.is_alone());
            }
}

/* On a device words may be read only where they are aligned; a CPU does not care. */
void words_are_walked_where_both_buffers_are_aligned()
{
    const char *aligned = (const char *)1024;
    EXPECT(whole_words(100, aligned, aligned + 160) == 6);
    EXPECT(whole_words(100, aligned + 8, aligned) == 0);
    EXPECT(whole_words(100, aligned, aligned + 8) == 0);
}

void random_bits_are_found_again()
{
    for (u64 length : LENGTHS)
        for (u64 begin : BEGINS) {
            Bytes data(begin, length);
            launch(verify_fill, data.at, length, 4ull, 8ull);
            EXPECT(data.is_alone());
            each_byte_is_found(data, [&] {
                Found found;
                launch(verify_random, (const unsigned char *)data.at, length, 4ull, found.words, 8ull);
                return found;
            });
        }
}

void a_write_into_a_guard_is_found_wherever_it_is()
{
    for (u64 length : LENGTHS)
        for (u64 begin : BEGINS) {
            Bytes zone(begin, length);
            launch(verify_guard_fill, zone.at, length, 7ull, 0ull, 1ull);
            EXPECT(zone.is_alone() && (length < 15 || std::memcmp(zone.at, zone.at + 1, length - 1) != 0));
            each_byte_is_found(zone, [&] {
                Found found;
                launch(verify_guard, (const unsigned char *)zone.at, length, 7ull, found.words);
                return found;
            });
        }
}

/* A number next to the right one is wrong by 1, not by more. */
void of_no_ulps_the_next_number_is_wrong()
{
    Floats right(20, 3), got = right;
    got[7] = std::nextafter(3.0f, 4.0f);
    EXPECT(close(got, right, ATX_ULP, 0, 0).words[0] == 1);
    EXPECT(close(got, right, ATX_ULP, 1, 0).words[0] == 0);
}

} // namespace

int main()
{
    generated_numbers_are_found_again();
    the_worst_of_many_is_found();
    a_norm_is_of_the_whole();
    a_norm_of_doubles_of_any_size_is_found();
    outputs_begin_far_from_right();
    an_answer_is_validated();
    a_byte_that_differs_is_found_wherever_it_is();
    outputs_begin_wrong_in_every_byte();
    words_are_walked_where_both_buffers_are_aligned();
    random_bits_are_found_again();
    a_write_into_a_guard_is_found_wherever_it_is();
    of_no_ulps_the_next_number_is_wrong();
    return failures ? 1 : 0;
}
