/*
 * pack_domain.c - what a program may ask a pack for: ranges of sizes, as words of a command line, or problems
 * of a file, as a program logged them.
 */
#include "pack/pack_internal.h"

#include "util/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int dim_of(const atx_op *op, const char *name, size_t len)
{
    for (int i = 0; i < op->shape.dim_count; i++)
        if (strlen(op->shape.dims[i].name) == len && memcmp(op->shape.dims[i].name, name, len) == 0)
            return i;
    return -1;
}

/* 1, 2, ...: the dimension's word of that text; 0: it has none. */
static int64_t size_of_word(const atx_dim *dim, const char *text)
{
    for (int i = 0; i < dim->word_count; i++)
        if (strcmp(dim->words[i], text) == 0)
            return i + 1;
    return 0;
}

static at_status refuse_word(const atx_dim *dim, const char *word, at_error *err)
{
    atx_str names = { 0 };
    for (int i = 0; i < dim->word_count; i++)
        atx_str_addf(&names, "%s%s", i ? ", " : "", dim->words[i]);
    at_status status = atx_fail(err, AT_ERR_USAGE, "--sizes: found '%s'; expected %s=WORD, of %s", word,
                                dim->name, atx_str_text(&names));
    atx_str_clear(&names);
    return status;
}

static at_status add_range(atx_pack_ranges *out, atx_bounds range, const char *word, at_error *err)
{
    if (out->count == ATX_PACK_MAX_RANGES)
        return atx_fail(err, AT_ERR_USAGE, "--sizes: found '%s'; expected at most %d ranges of one size",
                        word, ATX_PACK_MAX_RANGES);
    out->items[out->count++] = range;
    return AT_OK;
}

/* "16", "1..65536"; "blocks", of a dimension with words */
static at_status read_range(atx_pack_ranges *out, const atx_dim *dim, const char *word, const char *text,
                            at_error *err)
{
    if (dim->word_count) {
        const int64_t size = size_of_word(dim, text);
        return size ? add_range(out, (atx_bounds){ size, size }, word, err) : refuse_word(dim, word, err);
    }
    atx_bounds range;
    const char *end = text + strlen(text), *wrong = atx_whole_read(&range.low, &text, end);
    range.high = range.low;
    if (!wrong && text + 2 < end && text[0] == '.' && text[1] == '.') {
        text += 2;
        wrong = atx_whole_read(&range.high, &text, end);
    }
    if (wrong || *text || range.low < 1 || range.high < range.low)
        return atx_fail(
            err, AT_ERR_USAGE,
            "--sizes: found '%s'; expected NAME=SIZE or NAME=FIRST..LAST, with 1 <= FIRST <= LAST", word);
    return add_range(out, range, word, err);
}

static at_status unknown_size(const atx_op *op, const char *word, at_error *err)
{
    atx_str names = { 0 };
    for (int i = 0; i < op->shape.dim_count; i++)
        atx_str_addf(&names, "%s%s", i ? ", " : "", op->shape.dims[i].name);
    at_status status =
        atx_fail(err, AT_ERR_USAGE, "--sizes: found '%s'; expected NAME=FIRST..LAST for one of %s", word,
                 atx_str_text(&names));
    atx_str_clear(&names);
    return status;
}

static at_status check_op(const atx_op *op, at_error *err)
{
    for (int i = 0; i < op->arg_count; i++) {
        const atx_arg *arg = &op->args[i];
        const char *what = arg->role == ATX_SCRATCH ? "scratch buffer"
                           : arg->structure         ? "struct"
                           : arg->role == ATX_SCALAR && arg->expr && atx_dtype_is_real(arg->type)
                               ? "computed floating-point scalar"
                               : NULL;
        if (what)
            return atx_fail(err, AT_ERR_INPUT,
                            "%s: %s has the %s %s; packs of such operations cannot be made yet",
                            op->text.file, op->name, what, arg->name);
    }
    return AT_OK;
}

at_status atx_pack_domain_read(atx_pack_domain *out, const atx_op *op, atx_dtype type,
                               const char *const *words, int count, at_error *err)
{
    int dim = -1;
    at_status status = check_op(op, err);
    *out = (atx_pack_domain){ .op = op, .type = type };
    if (status == AT_OK && op->shape.layout_count)
        return atx_fail(
            err, AT_ERR_USAGE,
            "found --sizes for %s, whose problems are also orders of dimensions; expected --shapes "
            "FILE with some of them",
            op->name);
    for (int i = 0; i < count && status == AT_OK; i++) {
        const char *sign = strchr(words[i], '=');
        const bool goes_on = !sign && dim >= 0 &&
                             (op->shape.dims[dim].word_count || (words[i][0] >= '0' && words[i][0] <= '9'));
        if (!goes_on)
            dim = sign ? dim_of(op, words[i], (size_t)(sign - words[i])) : -1;
        status = dim < 0 ? unknown_size(op, words[i], err)
                         : read_range(&out->dims[dim], &op->shape.dims[dim], words[i],
                                      goes_on ? words[i] : sign + 1, err);
    }
    for (int i = 0; i < op->shape.dim_count && status == AT_OK; i++) {
        const atx_dim *d = &op->shape.dims[i];
        if (!out->dims[i].count && d->optional)
            out->dims[i] = (atx_pack_ranges){ .items = { { d->value, d->value } }, .count = 1 };
        if (!out->dims[i].count)
            status = atx_fail(err, AT_ERR_USAGE, "--sizes: found no range of %s; expected %s=FIRST..LAST",
                              d->name, d->name);
    }
    return status;
}

/* ---- listed problems ---- */

static bool is_wanted(const atx_pack_domain *d, const atx_problem *p)
{
    return p->op == d->op &&
           strcmp(atx_dtype_key(p->type, p->op->storage), atx_dtype_key(d->type, d->op->storage)) == 0;
}

/* The sizes lie between the least and the largest of the problems. */
static void widen(atx_pack_domain *d, const atx_problem *p)
{
    for (int i = 0; i < d->op->shape.dim_count; i++) {
        atx_bounds *range = &d->dims[i].items[0];
        if (!d->dims[i].count++)
            *range = (atx_bounds){ p->dims[i], p->dims[i] };
        d->dims[i].count = 1;
        range->low = p->dims[i] < range->low ? p->dims[i] : range->low;
        range->high = p->dims[i] > range->high ? p->dims[i] : range->high;
    }
}

static at_status add_problem(atx_pack_domain *d, const atx_problem *p, int64_t calls, const char *file,
                             at_error *err)
{
    const int n = d->problem_count;
    int64_t sum = n ? d->calls[n - 1] : 0;
    if (!atx_pack_is_dense(p))
        return atx_fail(err, AT_ERR_INPUT, "%s: found a problem of %s with gaps; expected dense buffers",
                        file, p->op->name);
    if (__builtin_add_overflow(sum, calls, &sum))
        return atx_fail(err, AT_ERR_INPUT, "%s: found more than %lld calls", file, (long long)INT64_MAX);
    d->problems[n] = *p;
    d->problems[n].type = d->type;
    d->calls[n] = sum;
    d->problem_count++;
    widen(d, p);
    return AT_OK;
}

at_status atx_pack_domain_list(atx_pack_domain *out, const atx_op *op, atx_dtype type,
                               const atx_shapes *shapes, const char *file, at_error *err)
{
    *out = (atx_pack_domain){ .op = op,
                              .type = type,
                              .problems = calloc(shapes->count + 1, sizeof *out->problems),
                              .calls = calloc(shapes->count + 1, sizeof *out->calls) };
    at_status status = check_op(op, err);
    if (!out->problems || !out->calls) {
        atx_pack_domain_clear(out);
        return atx_no_memory(err);
    }
    for (size_t i = 0; i < shapes->count && status == AT_OK; i++)
        if (is_wanted(out, &shapes->problems[i]))
            status = add_problem(out, &shapes->problems[i], shapes->calls[i], file, err);
    if (status == AT_OK && !out->problem_count)
        status = atx_fail(err, AT_ERR_INPUT, "%s: found no problem of %s %s; expected one at least", file,
                          op->name, atx_dtype_name(type));
    if (status != AT_OK)
        atx_pack_domain_clear(out);
    return status;
}

void atx_pack_domain_clear(atx_pack_domain *domain)
{
    free(domain->problems);
    free(domain->calls);
    domain->problems = NULL;
    domain->calls = NULL;
}

bool atx_pack_is_within(const atx_pack_ranges *ranges, int64_t size)
{
    for (int i = 0; i < ranges->count; i++)
        if (size >= ranges->items[i].low && size <= ranges->items[i].high)
            return true;
    return false;
}

static bool is_narrow(const atx_arg *arg, const atx_bounds *slots)
{
    atx_bounds value;
    return arg->role != ATX_SCALAR || arg->type != ATX_I64 ||
           (arg->expr && atx_expr_bounds(&value, arg->expr, slots) && value.low >= 0 &&
            value.high <= UINT32_MAX);
}

bool atx_pack_is_narrow(const atx_pack_domain *domain)
{
    const atx_op *op = domain->op;
    atx_bounds slots[ATX_MAX_SLOTS];
    bool narrow = true;
    for (int i = 0; i < ATX_MAX_SLOTS; i++)
        slots[i] = (atx_bounds){ INT64_MIN, INT64_MAX };
    for (int d = 0; d < op->shape.dim_count; d++) {
        slots[d] = domain->dims[d].items[0];
        for (int i = 1; i < domain->dims[d].count; i++) {
            const atx_bounds *r = &domain->dims[d].items[i];
            slots[d].low = r->low < slots[d].low ? r->low : slots[d].low;
            slots[d].high = r->high > slots[d].high ? r->high : slots[d].high;
        }
    }
    for (int i = 0; i < op->shape.pitch_count; i++)
        slots[op->shape.pitches[i].slot] = slots[op->shape.pitches[i].dim];
    for (size_t i = 0; i < op->scope.let_count; i++)
        if (!atx_expr_bounds(&slots[op->scope.lets[i].slot], op->scope.lets[i].expr, slots))
            slots[op->scope.lets[i].slot] = (atx_bounds){ INT64_MIN, INT64_MAX };
    for (int i = 0; i < op->arg_count; i++)
        narrow = narrow && is_narrow(&op->args[i], slots);
    return narrow;
}

void atx_pack_add_ranges(atx_str *out, const atx_pack_ranges *ranges)
{
    for (int i = 0; i < ranges->count; i++) {
        const atx_bounds *r = &ranges->items[i];
        atx_str_addf(out, "%s%" PRId64, i ? "," : "", r->low);
        if (r->high != r->low)
            atx_str_addf(out, "..%" PRId64, r->high);
    }
}
