/*
 * bench_validator.c - outputs that a kernel of the op's file validates. It gets the op's arguments, with what
 * is to be validated for its outputs; the right answer of each output; and two words, zero and all ones, for
 * how many elements are wrong and which is the first.
 *
 * One that calls the right answer wrong, or calls it right with all of its bits flipped, validates nothing,
 * and is refused before a candidate is tried.
 */
#include "runner/bench_parts.h"

#include "declare/data.h"

#include <inttypes.h>
#include <stdio.h>

enum { PARAMS = 2 * ATX_MAX_ARGS + 1 };

at_status atx_validator_ask(atx_bench *b, int buffer, at_error *err)
{
    static const uint64_t NOTHING[] = { 0, UINT64_MAX };
    const int step = b->setup.buffers[buffer].validator - 1, count = b->setup.validator.arg_count;
    const struct atx_kernel_arg *args = b->setup.validator.args; /* of all of them */
    const atx_ptr found = atx_bench_found(b, buffer) + 8 * ATX_FOUND_BY;
    uint64_t values[PARAMS];
    void *params[PARAMS];
    int n = 0;
    if (step < 0)
        return AT_OK;
    for (; n < count; n++)
        values[n] = args[n].buffer >= 0 ? atx_bench_buffer(b, 0, args[n].buffer) : (uint64_t)args[n].value;
    for (int i = 0; i < b->setup.buffer_count; i++)
        if (atx_role_is_output(b->setup.buffers[i].role))
            values[n++] = b->expected[i];
    values[n++] = found;
    for (int i = 0; i < n; i++)
        params[i] = &values[i];
    at_status status = atx_gpu_write(b->gpu, found, NOTHING, sizeof NOTHING, err);
    return status == AT_OK
               ? atx_gpu_launch_step(b->gpu, b->validator, step, &b->setup.validator.geometry, params, err)
               : status;
}

/* Outputs of set 0 become the right answer, or its complement. */
static at_status show(atx_bench *b, bool spoiled, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        atx_ptr to = atx_bench_buffer(b, 0, i);
        int64_t bytes = b->setup.buffers[i].bytes;
        if (atx_role_is_output(b->setup.buffers[i].role))
            status = spoiled ? atx_contents_complement(b, to, b->expected[i], bytes, err)
                             : atx_gpu_copy(b->gpu, to, b->expected[i], bytes, err);
    }
    return status;
}

static at_status refuse(const atx_buffer *buffer, uint64_t wrong, bool spoiled, at_error *err)
{
    if (spoiled)
        return atx_fail(
            err, AT_ERR_INPUT,
            "check of '%s' by %s: it calls right what is right with all bits flipped; expected a kernel "
            "that adds to wrong[0] for each element that is wrong",
            buffer->name, buffer->check.by);
    return atx_fail(err, AT_ERR_INPUT,
                    "check of '%s' by %s: it calls %" PRIu64
                    " elements of the reference's own answer wrong; expected none",
                    buffer->name, buffer->check.by, wrong);
}

static at_status prove(atx_bench *b, bool spoiled, at_error *err)
{
    at_status status = show(b, spoiled, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        uint64_t wrong = 0;
        if (!b->setup.buffers[i].validator)
            continue;
        status = atx_validator_ask(b, i, err);
        if (status == AT_OK)
            status =
                atx_gpu_read(b->gpu, &wrong, atx_bench_found(b, i) + 8 * ATX_FOUND_BY, sizeof wrong, err);
        if (status == AT_OK && (wrong > 0) != spoiled)
            status = refuse(&b->setup.buffers[i], wrong, spoiled, err);
    }
    return status;
}

at_status atx_validator_prove(atx_bench *b, at_error *err)
{
    if (!b->validator)
        return AT_OK;
    at_status status = prove(b, false, err);
    if (status == AT_OK)
        status = prove(b, true, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        if (atx_role_is_output(b->setup.buffers[i].role))
            status = atx_contents_fill(b, 0, i, err);
    return status;
}
