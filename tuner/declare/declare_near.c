/*
 * declare_near.c - the `near` lines of an operation: differences between two of its problems besides sizes.
 *
 *     near turned  DIM DIM cost N          the dimensions may be exchanged
 *     near narrow  DIM... <= N cost N      sizes up to a limit are another kind of problem
 *     near aligned DIM... cost N           so are rows that begin at other multiples
 *
 * An op without such lines has costs of 0, which compare nothing: each cost that is not 0 was declared once.
 */
#include "declare/declare_internal.h"
#include "util/options.h"

#include <inttypes.h>
#include <string.h>

#define MAX_COST 1000 /* as far as a factor of 2^1000 */

/* "found 'WORD'; expected WHAT", and the name that was probably meant. */
static void fail_name(atx_lines *lines, const char *at, const char *word, const char *expected,
                      const char *const *known)
{
    const char *nearest = atx_nearest(word, known);
    atx_lines_fail(lines, at, "found '%s'; expected %s%s%s%s", word, expected,
                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

int atx_read_dim_name(atx_lines *lines, const atx_op *op)
{
    char name[ATX_MAX_NAME];
    const char *known[ATX_MAX_DIMS + 1] = { NULL }, *at = atx_lines_name(name, lines, "a dimension");
    for (int i = 0; i < op->shape.dim_count; i++) {
        known[i] = op->shape.dims[i].name;
        if (strcmp(known[i], name) == 0)
            return i;
    }
    fail_name(lines, at, name, "a dimension of the shape", known);
    return 0;
}

static int64_t read_number(int64_t max, const char *what, atx_lines *lines)
{
    const char *at = lines->at;
    const int64_t value = atx_lines_integer(lines, what);
    if (value < 1 || value > max)
        atx_lines_fail(lines, at, "found %" PRId64 "; expected %s from 1 to %" PRId64, value, what, max);
    return value;
}

/* cost N */
static int64_t read_cost(atx_lines *lines)
{
    atx_lines_take(lines, "cost", NULL);
    return read_number(MAX_COST, "a cost", lines);
}

/* DIM DIM cost N */
static void read_swapped(atx_op *op, atx_lines *lines)
{
    atx_exchange *pair = &op->shape.exchanges[op->shape.exchange_count];
    if (op->shape.exchange_count == ATX_MAX_SWAPS) {
        atx_lines_fail(lines, lines->at, "found more than %d lines 'near turned'; expected fewer",
                       ATX_MAX_SWAPS);
        return;
    }
    pair->dims[0] = atx_read_dim_name(lines, op);
    const char *second = lines->at;
    pair->dims[1] = atx_read_dim_name(lines, op);
    if (pair->dims[0] == pair->dims[1])
        atx_lines_fail(lines, second, "found '%s' a second time; expected another dimension",
                       op->shape.dims[pair->dims[1]].name);
    pair->cost = read_cost(lines);
    op->shape.exchange_count++;
}

/* DIM... [<= N] cost N. Each dimension once: neither twice on the line, nor on a line above of that kind. */
static void read_dims(atx_op *op, atx_lines *lines, bool narrow)
{
    bool of[ATX_MAX_DIMS] = { false };
    do {
        const char *at = lines->at;
        const int dim = atx_read_dim_name(lines, op);
        const atx_near *near = &op->shape.dims[dim].near;
        if (of[dim] || (narrow ? near->narrow_cost : near->aligned_cost))
            atx_lines_fail(lines, at, "found '%s' a second time; expected each dimension once",
                           op->shape.dims[dim].name);
        of[dim] = true;
    } while (!atx_lines_sees(lines, "<=") && !atx_lines_sees_word(lines, "cost") && !atx_lines_at_end(lines));
    int64_t limit = 0;
    if (narrow) {
        atx_lines_take(lines, "<=", NULL);
        limit = read_number(INT32_MAX, "a size", lines);
    }
    const int64_t cost = read_cost(lines);
    for (int i = 0; i < op->shape.dim_count; i++) {
        atx_near *near = &op->shape.dims[i].near;
        if (of[i] && narrow) {
            near->narrow = limit;
            near->narrow_cost = cost;
        } else if (of[i]) {
            near->aligned_cost = cost;
        }
    }
}

void atx_read_near(atx_lines *lines, void *target)
{
    static const char *const WORDS[] = { "turned", "narrow", "aligned", NULL };
    static const char EXPECTED[] = "turned, narrow or aligned";
    char word[ATX_MAX_NAME];
    const char *at = atx_lines_name(word, lines, EXPECTED);
    if (strcmp(word, WORDS[0]) == 0)
        read_swapped(target, lines);
    else if (strcmp(word, WORDS[1]) == 0 || strcmp(word, WORDS[2]) == 0)
        read_dims(target, lines, word[0] == 'n');
    else
        fail_name(lines, at, word, EXPECTED, WORDS);
}
