/*
 * checks.cpp - the kernels that fill buffers and compare results (runner/verify.cu, fill.cu), on the CPU: every
 * thread of a small grid, one after the other. Their arithmetic is tested in tests/unit/test_data.c; here is that
 * each number is looked at once, whatever the grid and the count, and that what is found adds up.
 */
#include "cuda_words.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

uint3 threadIdx, blockIdx, blockDim, gridDim;

struct ulonglong2 {
    unsigned long long x, y;
};

static ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y)
{
    return { x, y };
}

#include "../../tuner/lang/data.h"

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
constexpr u64 F32 = AT__FLOAT * 16 + 4;

struct Found {
    u64 words[8] = {};
    u64 first() const
    {
        return ~words[1];
    }
};

u64 bits(double value)
{
    return at__bits_of_double(value);
}

Floats generate(u64 count, u64 seed)
{
    Floats to(count + 1, -77);
    launch(verify_generate, (void *)to.data(), count, seed, F32 | AT__UNIFORM << 8, bits(2), bits(-1));
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
        launch(verify_generated, (const void *)data.data(), count, 3ull, F32 | AT__UNIFORM << 8, bits(2), bits(-1), same.words);
        EXPECT(same.words[0] == 0);
        data[count / 2] += 1;
        data[count - 1] += 1;
        launch(verify_generated, (const void *)data.data(), count, 3ull, F32 | AT__UNIFORM << 8, bits(2), bits(-1), other.words);
        EXPECT(other.words[0] == (count / 2 == count - 1 ? 1 : 2) && other.first() == count / 2);
    }
}

Found close(const Floats &got, const Floats &right, u64 rule, double a, double b)
{
    Found found;
    launch(verify_close, (const void *)got.data(), (const void *)right.data(), (u64)right.size(), F32 | rule << 8, bits(a), bits(b), found.words);
    return found;
}

u64 worst(const Floats &got, const Floats &right, u64 rule, double a, double b)
{
    Found found;
    const u64 count = right.size(), how = F32 | rule << 8;
    launch(verify_worst, (const void *)got.data(), (const void *)right.data(), count, how, bits(a), bits(b), found.words);
    launch(verify_where, (const void *)got.data(), (const void *)right.data(), count, how, bits(a), bits(b), found.words);
    return found.first();
}

void the_worst_of_many_is_found()
{
    const Floats right = generate(1000, 5);
    Floats       got   = right;
    EXPECT(close(got, right, AT__WITHIN, 0, 0).words[0] == 0);
    got[10] += 1;
    got[500] += 3;
    got[501] -= 3.5f;
    got[999] += 0.01f;
    EXPECT(close(got, right, AT__WITHIN, 0, 0.1).words[0] == 3);
    EXPECT(worst(got, right, AT__WITHIN, 0, 0.1) == 501);
    got[2] = NAN;
    got[3] = NAN;
    EXPECT(close(got, right, AT__WITHIN, 0, 0.1).words[0] == 5);
    EXPECT(worst(got, right, AT__WITHIN, 0, 0.1) == 2);
}

void a_norm_is_of_the_whole()
{
    Floats right(100, 3), got = right;
    got[7] = 5;
    got[8] = 2;
    const Found found = close(got, right, AT__NORM, 0, 0);
    EXPECT(found.words[0] == 0 && at__double_of(found.words[6]) == 5 && at__double_of(found.words[7]) == 900);
    EXPECT(worst(got, right, AT__NORM, 0, 0) == 7);
    got[50] = INFINITY;
    EXPECT(close(got, right, AT__NORM, 0, 0).words[0] == 1);
}

void outputs_begin_far_from_right()
{
    Floats right = generate(1000, 6), got(1001, 4);
    right[5] = NAN;
    launch(verify_far, (void *)got.data(), (const void *)right.data(), 1000ull, F32);
    EXPECT(got[1000] == 4);
    got.resize(right.size());
    EXPECT(close(got, right, AT__WITHIN, 1e30, 1e30).words[0] == 1000);
}

void an_answer_is_judged()
{
    Floats right = generate(1000, 7), before(1001, 0);
    Found  found, same;
    right.resize(1000);
    for (int i = 0; i < 30; i++)
        right[i + 1] = i % 3 ? NAN : INFINITY;
    before[999] = right[999];
    launch(verify_judge, (const void *)right.data(), (const void *)before.data(), 1000ull, F32, found.words);
    EXPECT(found.words[0] == 1 && found.words[1] == 20 && found.words[2] == 10 && found.words[3] == 999);
    launch(verify_judge, (const void *)before.data(), (const void *)before.data(), 999ull, F32, same.words);
    EXPECT(same.words[0] == 999 && same.words[3] == 0);
}

void random_bits_are_found_again()
{
    for (u64 bytes : { 1, 15, 16, 17, 4096 }) {
        std::vector<ulonglong2> memory(300);
        unsigned char          *data = (unsigned char *)memory.data();
        Found                   same, other;
        data[bytes] = 9;
        launch(verify_fill, data, bytes, 4ull);
        EXPECT(data[bytes] == 9);
        launch(verify_random, (const unsigned char *)data, bytes, 4ull, same.words);
        data[bytes - 1] ^= 1;
        launch(verify_random, (const unsigned char *)data, bytes, 4ull, other.words);
        EXPECT(same.words[0] == 0 && other.words[0] == 1 && other.first() == bytes - 1);
    }
}

} // namespace

int main()
{
    generated_numbers_are_found_again();
    the_worst_of_many_is_found();
    a_norm_is_of_the_whole();
    outputs_begin_far_from_right();
    an_answer_is_judged();
    random_bits_are_found_again();
    return failures ? 1 : 0;
}
