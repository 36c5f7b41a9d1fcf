/*
 * fill.cu - inputs of declared distributions, outputs that need not be equal bit for bit, and whether a right
 * answer can prove anything. declare/data.h stands in front of it.
 *
 * `count` counts numbers (see there). `how` says what they are and where they lie (atx_number_place), with the
 * distribution of an input or the rule of a check.
 */

/* Number i of a right answer, which may be masked: see verify.cu. */
static __device__ inline u64 right_at(const void *right, u64 i, u64 how, u64 key, u64 lock)
{
    const u64 offset = atx_number_place(i, how);
    return atx_bits_placed(right, i, how) ^
           (mask_word(key, lock, offset / 8) >> (offset % 8 * 8) & atx_number_mask(atx_how_number(how)));
}

static __device__ inline double wrong_by(const void *got, u64 right, u64 i, u64 how, u64 a, u64 b)
{
    return atx_wrong_by(atx_bits_placed(got, i, how), right, atx_how_number(how), atx_how_rule(how), atx_double_of(a),
                        atx_double_of(b));
}

#if !defined AT_PART || AT_PART == 2 || AT_PART == 7

extern "C" __global__ void verify_generate(void *to, u64 count, u64 seed, u64 how, u64 a, u64 b, u64 rows, u64 total, u64 variance, u64 other, u64 lock)
{
    const atx_filling f = { a, b, rows, total, variance, other, lock };
#pragma unroll 1
    for (u64 i = first_index(); i < count; i += step())
        atx_set_placed(to, i, how, atx_generate(i, count, atx_how_number(how), atx_how_rule(how), &f, seed));
}

#endif
#if !defined AT_PART || AT_PART == 3 || AT_PART == 8

/* Are these still the numbers of verify_generate? `found` as in verify.cu, of numbers. */
extern "C" __global__ void verify_generated(const void *got, u64 count, u64 seed, u64 how, u64 a, u64 b, u64 rows, u64 total, u64 variance,
                                            u64 other, u64 lock, u64 *found)
{
    const atx_filling f = { a, b, rows, total, variance, other, lock };
#pragma unroll 1
    for (u64 i = first_index(); i < count; i += step())
        if (atx_bits_placed(got, i, how) != atx_generate(i, count, atx_how_number(how), atx_how_rule(how), &f, seed))
            blame(found, i);
}

#endif
#if !defined AT_PART || AT_PART == 4

/* Every number wrong by whatever a check may allow. */
extern "C" __global__ void verify_far(void *to, const void *right, u64 count, u64 how, u64 key, u64 lock)
{
#pragma unroll 1
    for (u64 i = first_index(); i < count; i += step())
        atx_set_placed(to, i, how, atx_far_from(right_at(right, i, how, key, lock), atx_how_number(how)));
}

/* found[0]: how many are wrong. For a norm those that are not finite as the others are, and from found[6] on, as
 * doubles, the three sums of squares of what the rest is off, and from found[9] on those of what is right. */
extern "C" __global__ void verify_close(const void *got, const void *right, u64 count, u64 how, u64 a, u64 b, u64 *found, u64 key,
                                        u64 lock)
{
    const int number = atx_how_number(how), is_norm = atx_how_rule(how) == ATX_NORM;
    double    off[ATX_SQUARES] = {}, all[ATX_SQUARES] = {};
    u64       wrong = 0;
#pragma unroll 1
    for (u64 i = first_index(); i < count; i += step()) {
        const u64    bits = right_at(right, i, how, key, lock);
        const double by = wrong_by(got, bits, i, how, a, b), y = atx_number_value(bits, number);
        wrong += is_norm ? !atx_is_finite(by) : by > 0;
        atx_squares_add(off, is_norm && atx_is_finite(by) ? by : 0);
        atx_squares_add(all, is_norm && atx_is_finite(y) ? y : 0);
    }
    if (wrong)
        atomicAdd(&found[0], wrong);
    for (int k = 0; is_norm && k < ATX_SQUARES; k++) {
        atomicAdd((double *)&found[6 + k], off[k]);
        atomicAdd((double *)&found[6 + ATX_SQUARES + k], all[k]);
    }
}

#endif
#if !defined AT_PART || AT_PART == 5

/* found[6]: the bits of how wrong the worst is; of doubles from 0 on they are ordered as these are. */
extern "C" __global__ void verify_worst(const void *got, const void *right, u64 count, u64 how, u64 a, u64 b, u64 *found, u64 key,
                                        u64 lock)
{
    u64 worst = 0;
#pragma unroll 1
    for (u64 i = first_index(); i < count; i += step()) {
        const u64 by = atx_bits_of_double(wrong_by(got, right_at(right, i, how, key, lock), i, how, a, b));
        worst = by > worst ? by : worst;
    }
    atomicMax(&found[6], worst);
}

/* found[1]: the complement of the first that is as wrong as the worst. */
extern "C" __global__ void verify_where(const void *got, const void *right, u64 count, u64 how, u64 a, u64 b, u64 *found, u64 key,
                                        u64 lock)
{
    const u64 worst = found[6];
#pragma unroll 1
    for (u64 i = first_index(); i < count; i += step())
        if (atx_bits_of_double(wrong_by(got, right_at(right, i, how, key, lock), i, how, a, b)) == worst)
            atomicMax(&found[1], ~i);
}

#endif
#if !defined AT_PART || AT_PART == 1

/* Of a right answer: numbers that are as before [0], NaN [1], infinite [2], other than the first [3]. */
extern "C" __global__ void verify_outputs(const void *right, const void *before, u64 count, u64 how, u64 *found)
{
    const int number = atx_how_number(how);
    const u64 first = count ? atx_bits_placed(right, 0, how) : 0;
    u64       same = 0, nans = 0, infinite = 0, other = 0;
#pragma unroll 1
    for (u64 i = first_index(); i < count; i += step()) {
        const u64    bits = atx_bits_placed(right, i, how);
        const double y = atx_number_value(bits, number);
        same += bits == atx_bits_placed(before, i, how);
        nans += atx_is_nan(y);
        infinite += !atx_is_nan(y) && !atx_is_finite(y);
        other += bits != first;
    }
    atomicAdd(&found[0], same);
    atomicAdd(&found[1], nans);
    atomicAdd(&found[2], infinite);
    atomicAdd(&found[3], other);
}

#endif
