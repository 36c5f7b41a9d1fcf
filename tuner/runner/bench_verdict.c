/*
 * bench_verdict.c - turns the counts of the checks into right or wrong and a reason: the first buffer with a
 * fault is described, its contents before its guards. The worst element of an output that is compared number
 * by number is searched for only if it is wrong.
 */
#include "runner/bench_internal.h"

#include "declare/placed.h"
#include "device/mismatch.h"

#include <inttypes.h>
#include <stdio.h>

static at_status read_number(uint64_t *out, atx_bench *b, atx_ptr at, uint64_t i, uint64_t how, at_error *err)
{
    *out = 0;
    return atx_gpu_read(b->gpu, out, at + atx_number_place(i, how), atx_number_bytes(atx_how_number(how)),
                        err);
}

/* What lies over number i of an answer: mask_word of verify.cu. */
static uint64_t mask_of(const atx_known_answer *a, uint64_t i, uint64_t how)
{
    const uint64_t offset = atx_number_place(i, how);
    return atx_mix(atx_random(a->key, offset / 8) ^ a->lock) >> (offset % 8 * 8) &
           atx_number_mask(atx_how_number(how));
}

/* A number of a buffer, which lies as `how` says. */
typedef struct atx_one_number {
    int buffer;
    uint64_t i, how;
    const char *field; /* "": of none */
} atx_one_number;

/* Adds the found and the expected value. */
static at_status add_numbers(atx_seen *out, atx_bench *b, const atx_checked *c, const atx_one_number *n,
                             at_error *err)
{
    const int number = atx_how_number(n->how), buffer = n->buffer;
    uint64_t got = 0, right = 0;
    atx_verdict *v = &out->verdict;
    const atx_ptr at = atx_bench_buffer(b, atx_bench_set_of(b, c->sets, buffer), buffer);
    ATX_TRY(read_number(&got, b, at, n->i, n->how, err));
    ATX_TRY(read_number(&right, b, c->answer->expected[buffer], n->i, n->how, err));
    right ^= mask_of(c->answer, n->i, n->how);
    atx_mismatch_add(out->log, sizeof out->log, got, right, number);
    atx_mismatch_number(v->found, sizeof v->found, got, number);
    atx_mismatch_number(v->expected, sizeof v->expected, right, number);
    return AT_OK;
}

/* Whose fault it is, in the verdict. */
static void name_buffer(atx_seen *out, const atx_bench *b, int buffer)
{
    out->right = false;
    snprintf(out->verdict.buffer, sizeof out->verdict.buffer, "%s", b->setup.buffers[buffer].name);
}

/* ---- outputs with a tolerance ---- */

/* How far off the whole is, in units of the whole. */
static double norm_of(const uint64_t *found)
{
    double off[ATX_SQUARES], all[ATX_SQUARES];
    for (int k = 0; k < ATX_SQUARES; k++) {
        off[k] = atx_double_of(found[6 + k]);
        all[k] = atx_double_of(found[6 + ATX_SQUARES + k]);
    }
    return atx_norm_of(off, all);
}

static bool is_far(const atx_buffer *buffer, const uint64_t *found)
{
    return found[0] > 0 || (buffer->check.rule == ATX_NORM && !(norm_of(found) <= buffer->check.relative));
}

/* Of one column; *by: how wrong, as bits of a double. */
static at_status find_worst_of(atx_one_number *out, uint64_t *by, atx_bench *b, const atx_checked *c,
                               int column, at_error *err)
{
    uint64_t values[ATX_CHECK_PARAMS], found[ATX_FOUND_EACH] = { 0 };
    atx_ptr room = atx_bench_found(b, ATX_MAX_ARGS);
    atx_contents_comparison(values, b, c, out->buffer, column, room);
    at_status status = atx_gpu_zero(b->gpu, room, sizeof found, err);
    ATX_THEN(status,
             atx_bench_run_check(b, ATX_WORST, (int64_t)values[2] * 16, values, ATX_CHECK_PARAMS, err));
    ATX_THEN(status,
             atx_bench_run_check(b, ATX_WHERE, (int64_t)values[2] * 16, values, ATX_CHECK_PARAMS, err));
    ATX_THEN(status, atx_gpu_read(b->gpu, found, room, sizeof found, err));
    out->i = ~found[1];
    out->how = values[3];
    out->field = atx_column_at(&b->setup.buffers[out->buffer], column).name;
    *by = found[6];
    return status;
}

static at_status find_worst(atx_one_number *out, atx_bench *b, const atx_checked *c, int buffer,
                            at_error *err)
{
    uint64_t most = 0, by = 0;
    for (int k = 0; k < atx_column_count(&b->setup.buffers[buffer]); k++) {
        atx_one_number n = { .buffer = buffer };
        ATX_TRY(find_worst_of(&n, &by, b, c, k, err));
        if (k == 0 || by > most) {
            *out = n;
            most = by;
        }
    }
    return AT_OK;
}

static at_status describe_far(atx_seen *out, atx_bench *b, const atx_checked *c, int i, const uint64_t *found,
                              at_error *err)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    char check[80];
    atx_one_number worst = { .field = "" };
    ATX_TRY(find_worst(&worst, b, c, i, err));
    const uint64_t element = atx_number_place(worst.i, worst.how) /
                             (atx_u64)(buffer->element_bytes > 0 ? buffer->element_bytes : 1);
    const char *dot = worst.field[0] ? "." : "";
    out->verdict.element = (int64_t)element;
    atx_check_text(check, sizeof check, &buffer->check);
    if (buffer->check.rule == ATX_NORM && found[0] == 0)
        snprintf(out->log, sizeof out->log,
                 "wrong output '%s%s%s': off by %.3g of its norm, not %s; the worst is element %" PRIu64,
                 buffer->name, dot, worst.field, norm_of(found), check, element);
    else
        snprintf(out->log, sizeof out->log,
                 "wrong output '%s%s%s': %" PRIu64 " of %" PRId64
                 " numbers are not %s; the worst is element %" PRIu64,
                 buffer->name, dot, worst.field, found[0], atx_column_numbers(buffer), check, element);
    return add_numbers(out, b, c, &worst, err);
}

/* ---- all others ---- */

static at_status describe_bytes(atx_seen *out, atx_bench *b, const atx_checked *c, int i,
                                const uint64_t *found, at_error *err)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    bool input = buffer->role == ATX_INPUT,
         bits = !input || (buffer->how == ATX_BITS && !buffer->column_count) || b->kept[i];
    uint64_t each = (uint64_t)(buffer->element_bytes > 0 ? buffer->element_bytes : 1);
    uint64_t first = ~found[1], element = bits ? first / each : atx_mismatch_element(buffer, first);
    out->verdict.element = (int64_t)element;
    snprintf(out->log, sizeof out->log, "%s: %" PRIu64 " of %" PRId64 " %s %s, the first in element %" PRIu64,
             input ? "writes to its input" : "wrong output", found[0],
             bits ? buffer->bytes : atx_column_numbers(buffer), bits ? "bytes" : "numbers",
             input ? "changed" : "differ from the reference", element);
    if (input || c->is_copy || atx_number_class(buffer->number) == ATX_UNSIGNED)
        return AT_OK;
    const atx_one_number n = { i, first / (uint64_t)atx_number_bytes(buffer->number),
                               (uint64_t)buffer->number, "" };
    return add_numbers(out, b, c, &n, err);
}

/* The verdict of the op's own kernel. */
static void describe_validator(atx_seen *out, const atx_buffer *buffer, const uint64_t *found)
{
    const uint64_t *said = found + ATX_FOUND_BY;
    int n = snprintf(out->log, sizeof out->log, "wrong output '%s': by %s %" PRIu64 " elements are wrong",
                     buffer->name, buffer->check.by, said[0]);
    out->verdict.element = said[1] != UINT64_MAX ? (int64_t)said[1] : -1;
    if (said[1] != UINT64_MAX && n > 0 && (size_t)n < sizeof out->log)
        snprintf(out->log + n, sizeof out->log - (size_t)n, ", the first is element %" PRIu64, said[1]);
}

/* Writes around a buffer. */
static void describe_guards(atx_seen *out, int i, const uint64_t *found)
{
    if (found[2])
        snprintf(out->log, sizeof out->log,
                 "writes before buffer %d: %" PRIu64 " bytes, the first %" PRIu64 " bytes in front of it", i,
                 found[2], ATX_GUARD_BYTES - ~found[3]);
    else
        snprintf(out->log, sizeof out->log,
                 "writes behind buffer %d: %" PRIu64 " bytes, the first %" PRIu64 " bytes after its end", i,
                 found[4], ~found[5]);
}

at_status atx_verdict_describe(atx_seen *out, atx_bench *b, const uint64_t *found, const atx_checked *c,
                               at_error *err)
{
    for (int i = 0; i < b->setup.buffer_count; i++) {
        const atx_buffer *buffer = &b->setup.buffers[i];
        const uint64_t *f = found + ATX_FOUND_EACH * i;
        bool free = atx_role_is_output(buffer->role) && !(c->is_copy && i == b->first_out);
        bool validated = free && buffer->check.rule == ATX_BY, tolerant = free && atx_is_by_number(buffer);
        bool wrong = validated ? f[ATX_FOUND_BY] > 0 : tolerant ? is_far(buffer, f) : f[0] > 0;
        if (!wrong && !f[2] && !f[4])
            continue;
        name_buffer(out, b, i);
        if (!wrong) {
            describe_guards(out, i, f);
            return AT_OK;
        }
        if (validated) {
            describe_validator(out, buffer, f);
            return AT_OK;
        }
        return tolerant ? describe_far(out, b, c, i, f, err) : describe_bytes(out, b, c, i, f, err);
    }
    return AT_OK;
}
