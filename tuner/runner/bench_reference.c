/*
 * bench_reference.c - checks the reference's first answer: an answer that does not depend on the kernel, or
 * that no comparison can tell from another, would make every kernel right.
 *
 * Outputs begin as random bits or zeros, so that bytes that are not written are seen.
 */
#include "runner/bench_internal.h"

#include "declare/placed.h"

#include <stdio.h>

/* An output of so few numbers may be what it was, or all the same, by chance. */
#define FEW 16

/* Of the numbers of an answer: NaN compares with nothing; infinities tell signs only. */
#define MOST_NAN      0.1
#define MOST_INFINITE 0.5

typedef struct counts {
    uint64_t same, nan, infinite, other;
} counts;

static at_status refuse(const atx_buffer *buffer, const char *what, const char *advice, at_error *err)
{
    return atx_fail(err, AT_ERR_INPUT,
                    "the right answer proves nothing: of '%s' the reference %s; expected %s", buffer->name,
                    what, advice);
}

static bool is_float(const atx_buffer *buffer)
{
    bool real = false;
    for (int k = 0; k < atx_column_count(buffer); k++)
        real = real || atx_number_class(atx_how_number(atx_column_at(buffer, k).how)) >= ATX_FLOAT;
    return real;
}

/* Whether something that is read differs from element to element. */
static bool inputs_vary(const atx_bench *b)
{
    bool vary = false;
    for (int i = 0; i < b->setup.buffer_count; i++)
        vary = vary || (b->setup.buffers[i].role != ATX_OUTPUT && b->setup.buffers[i].role != ATX_SCRATCH &&
                        b->setup.buffers[i].how != ATX_ONE_VALUE);
    return vary;
}

static bool is_left(const atx_buffer *buffer, const counts *c)
{
    return c->same == (uint64_t)atx_column_numbers(buffer);
}

/* `changes`: the reference changes something. Then what it leaves may be a workspace, to be left as it was
 * found. */
static at_status check_output(const atx_bench *b, int i, const counts *c, bool changes, at_error *err)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    double all = (double)atx_column_numbers(buffer);
    char what[120];
    if (is_float(buffer) && (double)c->nan > MOST_NAN * all) {
        snprintf(what, sizeof what, "makes %.0f %% NaN", 100 * (double)c->nan / all);
        return refuse(buffer, what, "inputs that are numbers, as in 'input uniform -1 1'", err);
    }
    if (is_float(buffer) && (double)(c->nan + c->infinite) > MOST_INFINITE * all) {
        snprintf(what, sizeof what, "makes %.0f %% infinite or NaN",
                 100 * (double)(c->nan + c->infinite) / all);
        return refuse(buffer, what, "smaller inputs, as in 'input uniform -1 1'", err);
    }
    if (all < FEW || b->setup.gaps || (changes && buffer->role == ATX_INOUT && is_left(buffer, c)))
        return AT_OK;
    if (is_left(buffer, c) && !buffer->zero)
        return refuse(buffer, "changes nothing", "a reference that writes all of it, or another input", err);
    if (c->other == 0 && inputs_vary(b))
        return refuse(
            buffer, buffer->zero ? "makes all numbers the same, as zeros are" : "makes all numbers the same",
            "inputs for which they differ", err);
    return AT_OK;
}

static at_status count(atx_bench *b, atx_ptr answer, atx_ptr before, int i, at_error *err)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    for (int k = 0; k < atx_column_count(buffer); k++) {
        const atx_numbers n = atx_column_at(buffer, k);
        const uint64_t values[] = { answer, before, (uint64_t)n.count, atx_column_rule(n.how, 0),
                                    atx_bench_found(b, i) };
        ATX_TRY(atx_bench_run_check(b, ATX_VALIDATE, n.count * 16, values, 5, err));
    }
    return AT_OK;
}

static counts counts_of(const uint64_t *found, int i)
{
    const uint64_t *f = found + ATX_FOUND_EACH * i;
    return (counts){ f[0], f[1], f[2], f[3] };
}

at_status atx_reference_check(atx_bench *b, int set, const atx_ptr *before, at_error *err)
{
    uint64_t found[ATX_FOUND_WORDS];
    bool changes = false;
    at_status status = atx_gpu_zero(b->gpu, b->found, sizeof found, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        if (atx_role_is_output(b->setup.buffers[i].role))
            status = count(b, atx_bench_buffer(b, set, i), before[i], i, err);
    ATX_THEN(status, atx_gpu_read(b->gpu, found, b->found, sizeof found, err));
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        const counts c = counts_of(found, i);
        changes =
            changes || (atx_role_is_output(b->setup.buffers[i].role) && !is_left(&b->setup.buffers[i], &c));
    }
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        const counts c = counts_of(found, i);
        if (atx_role_is_output(b->setup.buffers[i].role))
            status = check_output(b, i, &c, changes, err);
    }
    return status;
}
