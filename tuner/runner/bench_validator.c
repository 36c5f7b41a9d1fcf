/*
 * bench_validator.c - outputs that a kernel of the op's file validates. It gets the op's arguments, with what
 * is to be validated for its outputs; the right answer of each output; and two words, zero and all ones, for
 * how many elements are wrong and which is the first.
 *
 * One that calls the right answer wrong, or calls it right with all of its bits flipped, validates nothing,
 * and is refused before a candidate is tried.
 */
#include "runner/bench_internal.h"

#include <inttypes.h>

enum { PARAMS = 2 * ATX_MAX_ARGS + 1 };

/* The right answer without its mask, where the validator finds it. */
static at_status show_answer(atx_bench *b, const atx_known_answer *a, at_error *err)
{
    for (int i = 0; i < b->setup.buffer_count; i++)
        if (a->expected[i])
            ATX_TRY(atx_contents_flip(b, b->shown[i], a->expected[i], b->setup.buffers[i].bytes,
                                      (atx_flip){ a->key, a->lock, ATX_AS_IT_IS, 0 }, err));
    return AT_OK;
}

static at_status hide_answer(atx_bench *b, at_error *err)
{
    for (int i = 0; i < b->setup.buffer_count; i++)
        if (b->shown[i])
            ATX_TRY(atx_gpu_zero(b->gpu, b->shown[i], b->setup.buffers[i].bytes, err));
    return AT_OK;
}

at_status atx_validator_ask(atx_bench *b, const atx_checked *c, int buffer, at_error *err)
{
    static const uint64_t NOTHING[] = { 0, UINT64_MAX };
    const int step = b->setup.buffers[buffer].validator - 1, count = b->setup.validator.arg_count;
    const struct atx_kernel_arg *args = b->setup.validator.args; /* of all of them */
    const atx_ptr found = atx_bench_found(b, buffer) + 8 * ATX_FOUND_BY;
    uint64_t values[PARAMS];
    atx_ptr buffers[ATX_MAX_ARGS];
    atx_params room;
    void *params[PARAMS];
    int n = count;
    if (step < 0)
        return AT_OK;
    for (int i = 0; i < b->setup.buffer_count; i++)
        buffers[i] = atx_bench_buffer(b, atx_bench_set_of(b, c->sets, i), i);
    atx_kernel_params(params, &room, &b->setup.validator, args, count, buffers);
    for (int i = 0; i < b->setup.buffer_count; i++)
        if (atx_role_is_output(b->setup.buffers[i].role))
            values[n++] = b->shown[i];
    values[n++] = found;
    for (int i = count; i < n; i++)
        params[i] = &values[i];
    ATX_TRY(show_answer(b, c->answer, err));
    ATX_TRY(atx_gpu_write(b->gpu, found, NOTHING, sizeof NOTHING, err));
    ATX_TRY(atx_gpu_launch_step(b->gpu, b->validator, step, &b->setup.validator.geometry, params, err));
    return hide_answer(b, err);
}

/* Outputs become the right answer, or its complement. */
static at_status write_answer(atx_bench *b, const atx_checked *c, bool spoiled, at_error *err)
{
    const atx_known_answer *a = c->answer;
    for (int i = 0; i < b->setup.buffer_count; i++)
        if (a->expected[i])
            ATX_TRY(atx_contents_flip(
                b, atx_bench_buffer(b, atx_bench_set_of(b, c->sets, i), i), a->expected[i],
                b->setup.buffers[i].bytes,
                (atx_flip){ a->key, a->lock, spoiled ? ATX_COMPLEMENT : ATX_AS_IT_IS, 0 }, err));
    return AT_OK;
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

static at_status prove(atx_bench *b, const atx_checked *c, bool spoiled, at_error *err)
{
    ATX_TRY(write_answer(b, c, spoiled, err));
    for (int i = 0; i < b->setup.buffer_count; i++) {
        uint64_t wrong = 0;
        if (!b->setup.buffers[i].validator)
            continue;
        ATX_TRY(atx_validator_ask(b, c, i, err));
        ATX_TRY(atx_gpu_read(b->gpu, &wrong, atx_bench_found(b, i) + 8 * ATX_FOUND_BY, sizeof wrong, err));
        if ((wrong > 0) != spoiled)
            ATX_TRY(refuse(&b->setup.buffers[i], wrong, spoiled, err));
    }
    return AT_OK;
}

at_status atx_validator_prove(atx_bench *b, at_error *err)
{
    if (!b->validator)
        return AT_OK;
    const int set = b->answers[0].set;
    const atx_checked c = atx_bench_checked(b, (atx_sets){ set, set }, false);
    at_status status = prove(b, &c, false, err);
    ATX_THEN(status, prove(b, &c, true, err));
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        if (atx_role_is_output(b->setup.buffers[i].role))
            status = atx_contents_fill(b, set, i, err);
    return status;
}
