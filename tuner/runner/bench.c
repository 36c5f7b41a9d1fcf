/*
 * bench.c - verification: outputs begin as the complement of the right answer, so a byte that is
 * not written is wrong; guard zones around every buffer hold random bits; the kernel runs once;
 * then outputs are compared with the reference's, inputs with what they held, and guards with
 * theirs, all on the device. What buffers hold and how they are compared: bench_contents.c; whether the
 * right answer can prove anything: bench_judge.c; what is said of a wrong one: bench_verdict.c.
 *
 * Invariant: a kernel is judged on undamaged data. `suspect` is set before each launch and cleared
 * only once everything was found right or has been repaired; while it is set, the next verification
 * repairs first.
 */
#include "runner/bench_parts.h"

#include "declare/data.h"

#include <stdlib.h>

/*
 * The rotation's footprint, in L2 sizes. Three leave nothing in the cache of what is read and written as
 * usual; but kernels may name lines to keep or to give up first, and find some of theirs after eight. Where
 * memory is scarce, three have to do.
 */
#define L2_MULTIPLE 64
#define L2_LEAST    3

/* Of the free memory, for more than the least: others may want some. */
#define MEMORY_SHARE 4

/* For tiny problems: beyond this many sets launch overhead dominates anyway. */
#define MAX_SETS 1024

/* Names, and the part of verify.cu that each is in. */
static const struct {
    const char *name;
    int part;
} CHECKS[AT__CHECK_KERNELS] = {
    [AT__FILL] = { "verify_fill", 0 },
    [AT__POISON] = { "verify_poison", 0 },
    [AT__EQUAL] = { "verify_equal", 0 },
    [AT__RANDOM] = { "verify_random", 0 },
    [AT__GUARD_FILL] = { "verify_guard_fill", 1 },
    [AT__GUARD] = { "verify_guard", 1 },
    [AT__GENERATE] = { "verify_generate", 2 },
    [AT__GENERATED] = { "verify_generated", 3 },
    [AT__AWAY] = { "verify_far", 4 },
    [AT__CLOSE] = { "verify_close", 4 },
    [AT__WORST] = { "verify_worst", 5 },
    [AT__WHERE] = { "verify_where", 5 },
    [AT__JUDGE] = { "verify_judge", 1 },
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static at_status choose_sets(at__bench *b, at_error *err)
{
    at__device_info info = { 0 };
    at_status status = at__gpu_info(&info, b->gpu, err);
    if (status == AT_OK)
        status = at__layout_fits(&b->setup, info.free_bytes, err);
    if (status != AT_OK)
        return status;
    at__layout_of(&b->layout, &b->setup);
    int64_t available = info.free_bytes - AT__RESERVE_BYTES - b->layout.expected_bytes,
            traffic = b->layout.traffic_bytes;
    int64_t fewest = least((L2_LEAST * info.limits.l2_bytes + traffic - 1) / traffic,
                           least(available / b->layout.set_bytes, MAX_SETS));
    int64_t sets = least((L2_MULTIPLE * info.limits.l2_bytes + traffic - 1) / traffic,
                         least(available / MEMORY_SHARE / b->layout.set_bytes, MAX_SETS));
    b->fewest = b->setup.warm || fewest < 1 ? 1 : (int)fewest;
    b->sets = b->setup.warm || sets < b->fewest ? b->fewest : (int)sets;
    return AT_OK;
}

at__ptr at__bench_buffer(const at__bench *b, uint64_t set, int buffer)
{
    return b->arena + (set % (uint64_t)b->sets) * (uint64_t)b->layout.set_bytes +
           (uint64_t)b->layout.offset[buffer];
}

at__ptr at__bench_place(const at__bench *b, uint64_t set, int buffer, bool is_copy)
{
    return at__bench_buffer(b, set, buffer) - (is_copy ? (uint64_t)b->layout.skew[buffer] : 0);
}

at_status at__bench_check(at__bench *b, at__check_kernel which, int64_t bytes, const uint64_t *values,
                          int count, at_error *err)
{
    void *params[AT__CHECK_PARAMS];
    int64_t blocks = bytes / 16 / 256 + 1;
    at__geometry g = { .grid = { blocks < 16384 ? blocks : 16384, 1, 1 }, .block = { 256, 1, 1 } };
    for (int i = 0; i < count; i++)
        params[i] = (void *)&values[i];
    return at__gpu_launch(b->gpu, b->checks[which], &g, params, err);
}

at_status at__bench_fill(at__bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int s = 0; s < b->sets && status == AT_OK; s++)
        for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
            status = at__contents_fill(b, (uint64_t)s, i, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        status = at__contents_fill_guards(b, i, err);
    return status;
}

static at_status launch_step(at__bench *b, const at__module *module, int step, const at__geometry *geometry,
                             const struct at__kernel_arg *args, int count, const at__ptr *buffers,
                             at_error *err)
{
    uint64_t values[AT__MAX_ARGS];
    void *params[AT__MAX_ARGS];
    for (int i = 0; i < count; i++) {
        values[i] = args[i].buffer >= 0 ? buffers[args[i].buffer] : (uint64_t)args[i].value;
        params[i] = &values[i];
    }
    return at__gpu_launch_step(b->gpu, module, step, geometry, params, err);
}

static at_status launch_on(at__bench *b, const at__module *module, const at__kernel *kernel,
                           const at__ptr *buffers, at_error *err)
{
    at_status status =
        launch_step(b, module, 0, &kernel->geometry, kernel->args, kernel->arg_count, buffers, err);
    for (int i = 0; i < kernel->more_count && status == AT_OK; i++) {
        const at__kernel_step *s = &kernel->more[i];
        status = launch_step(b, module, i + 1, &s->geometry, s->args, s->arg_count, buffers, err);
    }
    return status;
}

at_status at__bench_launch(at__bench *b, const at__module *module, const at__kernel *kernel, bool is_copy,
                           uint64_t set, at_error *err)
{
    at__ptr buffers[AT__MAX_ARGS];
    for (int i = 0; i < b->setup.buffer_count; i++)
        buffers[i] = at__bench_place(b, set, i, is_copy);
    return launch_on(b, module, kernel, buffers, err);
}

/*
 * Once for each loaded module and not for each launch: kernels are timed on all sets with what set 0 holds,
 * which is what they are verified with.
 */
at_status at__bench_fill_variables(at__bench *b, const at__module *module, const at__kernel *kernel,
                                   at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < kernel->variable_count && status == AT_OK; i++) {
        int buffer = kernel->variables[i].buffer;
        int64_t bytes = b->setup.buffers[buffer].bytes;
        at__ptr to = 0;
        status = at__gpu_variable(&to, b->gpu, module, kernel->variables[i].name, bytes, err);
        if (status == AT_OK)
            status = at__gpu_copy(b->gpu, to, at__bench_buffer(b, 0, buffer), bytes, err);
    }
    return status;
}

at_status at__bench_memcpy(at__bench *b, uint64_t set, at_error *err)
{
    if (b->first_in < 0 || b->first_out < 0)
        return at_fail(err, AT_ERR_DEVICE, "the operation has no input and output to copy between");
    return at__gpu_copy(b->gpu, at__bench_place(b, set, b->first_out, true),
                        at__bench_place(b, set, b->first_in, true), b->setup.copy_bytes, err);
}

/*
 * Outputs with gaps: `expected` begins as random bits and `inverse` as their complement, so that afterwards
 * the two differ in every bit of what the reference leaves, and agree in what it writes. ~inverse is then a
 * buffer that is wrong in every bit to write, and right in every bit to leave.
 */
static at_status fill_gaps(at__bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        int64_t bytes = b->setup.buffers[i].bytes;
        if (!b->inverse[i])
            continue;
        status = at__contents_bits(b, b->expected[i], bytes, at__contents_seed(b, (uint64_t)b->sets, i), err);
        if (status == AT_OK)
            status = at__contents_complement(b, b->inverse[i], b->expected[i], bytes, err);
    }
    return status;
}

static at_status launch_reference(at__bench *b, const at__ptr *outputs, at_error *err)
{
    at__ptr buffers[AT__MAX_ARGS];
    for (int i = 0; i < b->setup.buffer_count; i++)
        buffers[i] = outputs[i] ? outputs[i] : b->expected[i] ? b->expected[i] : at__bench_buffer(b, 0, i);
    return launch_on(b, b->reference, &b->setup.reference, buffers, err);
}

static at_status load_answer(at__bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        if (b->expected[i])
            status = at__contents_load(b, b->expected[i], &b->setup.answer, b->setup.buffers[i].bytes, err);
    return status;
}

/* What inputs from files hold, once for all sets. */
static at_status load_data(at__bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        const at__buffer *buffer = &b->setup.buffers[i];
        if (!buffer->data.path[0])
            continue;
        status = at__gpu_alloc(&b->kept[i], b->gpu, buffer->bytes, err);
        if (status == AT_OK)
            status = at__contents_load(b, b->kept[i], &buffer->data, buffer->bytes, err);
    }
    return status;
}

/*
 * The reference writes into `expected`; it starts from what an inout buffer holds, and from zeros where an
 * output does.
 */
at_status at__bench_run_reference(at__bench *b, at_error *err)
{
    at_status status = AT_OK;
    if (!b->has_answer)
        return AT_OK;
    if (b->setup.answer.path[0])
        return load_answer(b, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        const at__buffer *buffer = &b->setup.buffers[i];
        if (buffer->role == AT__INOUT)
            status = at__gpu_copy(b->gpu, b->expected[i], at__bench_buffer(b, 0, i), buffer->bytes, err);
        else if (buffer->zero)
            status = at__gpu_zero(b->gpu, b->expected[i], buffer->bytes, err);
    }
    if (status == AT_OK)
        status = fill_gaps(b, err);
    if (status == AT_OK)
        status = launch_reference(b, b->expected, err);
    if (status == AT_OK && b->setup.gaps)
        status = launch_reference(b, b->inverse, err);
    return status == AT_OK ? at__gpu_wait(b->gpu, err) : status;
}

at_status at__bench_renew(at__bench *b, at_error *err)
{
    at_status status = at__bench_fill(b, err);
    return status == AT_OK ? at__bench_run_reference(b, err) : status;
}

static at_status allocate(at__bench *b, at_error *err)
{
    at_status status = at__gpu_alloc(&b->arena, b->gpu, b->layout.set_bytes * b->sets, err);
    if (status == AT_OK)
        status = at__gpu_alloc(&b->found, b->gpu, AT__FOUND_WORDS * 8, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK && b->has_answer; i++)
        if (at__role_is_output(b->setup.buffers[i].role))
            status = at__gpu_alloc(&b->expected[i], b->gpu, b->setup.buffers[i].bytes, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        if (b->setup.buffers[i].role == AT__OUTPUT && b->setup.gaps)
            status = at__gpu_alloc(&b->inverse[i], b->gpu, b->setup.buffers[i].bytes, err);
    return status;
}

/* Loading takes a while: what the problem has no use for is left. */
static bool is_needed(const at__bench *b, at__check_kernel which)
{
    bool generated = false, tolerant = false;
    for (int i = 0; i < b->setup.buffer_count; i++) {
        generated = generated || b->setup.buffers[i].how != AT__BITS;
        int rule = b->setup.buffers[i].check.rule;
        tolerant = tolerant || (rule != AT__EXACT && rule != AT__BY);
    }
    switch (which) {
    case AT__GENERATE:
    case AT__GENERATED:
        return generated;
    case AT__AWAY:
    case AT__CLOSE:
    case AT__WORST:
    case AT__WHERE:
        return tolerant;
    case AT__JUDGE:
        return b->has_answer;
    default:
        return true;
    }
}

static at_status prepare(at__bench *b, const at__setup *setup, at_error *err)
{
    at_status status = AT_OK;
    for (int k = 0; k < AT__CHECK_KERNELS && status == AT_OK; k++)
        if (is_needed(b, (at__check_kernel)k))
            status = at__gpu_load(&b->checks[k], b->gpu, setup->verify[CHECKS[k].part].cubin, CHECKS[k].name,
                                  0, err);
    if (status == AT_OK)
        status = choose_sets(b, err);
    if (status == AT_OK)
        status = allocate(b, err);
    const at__kernel *reference = &setup->reference;
    if (status == AT_OK && reference->cubin)
        status = at__gpu_load_all(&b->reference, b->gpu, reference, err);
    if (status == AT_OK && setup->referee.cubin)
        status = at__gpu_load_all(&b->referee, b->gpu, &setup->referee, err);
    if (status == AT_OK)
        status = load_data(b, err);
    if (status == AT_OK)
        status = at__bench_fill(b, err);
    if (status == AT_OK && b->reference)
        status = at__bench_fill_variables(b, b->reference, reference, err);
    if (status == AT_OK && b->has_answer)
        status = at__judge_reference(b, err);
    if (status == AT_OK)
        status = at__referee_prove(b, err);
    if (status != AT_OK || !setup->own_copies)
        return status;
    const at__setup copies = at__layout_copies(setup);
    return at__bench_open(&b->copies, b->gpu, &copies, err);
}

at_status at__bench_open(at__bench **out, at__gpu *gpu, const at__setup *setup, at_error *err)
{
    at__bench *b = calloc(1, sizeof *b);
    if (!b)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    b->gpu = gpu;
    b->setup = *setup;
    b->has_answer = setup->reference.cubin || setup->answer.path[0];
    b->setup.reference.cubin = NULL; /* borrowed for this call */
    b->setup.reference.name = b->setup.reference.identity = NULL;
    b->setup.referee.cubin = NULL;
    b->setup.referee.name = NULL;
    b->first_in = b->first_out = -1;
    for (int i = setup->buffer_count - 1; i >= 0; i--)
        if (setup->buffers[i].role != AT__SCRATCH)
            *(setup->buffers[i].role == AT__INPUT ? &b->first_in : &b->first_out) = i;
    at_status status = prepare(b, setup, err);
    if (status != AT_OK) {
        at__bench_close(b);
        return status;
    }
    *out = b;
    return AT_OK;
}

void at__bench_close(at__bench *b)
{
    if (!b)
        return;
    at__bench_close(b->copies);
    at__gpu_unload(b->gpu, b->reference);
    at__gpu_unload(b->gpu, b->referee);
    for (int k = 0; k < AT__CHECK_KERNELS; k++)
        at__gpu_unload(b->gpu, b->checks[k]);
    for (int i = 0; i < b->setup.buffer_count; i++) {
        at__gpu_free(b->gpu, b->expected[i]);
        at__gpu_free(b->gpu, b->inverse[i]);
        at__gpu_free(b->gpu, b->kept[i]);
    }
    at__gpu_free(b->gpu, b->found);
    at__gpu_free(b->gpu, b->arena);
    free(b);
}

bool at__bench_is_restored(const at__bench *b)
{
    bool any = false;
    for (int i = 0; i < b->setup.buffer_count; i++)
        any = any || b->setup.buffers[i].zero || b->setup.buffers[i].role == AT__INOUT;
    return any;
}

at_status at__bench_restore(at__bench *b, uint64_t first_set, int64_t count, at_error *err)
{
    at_status status = AT_OK;
    if (count > b->sets)
        count = b->sets;
    for (int64_t s = 0; s < count && status == AT_OK; s++)
        for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
            if (b->setup.buffers[i].zero || b->setup.buffers[i].role == AT__INOUT)
                status = at__contents_fill(b, first_set + (uint64_t)s, i, err);
    return status;
}

at__bench *at__bench_for(at__bench *b, bool is_copy)
{
    return is_copy && b->copies ? b->copies : b;
}

int at__bench_sets(const at__bench *bench)
{
    return bench->sets;
}

int at__bench_fewest_sets(const at__bench *bench)
{
    return bench->fewest;
}

/*
 * Puts back what a bad kernel may have damaged, so that the next one is judged on its own: inputs, guards,
 * and the right answer, which a stray write reaches too.
 */
static at_status repair(at__bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        if (b->setup.buffers[i].role != AT__OUTPUT)
            status = at__contents_fill(b, 0, i, err);
        if (status == AT_OK)
            status = at__contents_fill_guards(b, i, err);
    }
    return status == AT_OK ? at__bench_run_reference(b, err) : status;
}

at_status at__bench_verify(at__verdict *out, at__bench *b, const at__module *module, const at__kernel *kernel,
                           bool is_copy, at_error *err)
{
    uint64_t found[AT__FOUND_WORDS];
    at__verdict verdict = { .right = true };

    at_status status = b->suspect ? repair(b, err) : AT_OK;
    if (status == AT_OK)
        status = at__contents_poison(b, is_copy, err);
    if (status == AT_OK)
        status = at__bench_fill_variables(b, module, kernel, err);
    if (status == AT_OK)
        status = at__gpu_timer_start(b->gpu, err);
    b->suspect = true;
    if (status == AT_OK)
        status = at__bench_launch(b, module, kernel, is_copy, 0, err);
    if (status == AT_OK)
        status = at__gpu_timer_stop(b->gpu, err);
    if (status == AT_OK)
        status = at__contents_compare(b, is_copy, err);
    if (status == AT_OK)
        status = at__gpu_read(b->gpu, found, b->found, sizeof found, err);
    if (status == AT_OK)
        status = at__gpu_timer_read(&verdict.seconds, b->gpu, err);
    if (status == AT_OK)
        status = at__verdict_describe(&verdict, b, found, is_copy, err);
    if (status != AT_OK)
        return status;
    if (!verdict.right)
        status = repair(b, err);
    b->suspect = status != AT_OK;
    *out = verdict;
    return status;
}
