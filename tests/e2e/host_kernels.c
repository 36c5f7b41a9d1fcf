/* host_kernels.c - see host_kernels.h. */
#include "host_kernels.h"

#include "host_cheats.h"
#include "host_numbers.h"
#include "declare/data.h"

#include <string.h>

static unsigned char *pointer(uint64_t param)
{
    return (unsigned char *)(uintptr_t)param; /* device memory is host memory here */
}

/* What lies over a right answer: mask_word of verify.cu. */
static uint64_t mask_word(uint64_t key, uint64_t lock, uint64_t i)
{
    return lock ? atx_mix(atx_random(key, i) ^ lock) : 0;
}

/* Word i of a buffer of so many bytes; the last one may be shorter, and is followed by zeros. */
static uint64_t load(const unsigned char *from, uint64_t bytes, uint64_t i)
{
    uint64_t word = 0;
    memcpy(&word, from + 8 * i, bytes - 8 * i < 8 ? bytes - 8 * i : 8);
    return word;
}

static void store(unsigned char *to, uint64_t bytes, uint64_t i, uint64_t word)
{
    memcpy(to + 8 * i, &word, bytes - 8 * i < 8 ? bytes - 8 * i : 8);
}

/* to, bytes, key, lock */
static void fill(const uint64_t *p)
{
    for (uint64_t i = 0; 8 * i < p[1]; i++)
        store(pointer(p[0]), p[1], i, mask_word(p[2], p[3], i));
}

/* sets, bytes, other memory, its bytes: there is no L2 here */
static void sweep(const uint64_t *p)
{
    (void)p;
}

static uint64_t flip_word(uint64_t how, uint64_t i)
{
    return how == 0 ? 0 : how == 1 ? UINT64_MAX : atx_random(how, i) | 0x0101010101010101u;
}

/* Does this word stay right? */
static bool is_left(uint64_t leave, uint64_t i)
{
    return leave && (atx_random(leave, i >> (leave & 15)) & 1);
}

/* to, from, bytes, key, lock, how, leave */
static void poison(const uint64_t *p)
{
    for (uint64_t i = 0; 8 * i < p[2]; i++)
        store(pointer(p[0]), p[2], i,
              load(pointer(p[1]), p[2], i) ^ mask_word(p[3], p[4], i) ^
                  flip_word(is_left(p[6], i) ? 0 : p[5], i));
}

static void blame(uint64_t *found, uint64_t offset)
{
    found[0]++;
    if (~offset > found[1])
        found[1] = ~offset;
}

/* The bytes of word i that differ. */
static void blame_bytes(uint64_t *found, uint64_t bytes, uint64_t i, uint64_t got, uint64_t expected)
{
    if (got == expected)
        return;
    for (uint64_t k = 0; k < 8 && 8 * i + k < bytes; k++)
        if ((got ^ expected) >> (8 * k) & 255)
            blame(found, 8 * i + k);
}

/* got, expected, bytes, found, key, lock */
static void equal(const uint64_t *p)
{
    for (uint64_t i = 0; 8 * i < p[2]; i++)
        blame_bytes((uint64_t *)(void *)pointer(p[3]), p[2], i, load(pointer(p[0]), p[2], i),
                    load(pointer(p[1]), p[2], i) ^ mask_word(p[4], p[5], i));
}

/* zone, bytes, seed, stride, sets */
static void fill_guards(const uint64_t *p)
{
    for (uint64_t i = 0; 8 * i < p[1]; i++)
        store(pointer(p[0]), p[1], i, atx_random(p[2], i));
    for (uint64_t set = 1; set < p[4]; set++)
        memcpy(pointer(p[0] + set * p[3]), pointer(p[0]), p[1]);
}

static void blame_others(const uint64_t *p, uint64_t lock)
{
    for (uint64_t i = 0; 8 * i < p[1]; i++)
        blame_bytes((uint64_t *)(void *)pointer(p[3]), p[1], i, load(pointer(p[0]), p[1], i),
                    lock ? mask_word(p[2], lock, i) : atx_random(p[2], i));
}

/* got, bytes, key, found, lock */
static void still_random(const uint64_t *p)
{
    blame_others(p, p[4]);
}

/* zone, bytes, seed, found */
static void guard(const uint64_t *p)
{
    blame_others(p, 0);
}

/* ---- fill.cu ---- */

static int number_of(uint64_t how)
{
    return (int)(how & 255);
}

static uint64_t bits_at(uint64_t buffer, uint64_t i, uint64_t how)
{
    return atx_bits_at(pointer(buffer), i, atx_number_bytes(number_of(how)));
}

static uint64_t *found_at(uint64_t param)
{
    return (uint64_t *)(void *)pointer(param);
}

/* to, count, seed, how, then the words of an atx_filling */
static uint64_t generated_at(const uint64_t *p, uint64_t i)
{
    const atx_filling f = { p[4], p[5], p[6], p[7], p[8], p[9], p[10] };
    return atx_generate(i, p[1], number_of(p[3]), (int)(p[3] >> 8), &f, p[2]);
}

static void generate(const uint64_t *p)
{
    for (uint64_t i = 0; i < p[1]; i++)
        atx_set_bits(pointer(p[0]), i, atx_number_bytes(number_of(p[3])), generated_at(p, i));
}

static void still_generated(const uint64_t *p)
{
    for (uint64_t i = 0; i < p[1]; i++)
        if (bits_at(p[0], i, p[3]) != generated_at(p, i))
            blame(found_at(p[11]), i);
}

/* A number of a right answer, which may be masked. */
static uint64_t right_at(const uint64_t *p, uint64_t i, const uint64_t *mask)
{
    const uint64_t offset = i * (uint64_t)atx_number_bytes(number_of(p[3]));
    const uint64_t over = mask_word(mask[0], mask[1], offset / 8) >> (offset % 8 * 8);
    return bits_at(p[1], i, p[3]) ^ (over & atx_number_mask(number_of(p[3])));
}

/* to, right, count, how, key, lock */
static void make_far(const uint64_t *p)
{
    for (uint64_t i = 0; i < p[2]; i++)
        atx_set_bits(pointer(p[0]), i, atx_number_bytes(number_of(p[3])),
                     atx_far_from(right_at(p, i, p + 4), number_of(p[3])));
}

/* got, right, count, how, a, b, found, key, lock */
static double wrong_by(const uint64_t *p, uint64_t i)
{
    return atx_wrong_by(bits_at(p[0], i, p[3]), right_at(p, i, p + 7), number_of(p[3]), (int)(p[3] >> 8),
                        atx_double_of(p[4]), atx_double_of(p[5]));
}

static void add_square(uint64_t to[ATX_SQUARES], double value)
{
    double sums[ATX_SQUARES];
    memcpy(sums, to, sizeof sums);
    atx_squares_add(sums, value);
    memcpy(to, sums, sizeof sums);
}

static void close_enough(const uint64_t *p)
{
    bool is_norm = (int)(p[3] >> 8) == ATX_NORM;
    for (uint64_t i = 0; i < p[2]; i++) {
        double by = wrong_by(p, i), right = atx_number_value(right_at(p, i, p + 7), number_of(p[3]));
        found_at(p[6])[0] += is_norm ? !atx_is_finite(by) : by > 0;
        if (is_norm && atx_is_finite(by))
            add_square(&found_at(p[6])[6], by);
        if (is_norm && atx_is_finite(right))
            add_square(&found_at(p[6])[6 + ATX_SQUARES], right);
    }
}

static void worst(const uint64_t *p)
{
    uint64_t *found = found_at(p[6]);
    for (uint64_t i = 0; i < p[2]; i++)
        if (atx_bits_of_double(wrong_by(p, i)) > found[6])
            found[6] = atx_bits_of_double(wrong_by(p, i));
}

static void where(const uint64_t *p)
{
    uint64_t *found = found_at(p[6]);
    for (uint64_t i = 0; i < p[2]; i++)
        if (atx_bits_of_double(wrong_by(p, i)) == found[6] && ~i > found[1])
            found[1] = ~i;
}

/* right, before, count, how, found */
static void validate(const uint64_t *p)
{
    uint64_t *found = found_at(p[4]);
    for (uint64_t i = 0; i < p[2]; i++) {
        double value = atx_number_value(bits_at(p[0], i, p[3]), number_of(p[3]));
        found[0] += bits_at(p[0], i, p[3]) == bits_at(p[1], i, p[3]);
        found[1] += (uint64_t)atx_is_nan(value);
        found[2] += !atx_is_nan(value) && !atx_is_finite(value);
        found[3] += bits_at(p[0], i, p[3]) != bits_at(p[0], 0, p[3]);
    }
}

static const struct {
    const char *name;
    int params;
    void (*run)(const uint64_t *params);
} CHECKS[] = {
    { "verify_fill", 4, fill },
    { "verify_poison", 7, poison },
    { "verify_sweep", 4, sweep },
    { "verify_equal", 6, equal },
    { "verify_random", 5, still_random },
    { "verify_guard_fill", 5, fill_guards },
    { "verify_guard", 4, guard },
    { "verify_generate", 11, generate },
    { "verify_generated", 12, still_generated },
    { "verify_far", 6, make_far },
    { "verify_close", 9, close_enough },
    { "verify_worst", 9, worst },
    { "verify_where", 9, where },
    { "verify_outputs", 5, validate },
};
enum { CHECK_COUNT = sizeof CHECKS / sizeof *CHECKS };

/* A mangled name from its own beginning: "_Z9copy_minePj" becomes "copy_minePj". */
static const char *plain(const char *name)
{
    return strncmp(name, "_Z", 2) == 0 ? name + 2 + strspn(name + 2, "0123456789") : name;
}

static bool is_transpose(const char *name)
{
    return strncmp(plain(name), "transpose", 9) == 0;
}

/* Takes its input before its output. */
static bool is_swapped(const char *name)
{
    return strstr(name, "swapped") != NULL;
}

int host_kernel_params(const char *name)
{
    for (int i = 0; i < CHECK_COUNT; i++)
        if (strcmp(CHECKS[i].name, name) == 0)
            return CHECKS[i].params <= HOST_PARAMS ? CHECKS[i].params : 0;
    if (host_number_params(plain(name)))
        return host_number_params(plain(name));
    return is_transpose(name) ? 7 : strncmp(plain(name), "copy", 4) == 0 ? 5 : 0;
}

bool host_kernel_buffers(host_buffers *out, const char *name, const uint64_t *p, int element)
{
    if (strncmp(name, "verify_", 7) == 0)
        return false;
    if (host_number_buffers(out, plain(name), p))
        return true;
    *out = (host_buffers){ .out = pointer(p[is_swapped(name)]), .in = pointer(p[!is_swapped(name)]) };
    out->in_bytes = out->out_bytes = (int64_t)((host_is_cheat(name) ? 1 : p[2]) * p[3] * p[4]) * element;
    if (is_transpose(name)) {
        out->in_bytes = (int64_t)(p[2] * p[3] * p[5]) * element;
        out->out_bytes = (int64_t)(p[2] * p[4] * p[6]) * element;
    }
    return true;
}

/* Parameters: out, in, batch, rows, cols, ld_in, ld_out. */
static void transpose(const uint64_t *p, size_t element)
{
    unsigned char *out = pointer(p[0]);
    const unsigned char *in = pointer(p[1]);
    for (uint64_t b = 0; b < p[2]; b++)
        for (uint64_t r = 0; r < p[3]; r++)
            for (uint64_t c = 0; c < p[4]; c++)
                memcpy(out + ((b * p[4] + c) * p[6] + r) * element,
                       in + ((b * p[3] + r) * p[5] + c) * element, element);
}

static void misbehave(const host_buffers *b, int element, action how, unsigned char last)
{
    unsigned char *const middle = b->out + b->out_bytes / element / 2 * element;
    switch (how) {
    case WRONG:
        *middle ^= 1;
        break;
    case UNWRITTEN:
        b->out[b->out_bytes - 1] = last;
        break;
    case BEHIND:
        b->out[b->out_bytes] ^= 0x55;
        break;
    case BEFORE:
        b->out[-1] ^= 0x55;
        break;
    case INPUT:
        b->in[b->in_bytes - 1] ^= 0x55;
        break;
    default:
        break;
    }
}

void host_kernel_run(const char *name, const uint64_t *p, int element, action how)
{
    host_buffers b;
    for (int i = 0; i < CHECK_COUNT; i++)
        if (strcmp(CHECKS[i].name, name) == 0)
            CHECKS[i].run(p);
    if (!host_kernel_buffers(&b, name, p, element) || b.out_bytes <= 0)
        return;
    unsigned char last = b.out[b.out_bytes - 1];
    if (host_number_params(plain(name)))
        host_number_run(plain(name), p);
    else if (is_transpose(name))
        transpose(p, (size_t)element);
    else
        memmove(b.out, b.in, (size_t)b.out_bytes);
    misbehave(&b, element, how, last);
}
