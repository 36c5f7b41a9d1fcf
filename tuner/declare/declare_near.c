/*
 * declare_near.c - the `near` lines of an operation: what tells two of its problems apart besides sizes.
 *
 *     near turned  DIM DIM cost N          the dimensions may be exchanged
 *     near narrow  DIM... <= N cost N      sizes up to a limit are another kind of problem
 *     near aligned DIM... cost N           so are rows that begin at other multiples
 *
 * An op without such lines has costs of 0, which compare nothing: each cost that is not 0 was declared once.
 */
#include "declare/declare_parts.h"
#include "util/options.h"

#include <inttypes.h>
#include <string.h>

#define MAX_COST 1000 /* as far as a factor of 2^1000 */

/* "found 'WORD'; expected WHAT", and the name that was probably meant. */
static at_status fail_name(const atx_lines *lines, const char *at, const char *word, const char *expected,
                           const char *const *known)
{
    const char *nearest = atx_nearest(word, known);
    if (nearest)
        return atx_lines_fail(lines, at, "found '%s'; expected %s; did you mean '%s'?", word, expected,
                              nearest);
    return atx_lines_fail(lines, at, "found '%s'; expected %s", word, expected);
}

at_status atx_read_dim_name(int *dim, atx_lines *lines, const atx_op *op)
{
    char name[ATX_MAX_NAME];
    const char *known[ATX_MAX_DIMS + 1] = { NULL }, *at = lines->at;
    at_status status = atx_lines_name(name, lines, "a dimension");
    if (status != AT_OK)
        return status;
    for (int i = 0; i < op->shape.dim_count; i++) {
        known[i] = op->shape.dims[i].name;
        if (strcmp(known[i], name) == 0) {
            *dim = i;
            return AT_OK;
        }
    }
    return fail_name(lines, at, name, "a dimension of the shape", known);
}

static at_status read_number(int64_t *out, int64_t max, const char *what, atx_lines *lines)
{
    const char *at = lines->at;
    at_status status = atx_lines_integer(out, lines, what);
    if (status == AT_OK && (*out < 1 || *out > max))
        status =
            atx_lines_fail(lines, at, "found %" PRId64 "; expected %s from 1 to %" PRId64, *out, what, max);
    return status;
}

/* cost N */
static at_status read_cost(int64_t *out, atx_lines *lines)
{
    at_status status = atx_lines_take(lines, "cost", NULL);
    return status == AT_OK ? read_number(out, MAX_COST, "a cost", lines) : status;
}

/* DIM DIM cost N */
static at_status read_swapped(atx_op *op, atx_lines *lines)
{
    if (op->shape.turn_count == ATX_MAX_SWAPS)
        return atx_lines_fail(lines, lines->at, "found more than %d lines 'near turned'; expected fewer",
                              ATX_MAX_SWAPS);
    atx_turn *turn = &op->shape.turns[op->shape.turn_count];
    at_status status = atx_read_dim_name(&turn->dims[0], lines, op);
    const char *second = lines->at;
    if (status == AT_OK)
        status = atx_read_dim_name(&turn->dims[1], lines, op);
    if (status == AT_OK && turn->dims[0] == turn->dims[1])
        status = atx_lines_fail(lines, second, "found '%s' a second time; expected another dimension",
                                op->shape.dims[turn->dims[1]].name);
    if (status == AT_OK)
        status = read_cost(&turn->cost, lines);
    op->shape.turn_count += status == AT_OK;
    return status;
}

/* DIM..., each once: neither twice on the line, nor where `cost_of` says that a line above names it too. */
static at_status read_dims(bool of[ATX_MAX_DIMS], int64_t (*cost_of)(const atx_near *), atx_lines *lines,
                           const atx_op *op)
{
    do {
        int dim = 0;
        const char *at = lines->at;
        at_status status = atx_read_dim_name(&dim, lines, op);
        if (status != AT_OK)
            return status;
        if (of[dim] || cost_of(&op->shape.dims[dim].near))
            return atx_lines_fail(lines, at, "found '%s' a second time; expected each dimension once",
                                  op->shape.dims[dim].name);
        of[dim] = true;
    } while (!atx_lines_sees(lines, "<=") && !atx_lines_sees_word(lines, "cost") && !atx_lines_at_end(lines));
    return AT_OK;
}

static int64_t narrow_cost(const atx_near *near)
{
    return near->narrow_cost;
}

static int64_t aligned_cost(const atx_near *near)
{
    return near->aligned_cost;
}

/* DIM... <= N cost N */
static at_status read_narrow(atx_op *op, atx_lines *lines)
{
    bool of[ATX_MAX_DIMS] = { false };
    int64_t limit = 0, cost = 0;
    at_status status = read_dims(of, narrow_cost, lines, op);
    if (status == AT_OK)
        status = atx_lines_take(lines, "<=", NULL);
    if (status == AT_OK)
        status = read_number(&limit, INT32_MAX, "a size", lines);
    if (status == AT_OK)
        status = read_cost(&cost, lines);
    for (int i = 0; status == AT_OK && i < op->shape.dim_count; i++)
        if (of[i]) {
            op->shape.dims[i].near.narrow = limit;
            op->shape.dims[i].near.narrow_cost = cost;
        }
    return status;
}

/* DIM... cost N */
static at_status read_aligned(atx_op *op, atx_lines *lines)
{
    bool of[ATX_MAX_DIMS] = { false };
    int64_t cost = 0;
    at_status status = read_dims(of, aligned_cost, lines, op);
    if (status == AT_OK)
        status = read_cost(&cost, lines);
    for (int i = 0; status == AT_OK && i < op->shape.dim_count; i++)
        if (of[i])
            op->shape.dims[i].near.aligned_cost = cost;
    return status;
}

at_status atx_read_near(atx_op *op, atx_lines *lines)
{
    static const char *const WORDS[] = { "turned", "narrow", "aligned", NULL };
    static at_status (*const READ[])(atx_op *, atx_lines *) = { read_swapped, read_narrow, read_aligned };
    static const char EXPECTED[] = "turned, narrow or aligned";
    char word[ATX_MAX_NAME];
    const char *at = lines->at;
    at_status status = atx_lines_name(word, lines, EXPECTED);
    if (status != AT_OK)
        return status;
    for (int i = 0; WORDS[i]; i++)
        if (strcmp(WORDS[i], word) == 0)
            return READ[i](op, lines);
    return fail_name(lines, at, word, EXPECTED, WORDS);
}
