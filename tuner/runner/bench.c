/*
 * bench.c - a problem's buffers: the number of sets, the launches on them, and the contents of each set.
 * Contents and comparison: bench_contents.c; the right answers: bench_answers.c; verification:
 * bench_verify.c; the description of a wrong result: bench_verdict.c.
 */
#include "runner/bench_internal.h"

#include "declare/data.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/*
 * The rotation's footprint, in L2 sizes. Three leave nothing in the cache of what is read and written as
 * usual; but kernels may name lines to keep or to give up first, and find some of theirs after eight. Where
 * memory is scarce, three have to do.
 */
#define L2_MULTIPLE 64
#define L2_LEAST    3

/* Of the free memory, for more than the least, and for what rotates where a sweep does as well: others may
 * want some. */
#define MEMORY_SHARE   4
#define ROTATION_SHARE 2

/* Sets of large tables of which launches touch little: so much of them is filled in 5 ms. */
#define MOST_BYTES ((int64_t)16 << 30)

/* So many launches always are in a graph, and need no sweep of the L2. Where it is swept, so many sets do. */
#define SWEEP_ABOVE 16

/* Names, and the part of verify.cu that each is in. */
static const struct {
    const char *name;
    atx_check_kind part;
} CHECKS[ATX_CHECK_KERNELS] = {
    [ATX_FILL] = { "verify_fill", ATX_CHECK_FILL },
    [ATX_POISON] = { "verify_poison", ATX_CHECK_FILL },
    [ATX_SWEEP] = { "verify_sweep", ATX_CHECK_FILL },
    [ATX_EQUAL] = { "verify_equal", ATX_CHECK_EQUAL },
    [ATX_RANDOM] = { "verify_random", ATX_CHECK_EQUAL },
    [ATX_GUARD_FILL] = { "verify_guard_fill", ATX_CHECK_GUARD },
    [ATX_GUARD] = { "verify_guard", ATX_CHECK_GUARD },
    [ATX_GENERATE] = { "verify_generate", ATX_CHECK_GENERATE },
    [ATX_GENERATED] = { "verify_generated", ATX_CHECK_GENERATED },
    [ATX_AWAY] = { "verify_far", ATX_CHECK_CLOSE },
    [ATX_CLOSE] = { "verify_close", ATX_CHECK_CLOSE },
    [ATX_WORST] = { "verify_worst", ATX_CHECK_WORST },
    [ATX_WHERE] = { "verify_where", ATX_CHECK_WORST },
    [ATX_VALIDATE] = { "verify_outputs", ATX_CHECK_GUARD },
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

uint64_t atx_bench_secret(atx_bench *b)
{
    uint64_t bits = 0;
    if (b->rng.state || getrandom(&bits, sizeof bits, 0) != sizeof bits)
        bits = atx_rng_next(&b->rng);
    return bits ? bits : 1;
}

int atx_bench_random(atx_bench *b, int bound)
{
    return (int)(atx_bench_secret(b) % (uint64_t)bound); /* bounds are small: no bias to speak of */
}

/* Of so many bytes each. */
static int64_t sets_in(int64_t bytes, int64_t set_bytes)
{
    return least(bytes / set_bytes, ATX_MAX_SETS);
}

/* Sets that are wanted where the L2 is swept. One does, if need be. */
static int64_t most_swept(int64_t available, int64_t set_bytes)
{
    return least(SWEEP_ABOVE, sets_in(available / ROTATION_SHARE, set_bytes));
}

static void choose_sets(atx_bench *b, int64_t l2_bytes, int64_t available)
{
    const int64_t traffic = b->layout.traffic_bytes, set_bytes = b->layout.set_bytes,
                  room = sets_in(available, set_bytes),
                  share = sets_in(least(available / MEMORY_SHARE, MOST_BYTES), set_bytes),
                  fewest = least((L2_LEAST * l2_bytes + traffic - 1) / traffic,
                                 b->sweep_bytes ? ATX_MAX_SETS : room),
                  needed = b->sweep_bytes ? most_swept(available, set_bytes) : fewest,
                  sets = least((L2_MULTIPLE * l2_bytes + traffic - 1) / traffic, share);
    b->fewest = b->setup.warm ? 1 : (int)most(1, fewest);
    b->sets = b->setup.warm ? 1 : (int)most(1, most(needed, sets));
}

static at_status choose_memory(atx_bench *b, at_error *err)
{
    atx_device_info info = { 0 };
    ATX_TRY(atx_gpu_info(&info, b->gpu, err));
    ATX_TRY(atx_layout_fits(&b->setup, info.free_bytes, err));
    atx_layout_of(&b->layout, &b->setup);
    const int64_t cold_bytes = L2_LEAST * info.limits.l2_bytes, each = b->layout.expected_bytes;
    int64_t available = info.free_bytes - ATX_RESERVE_BYTES - each;
    if (!b->setup.warm && cold_bytes < available / MEMORY_SHARE &&
        cold_bytes <= available - b->layout.set_bytes &&
        cold_bytes / b->layout.traffic_bytes > most_swept(available, b->layout.set_bytes))
        b->sweep_bytes = cold_bytes;
    available -= b->sweep_bytes;
    choose_sets(b, info.limits.l2_bytes, available);
    const int64_t left = available - b->sets * b->layout.set_bytes;
    b->most_answers = 1 + (int)least(each > 0 ? left / MEMORY_SHARE / each : 0, ATX_MAX_ANSWERS - 1);
    return AT_OK;
}

atx_ptr atx_bench_buffer(const atx_bench *b, int set, int buffer)
{
    return b->arena + (uint64_t)set * (uint64_t)b->layout.set_bytes + (uint64_t)b->layout.offset[buffer];
}

atx_ptr atx_bench_place(const atx_bench *b, int set, int buffer, bool is_copy)
{
    return atx_bench_buffer(b, set, buffer) - (is_copy ? (uint64_t)b->layout.skew[buffer] : 0);
}

at_status atx_bench_run_check(atx_bench *b, atx_check_kernel which, int64_t bytes, const uint64_t *values,
                              int count, at_error *err)
{
    void *params[ATX_MOST_CHECK_PARAMS];
    int64_t blocks = bytes / 16 / 256 + 1;
    atx_geometry g = { .grid = { blocks < 16384 ? blocks : 16384, 1, 1 }, .block = { 256, 1, 1 } };
    for (int i = 0; i < count; i++)
        params[i] = (void *)&values[i];
    return atx_gpu_launch(b->gpu, b->checks[which], &g, params, err);
}

at_status atx_bench_fill(atx_bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int s = 0; s < b->sets && status == AT_OK; s++)
        for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
            status = atx_contents_fill(b, s, i, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        status = atx_contents_fill_guards(b, i, err);
    memset(b->holds, 0, sizeof b->holds);
    memset(b->written, 0, sizeof b->written);
    return status;
}

bool atx_bench_can_sweep(const atx_bench *b)
{
    return b->sweep_bytes > 0;
}

at_status atx_bench_sweep(atx_bench *b, at_error *err)
{
    const uint64_t values[] = { b->arena, (uint64_t)(b->sets * b->layout.set_bytes), b->sweep,
                                (uint64_t)b->sweep_bytes };
    return atx_bench_run_check(b, ATX_SWEEP, b->sweep_bytes / 2, values, 4, err);
}

/* ---- launches ---- */

static at_status launch_one(atx_bench *b, const atx_loaded *what, const atx_kernel_launch *t,
                            const atx_ptr *buffers, at_error *err)
{
    atx_params room;
    void *params[ATX_MAX_ARGS];
    atx_encoded_maps maps;
    atx_kernel_params(params, &room, what->kernel, t->args, t->arg_count, buffers);
    ATX_TRY(atx_gpu_encode_maps(params, &maps, b->gpu, what->kernel, t, buffers, err));
    return atx_gpu_launch_step(b->gpu, what->module, t->step, &t->geometry, params, err);
}

static at_status copy_by_driver(atx_bench *b, atx_sets sets, at_error *err)
{
    if (b->first_in < 0 || b->first_out < 0)
        return atx_fail(err, AT_ERR_DEVICE, "the operation has no input and output to copy between");
    return atx_gpu_copy(b->gpu, atx_bench_place(b, sets.out, b->first_out, true),
                        atx_bench_place(b, sets.in, b->first_in, true), b->setup.copy_bytes, err);
}

at_status atx_bench_launch(atx_bench *b, const atx_loaded *what, atx_sets sets, at_error *err)
{
    atx_ptr buffers[ATX_MAX_ARGS];
    const atx_kernel *k = what->kernel;
    if (!k)
        return copy_by_driver(b, sets, err);
    for (int i = 0; i < b->setup.buffer_count; i++)
        buffers[i] = atx_bench_place(b, atx_bench_set_of(b, sets, i), i, what->is_copy);
    size_t at = 0;
    for (atx_kernel_launch one; atx_kernel_next(&one, k, &at);)
        ATX_TRY(launch_one(b, what, &one, buffers, err));
    return AT_OK;
}

/* Once for each loaded module and not for each launch: kernels are timed on all sets with what the variables
 * hold, and checked where these belong to the inputs. */
at_status atx_bench_fill_variables(atx_bench *b, atx_loaded *what, at_error *err)
{
    const atx_kernel *k = what->kernel;
    at_status status = AT_OK;
    if (!k->variable_count)
        return AT_OK;
    what->inputs = 0;
    const int set = atx_bench_choose_inputs(b, what);
    for (int i = 0; i < k->variable_count && status == AT_OK; i++) {
        int buffer = k->variables[i].buffer;
        int64_t bytes = b->setup.buffers[buffer].bytes;
        atx_ptr to = 0;
        status = atx_gpu_variable(&to, b->gpu, what->module, k->variables[i].name, bytes, err);
        ATX_THEN(status, atx_gpu_copy(b->gpu, to, atx_bench_buffer(b, set, buffer), bytes, err));
    }
    what->inputs = set + 1;
    return status;
}

/* ---- which set holds what ---- */

/* Of more sets than bits some share one. */
static uint64_t bit_of(int in)
{
    return (uint64_t)1 << (in % 64);
}

bool atx_bench_finds_answer(const atx_bench *b, atx_sets sets, atx_found_there which)
{
    const bool last = b->holds[sets.out] && (b->alike || b->holds[sets.out] == sets.in + 1);
    return last || (which == ATX_ANY_ANSWER && (b->written[sets.out] & bit_of(sets.in)));
}

/* Of so many, one launch in as many finds by chance what an earlier candidate has left. */
#define MANY_SETS 8

void atx_bench_forget_answers(atx_bench *b)
{
    if (b->sets >= MANY_SETS)
        memset(b->written, 0, sizeof b->written);
}

void atx_bench_note(atx_bench *b, atx_loaded *what, atx_sets sets)
{
    what->launches++;
    b->holds[sets.out] = (short)(sets.in + 1);
    b->written[sets.out] |= bit_of(sets.in);
}

static bool is_restored(const atx_bench *b, int i)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    return buffer->zero || buffer->role == ATX_INOUT || (buffer->role == ATX_OUTPUT && b->setup.gaps);
}

bool atx_bench_is_restored(const atx_bench *b)
{
    bool any = false;
    for (int i = 0; i < b->setup.buffer_count; i++)
        any = any || is_restored(b, i);
    return any;
}

at_status atx_bench_refresh(atx_bench *b, atx_sets sets, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        const atx_buffer *buffer = &b->setup.buffers[i];
        if (buffer->role == ATX_OUTPUT && !is_restored(b, i))
            status = atx_contents_bits(b, atx_bench_buffer(b, sets.out, i), buffer->bytes,
                                       atx_bench_secret(b), err);
    }
    b->holds[sets.out] = 0;
    b->written[sets.out] = 0;
    return status;
}

at_status atx_bench_prepare(atx_bench *b, atx_sets sets, atx_found_there which, at_error *err)
{
    ATX_TRY(atx_bench_finds_answer(b, sets, which) ? atx_bench_refresh(b, sets, err) : AT_OK);
    for (int i = 0; i < b->setup.buffer_count; i++) {
        const atx_buffer *buffer = &b->setup.buffers[i];
        if (is_restored(b, i))
            ATX_TRY(atx_contents_fill(b, atx_bench_set_of(b, sets, i), i, err));
        else if (buffer->role == ATX_SCRATCH)
            ATX_TRY(atx_contents_bits(b, atx_bench_buffer(b, sets.out, i), buffer->bytes, atx_bench_secret(b),
                                      err));
    }
    return AT_OK;
}

bool atx_bench_has_answer(const atx_bench *b, const atx_loaded *what, int in)
{
    if (what->inputs && what->inputs != in + 1)
        return false;
    return what->is_copy ? b->first_in >= 0 && b->first_out >= 0 : b->answer_of[in] > 0;
}

int atx_bench_choose_inputs(atx_bench *b, const atx_loaded *what)
{
    const int from = atx_bench_random(b, b->sets);
    for (int i = 0; i < b->sets; i++)
        if (atx_bench_has_answer(b, what, (from + i) % b->sets))
            return (from + i) % b->sets;
    return from;
}

/* ---- opening and closing ---- */

/* What inputs from files hold, once for all sets. */
static at_status load_data(atx_bench *b, at_error *err)
{
    for (int i = 0; i < b->setup.buffer_count; i++) {
        const atx_buffer *buffer = &b->setup.buffers[i];
        if (!buffer->data.path[0])
            continue;
        ATX_TRY(atx_gpu_alloc(&b->kept[i], b->gpu, buffer->bytes, err));
        ATX_TRY(atx_contents_load(b, b->kept[i], &buffer->data, buffer->bytes, err));
    }
    return AT_OK;
}

at_status atx_bench_renew(atx_bench *b, at_error *err)
{
    at_status status = atx_bench_fill(b, err);
    ATX_THEN(status, atx_answers_make(b, false, err));
    b->suspect = status != AT_OK;
    return status;
}

at_status atx_bench_move(atx_bench *b, at_error *err)
{
    atx_ptr arena = 0;
    at_error ignored = { 0 };
    int64_t free_bytes = 0;
    const int64_t bytes = b->layout.set_bytes * b->sets;
    if (atx_gpu_memory(&free_bytes, b->gpu, &ignored) == AT_OK && free_bytes - bytes > ATX_RESERVE_BYTES &&
        atx_gpu_alloc(&arena, b->gpu, bytes, &ignored) == AT_OK) {
        atx_gpu_free(b->gpu, b->arena);
        b->arena = arena;
    }
    b->seed = atx_bench_secret(b);
    b->lock = atx_bench_secret(b);
    b->moved = true;
    for (int k = 0; k < ATX_MAX_ANSWERS; k++)
        b->answers[k].chosen = false;
    at_status status = atx_bench_renew(b, err);
    return status == AT_OK && b->copies ? atx_bench_move(b->copies, err) : status;
}

static at_status allocate(atx_bench *b, at_error *err)
{
    at_status status = atx_gpu_alloc(&b->arena, b->gpu, b->layout.set_bytes * b->sets, err);
    ATX_THEN(status, atx_gpu_alloc(&b->found, b->gpu, ATX_FOUND_WORDS * 8, err));
    if (status == AT_OK && b->sweep_bytes)
        status = atx_gpu_alloc(&b->sweep, b->gpu, b->sweep_bytes, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        if (atx_role_is_output(b->setup.buffers[i].role) && b->validator)
            status = atx_gpu_alloc(&b->shown[i], b->gpu, b->setup.buffers[i].bytes, err);
    return status;
}

/* The part that has this kernel for the problem. */
static atx_check_kind part_of(const atx_bench *b, atx_check_kernel which)
{
    const bool rows = atx_check_is_needed(&b->setup, ATX_CHECK_GENERATE_ROWS);
    if (rows && which == ATX_GENERATE)
        return ATX_CHECK_GENERATE_ROWS;
    return rows && which == ATX_GENERATED ? ATX_CHECK_GENERATED_ROWS : CHECKS[which].part;
}

/* Loading takes a while: kernels that the problem does not need are left out. */
static bool is_needed(const atx_bench *b, atx_check_kernel which)
{
    return atx_check_is_needed(&b->setup, part_of(b, which)) && (which != ATX_VALIDATE || b->has_answer);
}

/* The setup lends their names, and answers are made again when it is gone. */
static at_status find_variables(atx_bench *b, const atx_setup *setup, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < setup->reference.variable_count && status == AT_OK; i++) {
        const struct atx_kernel_variable *v = &setup->reference.variables[i];
        status = atx_gpu_variable(&b->variables[i], b->gpu, b->reference, v->name,
                                  setup->buffers[v->buffer].bytes, err);
        b->setup.reference.variables[i].name = NULL;
    }
    return status;
}

static at_status load_kernels(atx_bench *b, const atx_setup *setup, at_error *err)
{
    for (int k = 0; k < ATX_CHECK_KERNELS; k++)
        if (is_needed(b, (atx_check_kernel)k))
            ATX_TRY(atx_gpu_load(&b->checks[k], b->gpu, setup->verify[part_of(b, (atx_check_kernel)k)].cubin,
                                 CHECKS[k].name, NULL, err));
    if (setup->reference.cubin)
        ATX_TRY(atx_gpu_load_all(&b->reference, b->gpu, &setup->reference, err));
    if (setup->reference.cubin)
        ATX_TRY(find_variables(b, setup, err));
    if (setup->validator.cubin)
        ATX_TRY(atx_gpu_load_all(&b->validator, b->gpu, &setup->validator, err));
    return AT_OK;
}

static at_status prepare(atx_bench *b, const atx_setup *setup, at_error *err)
{
    at_status status = load_kernels(b, setup, err);
    ATX_THEN(status, choose_memory(b, err));
    ATX_THEN(status, allocate(b, err));
    ATX_THEN(status, load_data(b, err));
    ATX_THEN(status, atx_bench_fill(b, err));
    ATX_THEN(status, atx_answers_make(b, true, err));
    ATX_THEN(status, atx_validator_prove(b, err));
    if (status != AT_OK || !setup->own_copies)
        return status;
    const atx_setup copies = atx_layout_copies(setup);
    return atx_bench_open(&b->copies, b->gpu, &copies, err);
}

/* Do all sets have the same inputs? */
static bool has_alike_sets(const atx_setup *setup)
{
    bool alike = true;
    for (int i = 0; i < setup->buffer_count; i++) {
        const atx_buffer *buffer = &setup->buffers[i];
        alike = alike && (buffer->role == ATX_OUTPUT || buffer->role == ATX_SCRATCH ||
                          buffer->how == ATX_ONE_VALUE || buffer->data.path[0]);
    }
    return alike;
}

/* The reference's launches, of which the setup lends only what it has itself. false: no memory. */
static bool keep_launches(atx_bench *b, const atx_kernel *reference)
{
    if (!reference->launches)
        return true;
    b->launches = malloc(reference->launches_len);
    if (b->launches)
        memcpy(b->launches, reference->launches, reference->launches_len);
    b->setup.reference.launches = b->launches;
    return b->launches != NULL;
}

at_status atx_bench_open(atx_bench **out, atx_gpu *gpu, const atx_setup *setup, at_error *err)
{
    atx_bench *b = calloc(1, sizeof *b);
    if (!b)
        return atx_no_memory(err);
    b->gpu = gpu;
    b->setup = *setup;
    b->seed = setup->seed;
    b->rng.state = setup->chance;
    b->lock = atx_bench_secret(b);
    b->has_answer = setup->reference.cubin || setup->answer.path[0];
    b->alike = has_alike_sets(setup);
    b->setup.reference.cubin = NULL; /* borrowed for this call */
    b->setup.reference.name = b->setup.reference.identity = NULL;
    b->setup.validator.cubin = NULL;
    b->setup.validator.name = NULL;
    b->setup.reference.launches = NULL;
    if (!keep_launches(b, &setup->reference)) {
        atx_bench_close(b);
        return atx_no_memory(err);
    }
    b->first_in = b->first_out = -1;
    for (int i = setup->buffer_count - 1; i >= 0; i--)
        if (setup->buffers[i].role != ATX_SCRATCH)
            *(setup->buffers[i].role == ATX_INPUT ? &b->first_in : &b->first_out) = i;
    at_status status = prepare(b, setup, err);
    if (status != AT_OK) {
        atx_bench_close(b);
        return status;
    }
    *out = b;
    return AT_OK;
}

void atx_bench_close(atx_bench *b)
{
    if (!b)
        return;
    atx_bench_close(b->copies);
    atx_gpu_unload(b->gpu, b->reference);
    atx_gpu_unload(b->gpu, b->validator);
    for (int k = 0; k < ATX_CHECK_KERNELS; k++)
        atx_gpu_unload(b->gpu, b->checks[k]);
    for (int i = 0; i < b->setup.buffer_count; i++) {
        atx_gpu_free(b->gpu, b->shown[i]);
        atx_gpu_free(b->gpu, b->kept[i]);
    }
    atx_answers_free(b);
    atx_gpu_free(b->gpu, b->found);
    atx_gpu_free(b->gpu, b->sweep);
    atx_gpu_free(b->gpu, b->arena);
    free(b->launches);
    free(b);
}

atx_bench *atx_bench_for(atx_bench *b, bool is_copy)
{
    return is_copy && b->copies ? b->copies : b;
}

int atx_bench_sets(const atx_bench *bench)
{
    return bench->sets;
}

bool atx_bench_is_warm(const atx_bench *bench)
{
    return bench->setup.warm;
}

int atx_bench_fewest_sets(const atx_bench *bench)
{
    return bench->fewest;
}
