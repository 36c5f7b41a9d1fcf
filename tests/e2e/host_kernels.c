/* host_kernels.c - see host_kernels.h. */
#include "host_kernels.h"

#include <string.h>

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Eight random bytes at a time, as verify.cu's random_byte gives them one by one. */
static void random_bytes(unsigned char out[8], uint64_t seed, uint64_t index)
{
    uint64_t word = mix(seed + (index + 1) * 0x9e3779b97f4a7c15ull);
    memcpy(out, &word, 8);
}

static unsigned char *pointer(uint64_t param)
{
    return (unsigned char *)(uintptr_t)param; /* device memory is host memory here */
}

static void fill(const uint64_t *p)
{
    unsigned char word[8], *to = pointer(p[0]);
    for (uint64_t i = 0; i < p[1]; i += 8) {
        random_bytes(word, p[2], i / 8);
        memcpy(to + i, word, p[1] - i < 8 ? p[1] - i : 8);
    }
}

static void poison(const uint64_t *p)
{
    unsigned char *to = pointer(p[0]);
    const unsigned char *expected = pointer(p[1]);
    for (uint64_t i = 0; i < p[2]; i++)
        to[i] = (unsigned char)~expected[i];
}

static void blame(uint64_t *found, uint64_t offset)
{
    found[0]++;
    if (~offset > found[1])
        found[1] = ~offset;
}

static void equal(const uint64_t *p)
{
    const unsigned char *got = pointer(p[0]), *expected = pointer(p[1]);
    for (uint64_t i = 0; i < p[2]; i++)
        if (got[i] != expected[i])
            blame((uint64_t *)(void *)pointer(p[3]), i);
}

static void still_random(const uint64_t *p)
{
    const unsigned char *got = pointer(p[0]);
    unsigned char word[8];
    for (uint64_t i = 0; i < p[1]; i++) {
        if (i % 8 == 0)
            random_bytes(word, p[2], i / 8);
        if (got[i] != word[i % 8])
            blame((uint64_t *)(void *)pointer(p[3]), i);
    }
}

static const struct {
    const char *name;
    int params;
    void (*run)(const uint64_t *params);
} CHECKS[] = {
    { "verify_fill", 3, fill },       { "verify_poison", 3, poison },
    { "verify_equal", 4, equal },     { "verify_random", 4, still_random },
    { "verify_guard_fill", 3, fill }, { "verify_guard", 4, still_random },
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
            return CHECKS[i].params;
    return is_transpose(name) ? 7 : strncmp(plain(name), "copy", 4) == 0 ? 5 : 0;
}

bool host_kernel_buffers(host_buffers *out, const char *name, const uint64_t *p, int element)
{
    if (strncmp(name, "verify_", 7) == 0)
        return false;
    *out = (host_buffers){ .out = pointer(p[is_swapped(name)]), .in = pointer(p[!is_swapped(name)]) };
    out->in_bytes = out->out_bytes = (int64_t)(p[2] * p[3] * p[4]) * element;
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
        b->in[0] ^= 0x55;
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
    if (is_transpose(name))
        transpose(p, (size_t)element);
    else
        memmove(b.out, b.in, (size_t)b.out_bytes);
    misbehave(&b, element, how, last);
}
