/*
 * bench_verdict.c - from what the checks found to right or wrong, and why: the first buffer with a fault is
 * told of, its contents before its guards. Of an output that is compared number by number the worst is
 * searched for, which is done for wrong ones only.
 */
#include "runner/bench_parts.h"

#include "declare/data.h"
#include "device/mismatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static at_status read_number(uint64_t *out, at__bench *b, at__ptr at, uint64_t i, int number, at_error *err)
{
    int bytes = at__number_bytes(number);
    *out = 0;
    return at__gpu_read(b->gpu, out, at + i * (uint64_t)bytes, bytes, err);
}

/* Appends what number i is and should be. */
static at_status add_numbers(at__verdict *out, at__bench *b, int buffer, uint64_t i, at_error *err)
{
    int number = b->setup.buffers[buffer].number;
    uint64_t got = 0, right = 0;
    at_status status = read_number(&got, b, at__bench_buffer(b, 0, buffer), i, number, err);
    if (status == AT_OK)
        status = read_number(&right, b, b->expected[buffer], i, number, err);
    if (status == AT_OK)
        at__mismatch_add(out->log, sizeof out->log, got, right, number);
    return status;
}

/* ---- outputs with a tolerance ---- */

/* How far off the whole is, in units of the whole. */
static double norm_of(const uint64_t *found)
{
    double off[AT__SQUARES], all[AT__SQUARES];
    for (int k = 0; k < AT__SQUARES; k++) {
        off[k] = at__double_of(found[6 + k]);
        all[k] = at__double_of(found[6 + AT__SQUARES + k]);
    }
    return at__norm_of(off, all);
}

static bool is_far(const at__buffer *buffer, const uint64_t *found)
{
    return found[0] > 0 || (buffer->check.rule == AT__NORM && !(norm_of(found) <= buffer->check.relative));
}

static at_status find_worst(uint64_t *worst, at__bench *b, int i, at_error *err)
{
    uint64_t values[AT__CHECK_PARAMS], found[AT__FOUND_EACH] = { 0 };
    at__ptr room = at__bench_found(b, AT__MAX_ARGS);
    at__contents_comparison(values, b, i, room);
    at_status status = at__gpu_zero(b->gpu, room, sizeof found, err);
    if (status == AT_OK)
        status = at__bench_check(b, AT__WORST, (int64_t)values[2] * 16, values, AT__CHECK_PARAMS, err);
    if (status == AT_OK)
        status = at__bench_check(b, AT__WHERE, (int64_t)values[2] * 16, values, AT__CHECK_PARAMS, err);
    if (status == AT_OK)
        status = at__gpu_read(b->gpu, found, room, sizeof found, err);
    *worst = ~found[1];
    return status;
}

static at_status describe_far(at__verdict *out, at__bench *b, int i, const uint64_t *found, at_error *err)
{
    const at__buffer *buffer = &b->setup.buffers[i];
    char check[80];
    uint64_t worst = 0;
    at_status status = find_worst(&worst, b, i, err);
    if (status != AT_OK)
        return status;
    at__check_text(check, sizeof check, &buffer->check);
    if (buffer->check.rule == AT__NORM && found[0] == 0)
        snprintf(out->log, sizeof out->log,
                 "wrong output '%s': off by %.3g of its norm, not %s; the worst is element %" PRIu64,
                 buffer->name, norm_of(found), check, at__mismatch_element(buffer, worst));
    else
        snprintf(
            out->log, sizeof out->log,
            "wrong output '%s': %" PRIu64 " of %" PRId64 " numbers are not %s; the worst is element %" PRIu64,
            buffer->name, found[0], at__contents_numbers(buffer), check, at__mismatch_element(buffer, worst));
    return add_numbers(out, b, i, worst, err);
}

/* ---- all others ---- */

static at_status describe_bytes(at__verdict *out, at__bench *b, int i, const uint64_t *found, bool is_copy,
                                at_error *err)
{
    const at__buffer *buffer = &b->setup.buffers[i];
    bool input = buffer->role == AT__INPUT, bits = !input || buffer->how == AT__BITS || b->kept[i];
    uint64_t each = (uint64_t)(buffer->element_bytes > 0 ? buffer->element_bytes : 1);
    uint64_t first = ~found[1];
    snprintf(out->log, sizeof out->log, "%s: %" PRIu64 " of %" PRId64 " %s %s, the first in element %" PRIu64,
             input ? "writes to its input" : "wrong output", found[0],
             bits ? buffer->bytes : at__contents_numbers(buffer), bits ? "bytes" : "numbers",
             input ? "changed" : "differ from the reference",
             bits ? first / each : at__mismatch_element(buffer, first));
    if (input || is_copy || at__number_class(buffer->number) == AT__UNSIGNED)
        return AT_OK;
    return add_numbers(out, b, i, first / (uint64_t)at__number_bytes(buffer->number), err);
}

/* What a kernel of the op's says. */
static void describe_referee(at__verdict *out, const at__buffer *buffer, const uint64_t *found)
{
    const uint64_t *said = found + AT__FOUND_BY;
    int n = snprintf(out->log, sizeof out->log, "wrong output '%s': by %s %" PRIu64 " elements are wrong",
                     buffer->name, buffer->check.by, said[0]);
    if (said[1] != UINT64_MAX && n > 0 && (size_t)n < sizeof out->log)
        snprintf(out->log + n, sizeof out->log - (size_t)n, ", the first is element %" PRIu64, said[1]);
}

/* Writes around a buffer. */
static void describe_guards(at__verdict *out, int i, const uint64_t *found)
{
    if (found[2])
        snprintf(out->log, sizeof out->log,
                 "writes before buffer %d: %" PRIu64 " bytes, the first %" PRIu64 " bytes in front of it", i,
                 found[2], AT__GUARD_BYTES - ~found[3]);
    else
        snprintf(out->log, sizeof out->log,
                 "writes behind buffer %d: %" PRIu64 " bytes, the first %" PRIu64 " bytes after its end", i,
                 found[4], ~found[5]);
}

at_status at__verdict_describe(at__verdict *out, at__bench *b, const uint64_t *found, bool is_copy,
                               at_error *err)
{
    for (int i = 0; i < b->setup.buffer_count; i++) {
        const at__buffer *buffer = &b->setup.buffers[i];
        const uint64_t *f = found + AT__FOUND_EACH * i;
        bool free = at__role_is_output(buffer->role) && buffer->check.rule != AT__EXACT &&
                    !(is_copy && i == b->first_out);
        bool judged = free && buffer->check.rule == AT__BY, tolerant = free && !judged;
        bool wrong = judged ? f[AT__FOUND_BY] > 0 : tolerant ? is_far(buffer, f) : f[0] > 0;
        if (!wrong && !f[2] && !f[4])
            continue;
        out->right = false;
        if (!wrong) {
            describe_guards(out, i, f);
            return AT_OK;
        }
        if (judged) {
            describe_referee(out, buffer, f);
            return AT_OK;
        }
        return tolerant ? describe_far(out, b, i, f, err) : describe_bytes(out, b, i, f, is_copy, err);
    }
    return AT_OK;
}
