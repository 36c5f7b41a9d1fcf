/* adopt_block_fixed.c - kernels that are made for one number of threads, although they ask for blockDim: no
 * parameter. */
#include "exchange/adopt_draft.h"

/* threadIdx.x == 15 at token i, of 16 threads: the last one. */
static bool is_last(const atx_draft *d, size_t i, const char *axis, long value)
{
    const atx_tokens *t = &d->code;
    long last = 0;
    if (!atx_tokens_is(t, i, "threadIdx") || !atx_tokens_is(t, i + 2, axis))
        return false;
    const size_t number = atx_tokens_is(t, i + 3, "==") ? i + 4 : atx_tokens_is(t, i - 1, "==") ? i - 2 : i;
    return number != i && atx_draft_number(&last, d, t, (atx_span){ number, number + 1 }) && last > 0 &&
           last == value - 1;
}

/* cub::BlockScan<float, 1024> at token i. */
static bool is_of_library(const atx_draft *d, size_t i, long value)
{
    const atx_tokens *t = &d->code;
    char name[ATX_MAX_WORD];
    long number = 0;
    atx_draft_word(name, t, i);
    if (strncmp(name, "Block", 5) != 0 || !atx_tokens_is(t, i + 1, "<"))
        return false;
    const size_t end = atx_tokens_match(t, i + 1), first = atx_code_comma(t, i + 2, end);
    if (end >= t->count || first >= end)
        return false;
    const atx_span second = { first + 1, atx_code_comma(t, first + 1, end) };
    return atx_draft_number(&number, d, t, second) && number == value;
}

bool atx_draft_fixes_block(const atx_draft *d, int axis, long value)
{
    static const char *const AXES[] = { "x", "y", "z" };
    for (size_t i = 2; i + 4 < d->code.count; i++)
        if (d->reached[i] && (is_last(d, i, AXES[axis], value) || (axis == 0 && is_of_library(d, i, value))))
            return true;
    return false;
}
