/*
 * bench.c - verification: outputs begin as the complement of the right answer, so a byte that is
 * not written is wrong; guard zones around every buffer hold random bits; the kernel runs once;
 * then outputs are compared with the reference's, inputs with their random stream, and guards with
 * theirs, all on the device. The first bad offset and the number of bad bytes come back for each.
 *
 * Invariant: a kernel is judged on undamaged data. `suspect` is set before each launch and cleared
 * only once everything was found right or has been repaired; while it is set, the next verification
 * repairs first.
 */
#include "runner/bench.h"

#include "device/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

typedef enum check_kernel { FILL, POISON, EQUAL, RANDOM, GUARD_FILL, GUARD, VERIFY_KERNELS } check_kernel;

static const char *const VERIFY_NAMES[VERIFY_KERNELS] = {
    [FILL] = "verify_fill",     [POISON] = "verify_poison",         [EQUAL] = "verify_equal",
    [RANDOM] = "verify_random", [GUARD_FILL] = "verify_guard_fill", [GUARD] = "verify_guard",
};

struct at__bench {
    at__gpu *gpu;
    at__setup setup; /* its reference without the borrowed code and names */
    at__module *reference;
    at__module *verify_modules[VERIFY_KERNELS];
    at__layout layout;
    int sets;
    int fewest; /* of them that leave the L2 between two launches on one */
    at__ptr arena;
    at__ptr expected[AT__MAX_ARGS]; /* the reference's outputs; 0 for inputs */
    at__ptr inverse[AT__MAX_ARGS];  /* of outputs with gaps: see fill_gaps   */
    at__ptr found;                  /* pairs of verify.cu: 3 a buffer         */
    int first_in, first_out;        /* -1: none                              */
    bool suspect; /* a kernel ran that may have damaged inputs or guards, and nobody has looked  */
};

#define FOUND_PAIRS (3 * AT__MAX_ARGS)

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

static at__ptr buffer_of(const at__bench *b, uint64_t set, int buffer)
{
    return b->arena + (set % (uint64_t)b->sets) * (uint64_t)b->layout.set_bytes +
           (uint64_t)b->layout.offset[buffer];
}

/* The same for whoever runs on it: a copy begins where the buffer would, were it aligned. */
static at__ptr place_of(const at__bench *b, uint64_t set, int buffer, bool is_copy)
{
    return buffer_of(b, set, buffer) - (is_copy ? (uint64_t)b->layout.skew[buffer] : 0);
}

static uint64_t seed_of(const at__bench *b, uint64_t set, int buffer)
{
    return b->setup.seed * 0x100000001b3u + set * AT__MAX_ARGS + (uint64_t)buffer;
}

/* Launches a check kernel over `bytes` with up to four 8-byte arguments. */
static at_status run_check(at__bench *b, check_kernel which, int64_t bytes, uint64_t a0, uint64_t a1,
                           uint64_t a2, uint64_t a3, at_error *err)
{
    uint64_t values[4] = { a0, a1, a2, a3 };
    void *params[4] = { &values[0], &values[1], &values[2], &values[3] };
    int64_t blocks = bytes / 16 / 256 + 1;
    at__geometry g = { .grid = { blocks < 16384 ? blocks : 16384, 1, 1 }, .block = { 256, 1, 1 } };
    return at__gpu_launch(b->gpu, b->verify_modules[which], &g, params, err);
}

static at_status fill(at__bench *b, uint64_t set, int buffer, at_error *err)
{
    int64_t bytes = b->setup.buffers[buffer].bytes;
    return run_check(b, FILL, bytes, buffer_of(b, set, buffer), (uint64_t)bytes, seed_of(b, set, buffer), 0,
                     err);
}

static at_status fill_guard_before(at__bench *b, int buffer, at_error *err)
{
    return run_check(b, GUARD_FILL, AT__GUARD_BYTES, buffer_of(b, 0, buffer) - AT__GUARD_BYTES,
                     AT__GUARD_BYTES, 1, 0, err);
}

static at_status fill_guards(at__bench *b, int buffer, at_error *err)
{
    at__ptr end = buffer_of(b, 0, buffer) + (uint64_t)b->setup.buffers[buffer].bytes;
    at_status status = fill_guard_before(b, buffer, err);
    if (status == AT_OK)
        status = run_check(b, GUARD_FILL, AT__GUARD_BYTES, end, AT__GUARD_BYTES, 2, 0, err);
    return status;
}

static at_status fill_all(at__bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int s = 0; s < b->sets && status == AT_OK; s++)
        for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
            status = fill(b, (uint64_t)s, i, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        status = fill_guards(b, i, err);
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
        buffers[i] = place_of(b, set, i, is_copy);
    return launch_on(b, module, kernel, buffers, err);
}

at_status at__bench_memcpy(at__bench *b, uint64_t set, at_error *err)
{
    if (b->first_in < 0 || b->first_out < 0)
        return at_fail(err, AT_ERR_DEVICE, "the operation has no input and output to copy between");
    return at__gpu_copy(b->gpu, place_of(b, set, b->first_out, true), place_of(b, set, b->first_in, true),
                        b->setup.copy_bytes, err);
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
        status = run_check(b, FILL, bytes, b->expected[i], (uint64_t)bytes, seed_of(b, (uint64_t)b->sets, i),
                           0, err);
        if (status == AT_OK)
            status = run_check(b, POISON, bytes, b->inverse[i], b->expected[i], (uint64_t)bytes, 0, err);
    }
    return status;
}

static at_status launch_reference(at__bench *b, const at__ptr *outputs, at_error *err)
{
    at__ptr buffers[AT__MAX_ARGS];
    for (int i = 0; i < b->setup.buffer_count; i++)
        buffers[i] = outputs[i] ? outputs[i] : b->expected[i] ? b->expected[i] : buffer_of(b, 0, i);
    return launch_on(b, b->reference, &b->setup.reference, buffers, err);
}

/* The reference writes into `expected`; it starts from what an inout buffer holds. */
static at_status run_reference(at__bench *b, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        if (b->setup.buffers[i].role == AT__INOUT)
            status = at__gpu_copy(b->gpu, b->expected[i], buffer_of(b, 0, i), b->setup.buffers[i].bytes, err);
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
    at_status status = fill_all(b, err);
    return status == AT_OK ? run_reference(b, err) : status;
}

static at_status allocate(at__bench *b, at_error *err)
{
    at_status status = at__gpu_alloc(&b->arena, b->gpu, b->layout.set_bytes * b->sets, err);
    if (status == AT_OK)
        status = at__gpu_alloc(&b->found, b->gpu, FOUND_PAIRS * 16, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        if (b->setup.buffers[i].role != AT__INPUT)
            status = at__gpu_alloc(&b->expected[i], b->gpu, b->setup.buffers[i].bytes, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++)
        if (b->setup.buffers[i].role == AT__OUTPUT && b->setup.gaps)
            status = at__gpu_alloc(&b->inverse[i], b->gpu, b->setup.buffers[i].bytes, err);
    return status;
}

static at_status prepare(at__bench *b, const at__setup *setup, at_error *err)
{
    at_status status = AT_OK;
    for (int k = 0; k < VERIFY_KERNELS && status == AT_OK; k++)
        status = at__gpu_load(&b->verify_modules[k], b->gpu, setup->verify_cubin, VERIFY_NAMES[k], 0, err);
    if (status == AT_OK)
        status = choose_sets(b, err);
    if (status == AT_OK)
        status = allocate(b, err);
    const at__kernel *reference = &setup->reference;
    if (status == AT_OK)
        status = at__gpu_load(&b->reference, b->gpu, reference->cubin, reference->name,
                              reference->geometry.shared_bytes, err);
    return status == AT_OK ? at__bench_renew(b, err) : status;
}

at_status at__bench_open(at__bench **out, at__gpu *gpu, const at__setup *setup, at_error *err)
{
    at__bench *b = calloc(1, sizeof *b);
    if (!b)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    b->gpu = gpu;
    b->setup = *setup;
    b->setup.reference.cubin = NULL; /* borrowed for this call */
    b->setup.reference.name = b->setup.reference.identity = NULL;
    b->first_in = b->first_out = -1;
    for (int i = setup->buffer_count - 1; i >= 0; i--)
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
    at__gpu_unload(b->gpu, b->reference);
    for (int k = 0; k < VERIFY_KERNELS; k++)
        at__gpu_unload(b->gpu, b->verify_modules[k]);
    for (int i = 0; i < b->setup.buffer_count; i++) {
        at__gpu_free(b->gpu, b->expected[i]);
        at__gpu_free(b->gpu, b->inverse[i]);
    }
    at__gpu_free(b->gpu, b->found);
    at__gpu_free(b->gpu, b->arena);
    free(b);
}

int at__bench_sets(const at__bench *bench)
{
    return bench->sets;
}

int at__bench_fewest_sets(const at__bench *bench)
{
    return bench->fewest;
}

static bool is_copied(const at__bench *b, int i, bool is_copy)
{
    return is_copy && i == b->first_out;
}

/* What output `i` must become: the reference's, or for a copy the input's. */
static at__ptr expected_of(const at__bench *b, int i, bool is_copy)
{
    return is_copied(b, i, is_copy) ? place_of(b, 0, b->first_in, true) : b->expected[i];
}

/* How much of it. */
static int64_t expected_length(const at__bench *b, int i, bool is_copy)
{
    return is_copied(b, i, is_copy) ? b->setup.copy_bytes : b->setup.buffers[i].bytes;
}

/* What output `i` begins with: the complement of this. */
static at__ptr complement_of(const at__bench *b, int i, bool is_copy)
{
    return b->inverse[i] && !is_copied(b, i, is_copy) ? b->inverse[i] : expected_of(b, i, is_copy);
}

static at_status poison(at__bench *b, bool is_copy, at_error *err)
{
    at_status status = at__gpu_zero(b->gpu, b->found, FOUND_PAIRS * 16, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        const at__buffer *buffer = &b->setup.buffers[i];
        if (buffer->role != AT__INPUT && b->layout.skew[i]) /* copies write there */
            status = fill_guard_before(b, i, err);
        if (status != AT_OK)
            break;
        if (buffer->role == AT__OUTPUT)
            status =
                run_check(b, POISON, buffer->bytes, place_of(b, 0, i, is_copy), complement_of(b, i, is_copy),
                          (uint64_t)expected_length(b, i, is_copy), 0, err);
        else if (buffer->role == AT__INOUT)
            status = fill(b, 0, i, err);
    }
    return status;
}

/* Everything around buffer `i`; to a copy of a buffer that is not aligned the last of the zone before it
 * belongs. */
static at_status compare_guards(at__bench *b, int i, bool is_copy, at_error *err)
{
    at__ptr found = b->found + 48u * (unsigned)i, at = buffer_of(b, 0, i);
    bool written = b->setup.buffers[i].role != AT__INPUT;
    uint64_t before = AT__GUARD_BYTES - (uint64_t)(is_copy && written ? b->layout.skew[i] : 0);
    at_status status = run_check(b, GUARD, AT__GUARD_BYTES, at - AT__GUARD_BYTES, before, 1, found + 16, err);
    if (status == AT_OK)
        status = run_check(b, GUARD, AT__GUARD_BYTES, at + (uint64_t)b->setup.buffers[i].bytes,
                           AT__GUARD_BYTES, 2, found + 32, err);
    return status;
}

static at_status compare(at__bench *b, bool is_copy, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        uint64_t bytes = (uint64_t)b->setup.buffers[i].bytes;
        at__ptr found = b->found + 48u * (unsigned)i;
        if (b->setup.buffers[i].role == AT__INPUT)
            status =
                run_check(b, RANDOM, (int64_t)bytes, buffer_of(b, 0, i), bytes, seed_of(b, 0, i), found, err);
        else
            status =
                run_check(b, EQUAL, (int64_t)bytes, place_of(b, 0, i, is_copy), expected_of(b, i, is_copy),
                          (uint64_t)expected_length(b, i, is_copy), found, err);
        if (status == AT_OK)
            status = compare_guards(b, i, is_copy, err);
    }
    return status;
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
            status = fill(b, 0, i, err);
        if (status == AT_OK)
            status = fill_guards(b, i, err);
    }
    return status == AT_OK ? run_reference(b, err) : status;
}

static void describe(at__verdict *out, const at__bench *b, const uint64_t *found)
{
    for (int i = 0; i < b->setup.buffer_count; i++) {
        const uint64_t *pair = found + 6 * i;
        uint64_t offset = ~pair[1];
        bool input = b->setup.buffers[i].role == AT__INPUT;
        int each = b->setup.element_bytes > 0 ? b->setup.element_bytes : 1;
        if (pair[0])
            snprintf(out->log, sizeof out->log, "%s: %llu of %lld bytes %s, the first in element %llu",
                     input ? "writes to its input" : "wrong output", (unsigned long long)pair[0],
                     (long long)b->setup.buffers[i].bytes, input ? "changed" : "differ from the reference",
                     (unsigned long long)(offset / (uint64_t)each));
        else if (pair[2])
            snprintf(out->log, sizeof out->log,
                     "writes before buffer %d: %llu bytes, the first %llu bytes in front of it", i,
                     (unsigned long long)pair[2], (unsigned long long)(AT__GUARD_BYTES - ~pair[3]));
        else if (pair[4])
            snprintf(out->log, sizeof out->log,
                     "writes behind buffer %d: %llu bytes, the first %llu bytes after its end", i,
                     (unsigned long long)pair[4], (unsigned long long)~pair[5]);
        else
            continue;
        out->right = false;
        return;
    }
}

at_status at__bench_verify(at__verdict *out, at__bench *b, const at__module *module, const at__kernel *kernel,
                           bool is_copy, at_error *err)
{
    uint64_t found[2 * FOUND_PAIRS];
    at__verdict verdict = { .right = true };

    at_status status = b->suspect ? repair(b, err) : AT_OK;
    if (status == AT_OK)
        status = poison(b, is_copy, err);
    if (status == AT_OK)
        status = at__gpu_timer_start(b->gpu, err);
    b->suspect = true;
    if (status == AT_OK)
        status = at__bench_launch(b, module, kernel, is_copy, 0, err);
    if (status == AT_OK)
        status = at__gpu_timer_stop(b->gpu, err);
    if (status == AT_OK)
        status = compare(b, is_copy, err);
    if (status == AT_OK)
        status = at__gpu_read(b->gpu, found, b->found, sizeof found, err);
    if (status == AT_OK)
        status = at__gpu_timer_read(&verdict.seconds, b->gpu, err);
    if (status != AT_OK)
        return status;
    describe(&verdict, b, found);
    if (!verdict.right)
        status = repair(b, err);
    b->suspect = status != AT_OK;
    *out = verdict;
    return status;
}
