/*
 * bench.c - verification: outputs begin as the complement of the right answer, so a byte that is
 * not written is wrong; guard zones around every buffer hold random bits; the kernel runs once;
 * then outputs are compared with the reference's, inputs with what they held, and guards with
 * theirs, all on the device. What buffers hold and how they are compared: bench_contents.c; whether the
 * right answer can prove anything: bench_validate.c; what is said of a wrong one: bench_verdict.c.
 *
 * Invariant: a kernel is validated on undamaged data. `suspect` is set before each launch and cleared
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
} CHECKS[ATX_CHECK_KERNELS] = {
    [ATX_FILL] = { "verify_fill", 0 },
    [ATX_POISON] = { "verify_poison", 0 },
    [ATX_EQUAL] = { "verify_equal", 0 },
    [ATX_RANDOM] = { "verify_random", 0 },
    [ATX_GUARD_FILL] = { "verify_guard_fill", 1 },
    [ATX_GUARD] = { "verify_guard", 1 },
    [ATX_GENERATE] = { "verify_generate", 2 },
    [ATX_GENERATED] = { "verify_generated", 3 },
    [ATX_AWAY] = { "verify_far", 4 },
    [ATX_CLOSE] = { "verify_close", 4 },
    [ATX_WORST] = { "verify_worst", 5 },
    [ATX_WHERE] = { "verify_where", 5 },
    [ATX_VALIDATE] = { "verify_outputs", 1 },
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static at_status choose_sets(atx_bench *b, at_error *err)
{
    atx_device_info info = { 0 };
    at_status status = atx_gpu_info(&info, b->gpu, err);
    if (status == AT_OK)
        status = atx_layout_fits(&b->setup, info.free_bytes, err);
    if (status != AT_OK)
        return status;
    atx_layout_of(&b->layout, &b->setup);
    int64_t available = info.free_bytes - ATX_RESERVE_BYTES - b->layout.expected_bytes,
            traffic = b->layout.traffic_bytes;
    int64_t fewest = least((L2_LEAST * info.limits.l2_bytes + traffic - 1) / traffic,
                           least(available / b->layout.set_bytes, MAX_SETS));
    int64_t sets = least((L2_MULTIPLE * info.limits.l2_bytes + traffic - 1) / traffic,
                         least(available / MEMORY_SHARE / b->layout.set_bytes, MAX_SETS));
    b->fewest = b->setup.warm || fewest < 1 ? 1 : (int)fewest;
    b->sets = b->setup.warm || sets < b->fewest ? b->fewest : (int)sets;
    return AT_OK;
}

atx_ptr atx_bench_buffer(const atx_bench *b, uint64_t set, int buffer)
{
    return b->arena + (set % (uint64_t)b->sets) * (uint64_t)b->layout.set_bytes +
           (uint64_t)b->layout.offset[buffer];
}

atx_ptr atx_bench_place(const atx_bench *b, uint64_t set, int buffer, bool is_copy)
{
    return atx_bench_buffer(b, set, buffer) - (is_copy ? (uint64_t)b->layout.skew[buffer] : 0);
}

at_status atx_bench_check(atx_bench *b, atx_check_kernel which, int64_t bytes, const uint64_t *values,
                          int count, at_error *err)
{
    void *params[ATX_CHECK_PARAMS];
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
            status = atx_contents_fill(b, (uint64_t)s, i, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        status = atx_contents_fill_guards(b, i, err);
    return status;
}

static at_status launch_step(atx_bench *b, const atx_module *module, int step, const atx_geometry *geometry,
                             const struct atx_kernel_arg *args, int count, const atx_ptr *buffers,
                             at_error *err)
{
    uint64_t values[ATX_MAX_ARGS];
    void *params[ATX_MAX_ARGS];
    for (int i = 0; i < count; i++) {
        values[i] = args[i].buffer >= 0 ? buffers[args[i].buffer] : (uint64_t)args[i].value;
        params[i] = &values[i];
    }
    return atx_gpu_launch_step(b->gpu, module, step, geometry, params, err);
}

static at_status launch_on(atx_bench *b, const atx_module *module, const atx_kernel *kernel,
                           const atx_ptr *buffers, at_error *err)
{
    at_status status =
        launch_step(b, module, 0, &kernel->geometry, kernel->args, kernel->arg_count, buffers, err);
    for (int i = 0; i < kernel->more_count && status == AT_OK; i++) {
        const atx_kernel_step *s = &kernel->more[i];
        status = launch_step(b, module, i + 1, &s->geometry, s->args, s->arg_count, buffers, err);
    }
    return status;
}

at_status atx_bench_launch(atx_bench *b, const atx_module *module, const atx_kernel *kernel, bool is_copy,
                           uint64_t set, at_error *err)
{
    atx_ptr buffers[ATX_MAX_ARGS];
    for (int i = 0; i < b->setup.buffer_count; i++)
        buffers[i] = atx_bench_place(b, set, i, is_copy);
    return launch_on(b, module, kernel, buffers, err);
}

/*
 * Once for each loaded module and not for each launch: kernels are timed on all sets with what set 0 holds,
 * which is what they are verified with.
 */
at_status atx_bench_fill_variables(atx_bench *b, const atx_module *module, const atx_kernel *kernel,
                                   at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < kernel->variable_count && status == AT_OK; i++) {
        int buffer = kernel->variables[i].buffer;
        int64_t bytes = b->setup.buffers[buffer].bytes;
        atx_ptr to = 0;
        status = atx_gpu_variable(&to, b->gpu, module, kernel->variables[i].name, bytes, err);
        if (status == AT_OK)
            status = atx_gpu_copy(b->gpu, to, atx_bench_buffer(b, 0, buffer), bytes, err);
    }
    return status;
}

at_status atx_bench_memcpy(atx_bench *b, uint64_t set, at_error *err)
{
    if (b->first_in < 0 || b->first_out < 0)
        return atx_fail(err, AT_ERR_DEVICE, "the operation has no input and output to copy between");
    return atx_gpu_copy(b->gpu, atx_bench_place(b, set, b->first_out, true),
                        atx_bench_place(b, set, b->first_in, true), b->setup.copy_bytes, err);
}

/*
 * Outputs with gaps: `expected` begins as random bits and `inverse` as their complement, so that afterwards
 * the two differ in every bit of what the reference leaves, and agree in what it writes. ~inverse is then a
 * buffer that is wrong in every bit to write, and right in every bit to leave.
 */
static at_status fill_gaps(atx_bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        int64_t bytes = b->setup.buffers[i].bytes;
        if (!b->inverse[i])
            continue;
        status = atx_contents_bits(b, b->expected[i], bytes, atx_contents_seed(b, (uint64_t)b->sets, i), err);
        if (status == AT_OK)
            status = atx_contents_complement(b, b->inverse[i], b->expected[i], bytes, err);
    }
    return status;
}

static at_status launch_reference(atx_bench *b, const atx_ptr *outputs, at_error *err)
{
    atx_ptr buffers[ATX_MAX_ARGS];
    for (int i = 0; i < b->setup.buffer_count; i++)
        buffers[i] = outputs[i] ? outputs[i] : b->expected[i] ? b->expected[i] : atx_bench_buffer(b, 0, i);
    return launch_on(b, b->reference, &b->setup.reference, buffers, err);
}

static at_status load_answer(atx_bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        if (b->expected[i])
            status = atx_contents_load(b, b->expected[i], &b->setup.answer, b->setup.buffers[i].bytes, err);
    return status;
}

/* What inputs from files hold, once for all sets. */
static at_status load_data(atx_bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        const atx_buffer *buffer = &b->setup.buffers[i];
        if (!buffer->data.path[0])
            continue;
        status = atx_gpu_alloc(&b->kept[i], b->gpu, buffer->bytes, err);
        if (status == AT_OK)
            status = atx_contents_load(b, b->kept[i], &buffer->data, buffer->bytes, err);
    }
    return status;
}

/*
 * The reference writes into `expected`; it starts from what an inout buffer holds, and from zeros where an
 * output does.
 */
at_status atx_bench_run_reference(atx_bench *b, at_error *err)
{
    at_status status = AT_OK;
    if (!b->has_answer)
        return AT_OK;
    if (b->setup.answer.path[0])
        return load_answer(b, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        const atx_buffer *buffer = &b->setup.buffers[i];
        if (buffer->role == ATX_INOUT)
            status = atx_gpu_copy(b->gpu, b->expected[i], atx_bench_buffer(b, 0, i), buffer->bytes, err);
        else if (buffer->zero)
            status = atx_gpu_zero(b->gpu, b->expected[i], buffer->bytes, err);
    }
    if (status == AT_OK)
        status = fill_gaps(b, err);
    if (status == AT_OK)
        status = launch_reference(b, b->expected, err);
    if (status == AT_OK && b->setup.gaps)
        status = launch_reference(b, b->inverse, err);
    return status == AT_OK ? atx_gpu_wait(b->gpu, err) : status;
}

at_status atx_bench_renew(atx_bench *b, at_error *err)
{
    at_status status = atx_bench_fill(b, err);
    return status == AT_OK ? atx_bench_run_reference(b, err) : status;
}

static at_status allocate(atx_bench *b, at_error *err)
{
    at_status status = atx_gpu_alloc(&b->arena, b->gpu, b->layout.set_bytes * b->sets, err);
    if (status == AT_OK)
        status = atx_gpu_alloc(&b->found, b->gpu, ATX_FOUND_WORDS * 8, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK && b->has_answer; i++)
        if (atx_role_is_output(b->setup.buffers[i].role))
            status = atx_gpu_alloc(&b->expected[i], b->gpu, b->setup.buffers[i].bytes, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        if (b->setup.buffers[i].role == ATX_OUTPUT && b->setup.gaps)
            status = atx_gpu_alloc(&b->inverse[i], b->gpu, b->setup.buffers[i].bytes, err);
    return status;
}

/* Loading takes a while: what the problem has no use for is left. */
static bool is_needed(const atx_bench *b, atx_check_kernel which)
{
    bool generated = false, tolerant = false;
    for (int i = 0; i < b->setup.buffer_count; i++) {
        generated = generated || b->setup.buffers[i].how != ATX_BITS;
        int rule = b->setup.buffers[i].check.rule;
        tolerant = tolerant || (rule != ATX_EXACT && rule != ATX_BY);
    }
    switch (which) {
    case ATX_GENERATE:
    case ATX_GENERATED:
        return generated;
    case ATX_AWAY:
    case ATX_CLOSE:
    case ATX_WORST:
    case ATX_WHERE:
        return tolerant;
    case ATX_VALIDATE:
        return b->has_answer;
    default:
        return true;
    }
}

static at_status prepare(atx_bench *b, const atx_setup *setup, at_error *err)
{
    at_status status = AT_OK;
    for (int k = 0; k < ATX_CHECK_KERNELS && status == AT_OK; k++)
        if (is_needed(b, (atx_check_kernel)k))
            status = atx_gpu_load(&b->checks[k], b->gpu, setup->verify[CHECKS[k].part].cubin, CHECKS[k].name,
                                  0, err);
    if (status == AT_OK)
        status = choose_sets(b, err);
    if (status == AT_OK)
        status = allocate(b, err);
    const atx_kernel *reference = &setup->reference;
    if (status == AT_OK && reference->cubin)
        status = atx_gpu_load_all(&b->reference, b->gpu, reference, err);
    if (status == AT_OK && setup->validator.cubin)
        status = atx_gpu_load_all(&b->validator, b->gpu, &setup->validator, err);
    if (status == AT_OK)
        status = load_data(b, err);
    if (status == AT_OK)
        status = atx_bench_fill(b, err);
    if (status == AT_OK && b->reference)
        status = atx_bench_fill_variables(b, b->reference, reference, err);
    if (status == AT_OK && b->has_answer)
        status = atx_validate_reference(b, err);
    if (status == AT_OK)
        status = atx_validator_prove(b, err);
    if (status != AT_OK || !setup->own_copies)
        return status;
    const atx_setup copies = atx_layout_copies(setup);
    return atx_bench_open(&b->copies, b->gpu, &copies, err);
}

at_status atx_bench_open(atx_bench **out, atx_gpu *gpu, const atx_setup *setup, at_error *err)
{
    atx_bench *b = calloc(1, sizeof *b);
    if (!b)
        return atx_no_memory(err);
    b->gpu = gpu;
    b->setup = *setup;
    b->has_answer = setup->reference.cubin || setup->answer.path[0];
    b->setup.reference.cubin = NULL; /* borrowed for this call */
    b->setup.reference.name = b->setup.reference.identity = NULL;
    b->setup.validator.cubin = NULL;
    b->setup.validator.name = NULL;
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
        atx_gpu_free(b->gpu, b->expected[i]);
        atx_gpu_free(b->gpu, b->inverse[i]);
        atx_gpu_free(b->gpu, b->kept[i]);
    }
    atx_gpu_free(b->gpu, b->found);
    atx_gpu_free(b->gpu, b->arena);
    free(b);
}

bool atx_bench_is_restored(const atx_bench *b)
{
    bool any = false;
    for (int i = 0; i < b->setup.buffer_count; i++)
        any = any || b->setup.buffers[i].zero || b->setup.buffers[i].role == ATX_INOUT;
    return any;
}

at_status atx_bench_restore(atx_bench *b, uint64_t first_set, int64_t count, at_error *err)
{
    at_status status = AT_OK;
    if (count > b->sets)
        count = b->sets;
    for (int64_t s = 0; s < count && status == AT_OK; s++)
        for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
            if (b->setup.buffers[i].zero || b->setup.buffers[i].role == ATX_INOUT)
                status = atx_contents_fill(b, first_set + (uint64_t)s, i, err);
    return status;
}

atx_bench *atx_bench_for(atx_bench *b, bool is_copy)
{
    return is_copy && b->copies ? b->copies : b;
}

int atx_bench_sets(const atx_bench *bench)
{
    return bench->sets;
}

int atx_bench_fewest_sets(const atx_bench *bench)
{
    return bench->fewest;
}

/*
 * Puts back what a bad kernel may have damaged, so that the next one is validated on its own: inputs, guards,
 * and the right answer, which a stray write reaches too.
 */
static at_status repair(atx_bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        if (b->setup.buffers[i].role != ATX_OUTPUT)
            status = atx_contents_fill(b, 0, i, err);
        if (status == AT_OK)
            status = atx_contents_fill_guards(b, i, err);
    }
    return status == AT_OK ? atx_bench_run_reference(b, err) : status;
}

at_status atx_bench_verify(atx_seen *out, atx_bench *b, const atx_module *module, const atx_kernel *kernel,
                           bool is_copy, at_error *err)
{
    uint64_t found[ATX_FOUND_WORDS];
    atx_seen verdict = { .right = true };

    at_status status = b->suspect ? repair(b, err) : AT_OK;
    if (status == AT_OK)
        status = atx_contents_poison(b, is_copy, err);
    if (status == AT_OK)
        status = atx_bench_fill_variables(b, module, kernel, err);
    if (status == AT_OK)
        status = atx_gpu_timer_start(b->gpu, err);
    b->suspect = true;
    if (status == AT_OK)
        status = atx_bench_launch(b, module, kernel, is_copy, 0, err);
    if (status == AT_OK)
        status = atx_gpu_timer_stop(b->gpu, err);
    if (status == AT_OK)
        status = atx_contents_compare(b, is_copy, err);
    if (status == AT_OK)
        status = atx_gpu_read(b->gpu, found, b->found, sizeof found, err);
    if (status == AT_OK)
        status = atx_gpu_timer_read(&verdict.seconds, b->gpu, err);
    if (status == AT_OK)
        status = atx_verdict_describe(&verdict, b, found, is_copy, err);
    if (status != AT_OK)
        return status;
    if (!verdict.right)
        status = repair(b, err);
    b->suspect = status != AT_OK;
    *out = verdict;
    return status;
}
