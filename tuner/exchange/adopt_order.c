/*
 * adopt_order.c - buffers whose elements have an order that the kernel's code counts on: the columns of rows
 * that offsets begin, what a search by halves looks through, and pairs of a first and a last index.
 */
#include "exchange/adopt_draft.h"

#include <stdio.h>
#include <string.h>

/* "index N" of as many elements as offsets have in all: columns of these rows. */
static void note_columns(atx_draft *d, atx_draft_arg *a)
{
    static const char OFFSETS[] = "offsets ", INDEX[] = "index ";
    char holds[ATX_DRAFT_EXPR];
    for (int i = 0; i < d->arg_count; i++) {
        const atx_draft_arg *rows = &d->args[i];
        if (strncmp(rows->holds, OFFSETS, sizeof OFFSETS - 1) != 0 || !a->size[0] ||
            strcmp(rows->holds + sizeof OFFSETS - 1, a->size) != 0 ||
            strncmp(a->holds, INDEX, sizeof INDEX - 1) != 0)
            continue;
        const int n =
            snprintf(holds, sizeof holds, "columns %.80s of %.63s", a->holds + sizeof INDEX - 1, rows->name);
        if (n > 0 && (size_t)n < sizeof holds)
            memcpy(a->holds, holds, sizeof holds);
        return;
    }
}

/* "mid = (low + high) / 2", "low + (high - low) / 2", "... >> 1": the name that is given half of two. */
static bool is_half(const atx_draft *d, size_t name)
{
    const atx_tokens *t = &d->code;
    const size_t end = atx_tokens_find(t, name, d->body_end, ";");
    int names = 0;
    long by = 0;
    bool half = false;
    if (!atx_tokens_is_word(t, name) || !atx_tokens_is(t, name + 1, "="))
        return false;
    for (size_t i = name + 2; i < end; i++) {
        names += atx_tokens_is_word(t, i);
        if ((atx_tokens_is(t, i, "/") || atx_tokens_is(t, i, ">>")) && atx_draft_plain_number(&by, t, i + 1))
            half = half || by == (atx_tokens_is(t, i, "/") ? 2 : 1);
    }
    return half && names >= 2 && names <= 3;
}

/* Whether "buffer[mid]" is compared. */
static bool is_searched(const atx_draft *d, const char *buffer, size_t mid)
{
    static const char *const SIGNS[] = { "<", "<=", ">", ">=", NULL };
    const atx_tokens *t = &d->code;
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, mid);
    for (size_t i = d->kernel_text.open; i + 3 < d->body_end; i++)
        if (atx_tokens_is(t, i, buffer) && atx_tokens_is(t, i + 1, "[") && atx_tokens_is(t, i + 2, name) &&
            atx_tokens_is(t, i + 3, "]") &&
            (atx_token_is_one_of(t->text, &t->items[i + 4], SIGNS) ||
             atx_token_is_one_of(t->text, &t->items[i - 1], SIGNS)))
            return true;
    return false;
}

/* Whether p[i] and p[i + 1] are read, which begin and end something. */
static bool is_paired(const atx_draft *d, const char *buffer)
{
    const atx_tokens *t = &d->code;
    for (size_t i = d->kernel_text.open; i + 1 < d->body_end; i++) {
        const size_t n = atx_tokens_match(t, i + 1) - i - 1;
        if (!atx_tokens_is(t, i, buffer) || !atx_tokens_is(t, i + 1, "["))
            continue;
        for (size_t k = d->kernel_text.open; k + n + 2 < d->body_end; k++) {
            long by = 0;
            bool same = atx_tokens_is(t, k, buffer) && atx_tokens_is(t, k + n + 1, "+") &&
                        atx_draft_plain_number(&by, t, k + n + 2) && by == 1 &&
                        atx_tokens_is(t, k + n + 3, "]");
            for (size_t j = 1; j <= n && same; j++)
                same = atx_code_same(t, i + j, k + j);
            if (same)
                return true;
        }
    }
    return false;
}

static void note_search(atx_draft *d, atx_draft_arg *a)
{
    const char *own = atx_draft_own_type(d, a), *type = own ? own : atx_draft_element(d);
    char holds[ATX_DRAFT_EXPR];
    bool searched = strncmp(a->holds, "index ", 6) == 0 && is_paired(d, a->arg.name);
    for (size_t i = d->kernel_text.open; i < d->body_end && !searched; i++)
        searched = is_half(d, i) && is_searched(d, a->arg.name, i);
    if (!searched)
        return;
    const bool real = atx_draft_is_real(type);
    const int n = snprintf(holds, sizeof holds, "sorted %.150s",
                           real                                  ? "uniform -1 1"
                           : strncmp(a->holds, "index ", 6) == 0 ? a->holds
                                                                 : "index 100");
    if (n > 0 && (size_t)n < sizeof holds)
        memcpy(a->holds, holds, sizeof holds);
}

void atx_draft_order(atx_draft *d)
{
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].stars && d->args[i].read && !d->args[i].written && !d->args[i].structure &&
            !d->args[i].field) {
            note_columns(d, &d->args[i]);
            note_search(d, &d->args[i]);
        }
}
