/*
 * adopt_launch.c - grid, shared memory and scalars as the file's own launch has them.
 */
#include "exchange/adopt_sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* n / BLOCK of n = 1024 * BLOCK, which is a number: so many elements, however large the block is. */
static void keep_elements(atx_draft *d, int k)
{
    char divisor[ATX_MAX_WORD + 4], number[24], *grid = d->grid[k];
    for (int i = 0; i < 3; i++) {
        const char *name = d->block_as[i][0] ? d->block_as[i] : d->block_param[i];
        const size_t n = (size_t)snprintf(divisor, sizeof divisor, " / %s", name), len = strlen(grid);
        if (!name[0] || len <= n || strcmp(grid + len - n, divisor) != 0)
            continue;
        char elements[ATX_DRAFT_EXPR];
        snprintf(elements, sizeof elements, "%.*s", (int)(len - n), grid);
        snprintf(number, sizeof number, "%ld", d->block_value[i]);
        if (!atx_draft_names_word(elements, name))
            continue;
        atx_draft_replace_word(elements, sizeof elements, name, number);
        if (elements[strspn(elements, "0123456789 */()<>")] == '\0' && strlen(elements) + n < ATX_DRAFT_EXPR)
            memcpy(grid + strlen(strcpy(grid, elements)), divisor, n + 1);
    }
}

static void read_grid(atx_draft *d)
{
    const atx_span from = { d->launch.config[0][0], d->launch.config[0][1] };
    for (int k = 0; k < 3; k++) {
        atx_span part;
        atx_str text = { 0 };
        long number;
        const bool good = atx_draft_component(&part, d, from, k);
        if (good && part.begin >= part.end)
            continue;
        const bool lone = good && part.end == part.begin + 1 && /* <<<256, 256>>> */
                          atx_draft_plain_number(&number, &d->code, part.begin);
        if (lone)
            snprintf(d->grid[k], sizeof d->grid[k], "%ld", number);
        else if (good && atx_draft_grid(&text, d, part, k) && strlen(text.data) < sizeof d->grid[k] &&
                 text.data[0] != '-') /* -1: another one is chosen later */
            snprintf(d->grid[k], sizeof d->grid[k], "%s", text.data);
        else
            d->grid_guessed = true;
        keep_elements(d, k);
        atx_str_clear(&text);
    }
}

static void read_shared(atx_draft *d)
{
    atx_str text = { 0 };
    const atx_span from = { d->launch.config[2][0], d->launch.config[2][1] };
    if (d->launch.config_count > 2 && atx_draft_expression(&text, d, from, 0)) {
        if (strcmp(text.data, "0") != 0 && strlen(text.data) < sizeof d->shared_bytes)
            snprintf(d->shared_bytes, sizeof d->shared_bytes, "%s", text.data);
    } else {
        d->shared_guessed =
            d->launch.config_count > 2 || d->shared; /* a size that the launch does not have */
    }
    atx_str_clear(&text);
}

/* ---- values of scalars ---- */

/* The kernel is told its block's size: a value of the parameter. */
static bool takes_block(atx_draft *d, atx_draft_arg *a, size_t begin, size_t end)
{
    if (end != begin + 1 || !atx_draft_scalars())
        return false;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < ATX_DRAFT_ALIASES && d->block_param[k][0]; i++)
            if (d->block_from[k][i][0] && atx_tokens_is(&d->code, begin, d->block_from[k][i])) {
                snprintf(a->value, sizeof a->value, "%s", d->block_param[k]);
                a->own = true;
                return true;
            }
    return false;
}

/* It is another one in each iteration of a loop. */
static bool takes_iteration(atx_draft *d, atx_draft_arg *a, size_t begin, size_t end)
{
    atx_str text = { 0 };
    const bool is = d->loop_count && atx_draft_scalars() &&
                    atx_draft_expression(&text, d, (atx_span){ begin, end }, 0) &&
                    text.len < sizeof a->value && atx_draft_is_of_iteration(d, text.data);
    if (is)
        snprintf(a->value, sizeof a->value, "%s", text.data);
    a->own = is;
    atx_str_clear(&text);
    return is;
}

/* A number as the launch has it: 4, -1, 0.5f, true. */
static void read_values(atx_draft *d)
{
    const atx_tokens *t = &d->code;
    for (int i = 0; i < d->arg_count && i < d->launch.arg_count; i++) {
        atx_draft_arg *a = &d->args[i];
        size_t begin = d->launch.args[i][0];
        const size_t end = d->launch.args[i][1];
        const bool negative = atx_tokens_is(t, begin, "-");
        char text[ATX_MAX_WORD];
        long value;
        begin += negative;
        if (a->stars || a->structure || begin >= end || takes_block(d, a, begin, end) ||
            takes_iteration(d, a, d->launch.args[i][0], end) ||
            atx_draft_is_set_later(d, (atx_span){ begin, end }))
            continue;
        if (atx_draft_number(&value, d, t, (atx_span){ d->launch.args[i][0], end })) {
            snprintf(a->value, sizeof a->value, "%ld", value);
        } else if (end == begin + 1 && t->items[begin].kind == ATX_TOKEN_NUMBER) {
            atx_draft_word(text, t, begin);
            const size_t n = strspn(text, "0123456789.eE+-");
            if (n && text[n - 1] == '.')
                snprintf(a->value, sizeof a->value, "%s%.*s0", negative ? "-" : "", (int)n, text);
            else
                snprintf(a->value, sizeof a->value, "%s%s%.*s", negative ? "-" : "",
                         text[0] == '.' ? "0" : "", (int)n, text);
        } else if (end == begin + 1 &&
                   (atx_tokens_is(t, begin, "true") || atx_tokens_is(t, begin, "false"))) {
            snprintf(a->value, sizeof a->value, "%d", atx_tokens_is(t, begin, "true"));
        }
    }
}

void atx_draft_launch(atx_draft *d)
{
    if (!d->launched) {
        atx_draft_guess_block(d);
        d->grid_guessed = d->shared_guessed = true;
        return;
    }
    atx_draft_loops(d);
    atx_draft_launch_block(d);
    read_values(d);
    read_grid(d);
    atx_draft_read_side(d);
    read_shared(d);
}
