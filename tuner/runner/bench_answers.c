/*
 * bench_answers.c - the right answers: the reference runs on a few sets of inputs, which are chosen at
 * random, and its outputs are kept masked. No kernel can find an answer in memory, or know which launches
 * have one.
 *
 * Outputs with gaps: the reference runs twice, on outputs that began as random bits and as their complement,
 * so that afterwards the two differ in every bit that it leaves, and agree in every bit that it writes. The
 * complement of the second is then wrong in every bit to write, and right in every bit to leave.
 */
#include "runner/bench_internal.h"

#include "util/clock.h"

#include <string.h>

/* So long may the reference run for more than one answer. */
#define ANSWERS_S 0.01

static at_status launch_reference(atx_bench *b, int set, at_error *err)
{
    const atx_loaded reference = { .module = b->reference, .kernel = &b->setup.reference };
    return atx_bench_launch(b, &reference, (atx_sets){ set, set }, err);
}

/* Variables of the reference's code hold what this set does. */
static at_status fill_variables(atx_bench *b, int set, at_error *err)
{
    const atx_kernel *k = &b->setup.reference;
    for (int i = 0; i < k->variable_count; i++) {
        const int buffer = k->variables[i].buffer;
        ATX_TRY(atx_gpu_copy(b->gpu, b->variables[i], atx_bench_buffer(b, set, buffer),
                             b->setup.buffers[buffer].bytes, err));
    }
    return AT_OK;
}

/* All that a launch changes, as it was. */
static at_status restore(atx_bench *b, int set, at_error *err)
{
    for (int i = 0; i < b->setup.buffer_count; i++)
        if (b->setup.buffers[i].role != ATX_INPUT)
            ATX_TRY(atx_contents_fill(b, set, i, err));
    return AT_OK;
}

static at_status keep(atx_bench *b, const atx_known_answer *a, const atx_ptr *to, at_error *err)
{
    for (int i = 0; i < b->setup.buffer_count; i++)
        if (to[i])
            ATX_TRY(atx_contents_flip(b, to[i], atx_bench_buffer(b, a->set, i), b->setup.buffers[i].bytes,
                                      (atx_flip){ a->key, a->lock, ATX_AS_IT_IS, 0 }, err));
    return AT_OK;
}

static at_status flip_outputs(atx_bench *b, int set, at_error *err)
{
    for (int i = 0; i < b->setup.buffer_count; i++) {
        const atx_ptr at = atx_bench_buffer(b, set, i);
        if (b->setup.buffers[i].role == ATX_OUTPUT)
            ATX_TRY(atx_contents_flip(b, at, at, b->setup.buffers[i].bytes,
                                      (atx_flip){ .how = ATX_COMPLEMENT }, err));
    }
    return AT_OK;
}

static at_status keep_inverse(atx_bench *b, const atx_known_answer *a, at_error *err)
{
    ATX_TRY(restore(b, a->set, err));
    ATX_TRY(flip_outputs(b, a->set, err));
    ATX_TRY(launch_reference(b, a->set, err));
    return keep(b, a, a->inverse, err);
}

/* `expected` is where what outputs held before lies meanwhile. */
static at_status look_at_answer(atx_bench *b, const atx_known_answer *a, at_error *err)
{
    return atx_reference_check(b, a->set, a->expected, err);
}

static at_status keep_contents(atx_bench *b, const atx_known_answer *a, at_error *err)
{
    for (int i = 0; i < b->setup.buffer_count; i++)
        if (a->expected[i])
            ATX_TRY(atx_contents_flip(b, a->expected[i], atx_bench_buffer(b, a->set, i),
                                      b->setup.buffers[i].bytes, (atx_flip){ 0 }, err));
    return AT_OK;
}

/* The set is as it was afterwards. */
static at_status run_reference(atx_bench *b, const atx_known_answer *a, bool first, at_error *err)
{
    ATX_TRY(fill_variables(b, a->set, err));
    ATX_TRY(restore(b, a->set, err));
    if (first)
        ATX_TRY(keep_contents(b, a, err));
    ATX_TRY(launch_reference(b, a->set, err));
    if (first)
        ATX_TRY(look_at_answer(b, a, err));
    ATX_TRY(keep(b, a, a->expected, err));
    if (b->setup.gaps)
        ATX_TRY(keep_inverse(b, a, err));
    ATX_TRY(restore(b, a->set, err));
    return atx_gpu_wait(b->gpu, err);
}

/* Of the one output: loaded where a launch would leave it. */
static at_status load_answer(atx_bench *b, const atx_known_answer *a, bool first, at_error *err)
{
    ATX_TRY(first ? keep_contents(b, a, err) : AT_OK);
    for (int i = 0; i < b->setup.buffer_count; i++)
        if (a->expected[i])
            ATX_TRY(atx_contents_load(b, atx_bench_buffer(b, a->set, i), &b->setup.answer,
                                      b->setup.buffers[i].bytes, err));
    if (first)
        ATX_TRY(look_at_answer(b, a, err));
    ATX_TRY(keep(b, a, a->expected, err));
    return restore(b, a->set, err);
}

static at_status allocate(atx_bench *b, atx_known_answer *a, at_error *err)
{
    for (int i = 0; i < b->setup.buffer_count; i++) {
        const atx_buffer *buffer = &b->setup.buffers[i];
        if (atx_role_is_output(buffer->role) && !a->expected[i])
            ATX_TRY(atx_gpu_alloc(&a->expected[i], b->gpu, buffer->bytes, err));
        if (buffer->role == ATX_OUTPUT && b->setup.gaps && !a->inverse[i])
            ATX_TRY(atx_gpu_alloc(&a->inverse[i], b->gpu, buffer->bytes, err));
    }
    return AT_OK;
}

/* A set that has no answer yet. A file has that of the first. */
static int choose_set(atx_bench *b)
{
    int set = b->setup.answer.path[0] ? 0 : atx_bench_random(b, b->sets);
    while (b->answer_of[set])
        set = (set + 1) % b->sets;
    return set;
}

static at_status make_one(atx_bench *b, atx_known_answer *a, bool first, at_error *err)
{
    at_status status = allocate(b, a, err);
    if (!a->chosen)
        a->set = choose_set(b);
    a->chosen = true;
    a->key = atx_bench_secret(b);
    a->lock = atx_bench_secret(b);
    ATX_THEN(status,
             b->setup.answer.path[0] ? load_answer(b, a, first, err) : run_reference(b, a, first, err));
    return status;
}

/* How many answers there will be: what time allows, by what the first has taken. A file has one. */
static int count_answers(const atx_bench *b, double first_s)
{
    int most = b->most_answers < b->sets ? b->most_answers : b->sets;
    if (b->setup.answer.path[0] || b->alike)
        return 1;
    if (b->setup.chance) /* a test, which is to go the same way each time */
        return most;
    if (first_s * 2 > ANSWERS_S)
        return 1;
    return first_s * most > ANSWERS_S ? (int)(ANSWERS_S / first_s) : most;
}

at_status atx_answers_make(atx_bench *b, bool first, at_error *err)
{
    at_status status = AT_OK;
    int wanted = 1;
    memset(b->answer_of, 0, sizeof b->answer_of);
    for (int k = 0; k < wanted && b->has_answer && status == AT_OK; k++) {
        const double start_s = atx_now_s();
        status = make_one(b, &b->answers[k], first && k == 0, err);
        b->answer_of[b->answers[k].set] = (short)(k + 1);
        if (k == 0) { /* code was loaded before: the first tells how long it takes */
            if (first)
                b->answer_count = count_answers(b, atx_now_s() - start_s);
            wanted = b->answer_count;
        }
    }
    for (int s = 0; s < b->sets && b->has_answer && b->alike; s++)
        b->answer_of[s] = 1;
    return status;
}

void atx_answers_free(atx_bench *b)
{
    for (int k = 0; k < ATX_MAX_ANSWERS; k++)
        for (int i = 0; i < b->setup.buffer_count; i++) {
            atx_gpu_free(b->gpu, b->answers[k].expected[i]);
            atx_gpu_free(b->gpu, b->answers[k].inverse[i]);
        }
}
