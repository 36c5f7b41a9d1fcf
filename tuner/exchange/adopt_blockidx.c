/* adopt_blockidx.c - products of blockIdx that the kernel reads. */
#include "exchange/adopt_draft.h"

/* blockIdx of a direction at token i, or a name that is given that: bx. */
static bool is_blockidx(const atx_draft *d, size_t i, int axis)
{
    static const char *const AXES[] = { "x", "y", "z" };
    const atx_tokens *t = &d->code;
    if (atx_tokens_is(t, i, "blockIdx"))
        return atx_tokens_is(t, i + 2, AXES[axis]);
    for (size_t k = d->kernel_text.open; k < i && atx_tokens_is_word(t, i); k++)
        if (atx_code_same(t, k, i) && atx_tokens_is(t, k + 1, "=") && atx_tokens_is(t, k + 2, "blockIdx") &&
            atx_tokens_is(t, k + 4, AXES[axis]))
            return true;
    return false;
}

bool atx_draft_multiplies(const atx_draft *d, int axis, int k, long number)
{
    static const char *const AXES[] = { "x", "y", "z" };
    const atx_tokens *t = &d->code;
    for (size_t i = 4; i + 4 < t->count; i++) {
        long by = 0;
        if (!d->reached[i] || !atx_tokens_is(t, i, "*"))
            continue;
        const bool before = k < 0 ? atx_draft_plain_number(&by, t, i - 1) && by == number
                                  : atx_tokens_is(t, i - 3, "blockDim") && atx_tokens_is(t, i - 1, AXES[k]);
        const bool behind = k < 0 ? atx_draft_plain_number(&by, t, i + 1) && by == number
                                  : atx_tokens_is(t, i + 1, "blockDim") && atx_tokens_is(t, i + 3, AXES[k]);
        size_t left = atx_tokens_is(t, i - 2, ".") ? i - 3 : i - 1;
        if (atx_tokens_is(t, i - 1, ")") && t->items[i - 1].pair < i)
            left = t->items[i - 1].pair + 1; /* (blockIdx.x + 1) * */
        if ((before && is_blockidx(d, i + 1, axis)) || (behind && is_blockidx(d, left, axis)))
            return true;
    }
    return false;
}
