/*
 * instance.c - the structs of device/trial.h describe the buffers and their contents, as for a runner; the
 * contents come from declare/data.h, the text that a device computes them with too.
 *
 * An output begins wrong in every byte or number. If the reference leaves gaps (rows with a pitch), it runs
 * twice, on contents that differ in every bit: bytes that differ afterwards were left by it, and must not
 * change.
 */
#include "compile/cubin.h"
#include "declare/placed.h"
#include "device/columns.h"
#include "device/kernel_args.h"
#include "device/trial.h"
#include "explain/instance_internal.h"
#include "util/regular.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the contents of a buffer, as a runner fills it ---- */

static void fill_bits(unsigned char *to, int64_t bytes, uint64_t seed)
{
    for (int64_t i = 0; i < bytes; i += 8) {
        const uint64_t word = atx_random(seed, (uint64_t)i / 8);
        memcpy(to + i, &word, bytes - i < 8 ? (size_t)(bytes - i) : 8);
    }
}

/* `bytes` of a file, from where its data begins. */
static at_status load(unsigned char *to, const atx_data_file *from, int64_t bytes, at_error *err)
{
    FILE *file = NULL;
    at_status status = atx_regular_open(&file, NULL, from->path, err);
    if (status != AT_OK)
        return status;
    if (fseeko(file, from->at, SEEK_SET) != 0)
        status = atx_fail(err, AT_ERR_INPUT, "%s: %s", from->path, strerror(errno));
    else if (fread(to, 1, (size_t)bytes, file) != (size_t)bytes)
        status = atx_fail(err, AT_ERR_INPUT, "%s: found its end; expected %lld bytes of data", from->path,
                          (long long)bytes);
    fclose(file);
    return status;
}

/* By the buffer's declaration: bits, a distribution, a file. */
static at_status fill(unsigned char *to, const atx_buffer *b, uint64_t seed, at_error *err)
{
    if (b->data.path[0])
        return load(to, &b->data, b->bytes, err);
    if (b->how == ATX_BITS && !b->column_count) {
        fill_bits(to, b->bytes, seed);
        return AT_OK;
    }
    memset(to, 0, (size_t)b->bytes);
    for (int k = 0; k < atx_column_count(b); k++) {
        atx_numbers n = atx_column_at(b, k);
        n.filling.other = seed + (uint64_t)(int64_t)b->goes_with;
        for (uint64_t i = 0; i < (uint64_t)n.count; i++)
            atx_set_placed(to, i, n.how,
                           atx_generate(i, (uint64_t)n.count, atx_how_number(n.how), atx_how_rule(n.how),
                                        &n.filling, atx_column_seed(seed, k)));
    }
    return AT_OK;
}

/* ---- the contents of all buffers ---- */

static uint64_t seed_of(uint64_t seed, int buffer)
{
    return seed * 0x100000001b3u + (uint64_t)buffer;
}

/* Bits that are only moved need not be there where they are not compared. */
static bool is_left_empty(const atx_instance_options *o, const atx_buffer *b)
{
    return o->most_filled_bytes && b->bytes > o->most_filled_bytes && b->how == ATX_BITS && !b->data.path[0];
}

static at_status make_contents(atx_instance *s, const atx_instance_options *o, at_error *err)
{
    for (int i = 0; i < s->setup.buffer_count; i++) {
        const atx_buffer *b = &s->setup.buffers[i];
        if (b->zero || b->role == ATX_SCRATCH || is_left_empty(o, b) || (b->role == ATX_OUTPUT && !o->answer))
            continue;
        s->begin[i] = malloc((size_t)b->bytes + 1);
        ATX_TRY(s->begin[i] ? fill(s->begin[i], b, seed_of(o->seed, i), err) : atx_no_memory(err));
    }
    return AT_OK;
}

/* ---- launches ---- */

static int flags_of(const atx_buffer *b)
{
    return (b->role == ATX_INPUT ? ATX_REGION_READ_ONLY : 0) |
           (b->role == ATX_INPUT || b->role == ATX_INOUT || b->zero ? ATX_REGION_INITIALISED : 0) |
           (atx_role_is_output(b->role) ? ATX_REGION_OUTPUT : 0);
}

at_status atx_instance_set_up(atx_machine **out, int regions[ATX_MAX_ARGS], const atx_instance *s,
                              const atx_program *p, unsigned char *const *outputs, at_error *err)
{
    at_status status = atx_machine_open(out, p->module, err);
    for (int i = 0; i < s->setup.buffer_count && status == AT_OK; i++) {
        const atx_buffer *b = &s->setup.buffers[i];
        const unsigned char *holds = outputs && outputs[i] ? outputs[i] : s->begin[i];
        const atx_machine_buffer buffer = { b->name, b->bytes, b->align > 0 ? b->align : ATX_FULL_ALIGN,
                                            flags_of(b), holds };
        status = atx_machine_add_buffer(&regions[i], *out, &buffer, err);
    }
    for (int v = 0; v < p->kernel.variable_count && status == AT_OK; v++) {
        const int buffer = p->kernel.variables[v].buffer;
        bool found = false;
        for (int r = 0; r < atx_machine_region_count(*out) && !found; r++) {
            const atx_machine_region *region = atx_machine_region_at(*out, r);
            found = region->kind != ATX_REGION_BUFFER &&
                    atx_cubin_is_variable(region->name, p->kernel.variables[v].name) && s->begin[buffer] &&
                    region->bytes >= s->setup.buffers[buffer].bytes;
            if (found)
                memcpy(region->data, s->begin[buffer], (size_t)s->setup.buffers[buffer].bytes);
        }
        if (!found)
            status = atx_fail(err, AT_ERR_INPUT, "found no variable '%s' in the compiled code",
                              p->kernel.variables[v].name);
    }
    return status;
}

static at_status put_arguments(unsigned char *bytes, const atx_ptx_module *module, const atx_ptx_function *f,
                               const atx_program_launch *what, at_error *err)
{
    const int count = what->count;
    if (f->param_count != count)
        return atx_fail(err, AT_ERR_INPUT, "kernel '%.100s' takes %d parameters; expected %d", f->name,
                        (int)f->param_count, count);
    for (int i = 0; i < count; i++) {
        const atx_ptx_variable *v = &module->variables[f->params[i]];
        if (v->bytes == ATX_TENSOR_MAP_BYTES)
            return atx_fail(err, AT_ERR_INPUT,
                            "kernel '%.100s' takes a tensor map, which the CPU does not run", f->name);
        const int most = i < what->arg_count && what->args[i].is_struct ? what->args[i].bytes : 8;
        if (v->bytes > most)
            return atx_fail(err, AT_ERR_INPUT,
                            "kernel '%.100s' takes a parameter of %lld bytes; expected %d at most", f->name,
                            (long long)v->bytes, most);
        memcpy(bytes + v->offset, what->params[i], (size_t)v->bytes);
    }
    return AT_OK;
}

static void set_geometry(atx_machine_launch *launch, const atx_geometry *g)
{
    for (int d = 0; d < 3; d++) {
        launch->grid[d] = (uint32_t)g->grid[d];
        launch->block[d] = (uint32_t)g->block[d];
        launch->cluster[d] = (uint32_t)g->cluster[d]; /* 0: the kernel's own */
    }
    launch->shared_bytes = g->shared_bytes;
}

/* One of each of so many equal stretches of the grid, anywhere in it, so that no pattern of the grid is met
 * over and over. NULL: out of memory. */
static int64_t *choose_blocks(int64_t all, int64_t most)
{
    int64_t *blocks = malloc((size_t)most * sizeof *blocks);
    for (int64_t i = 0; blocks && i < most; i++) {
        const int64_t from = i * (all / most) + i * (all % most) / most;
        const int64_t upto = (i + 1) * (all / most) + (i + 1) * (all % most) / most;
        blocks[i] = from + (int64_t)(atx_random(1, (uint64_t)i) % (uint64_t)(upto - from));
    }
    return blocks;
}

static int64_t steps_of_launch(const atx_run_options *how, const atx_geometry *g)
{
    const double threads = (double)g->grid[0] * (double)g->grid[1] * (double)g->grid[2] *
                           (double)g->block[0] * (double)g->block[1] * (double)g->block[2];
    const double steps = threads * (double)how->of_a_thread;
    if (steps <= (double)how->most_steps)
        return how->most_steps;
    return steps < (double)ATX_MOST_STEPS ? (int64_t)steps : ATX_MOST_STEPS;
}

at_status atx_instance_launch(atx_machine_result *result, atx_machine *machine,
                              const atx_program_launch *what, const atx_run_options *how, at_error *err)
{
    const atx_ptx_module *module = what->program->module;
    const int entry = what->program->entries[what->number];
    const atx_ptx_function *f = &module->functions[entry];
    const atx_geometry *geometry = what->geometry;
    atx_machine_launch l = { .function = entry, .argument_bytes = f->param_bytes };
    const int64_t all = geometry->grid[0] * geometry->grid[1] * geometry->grid[2];
    unsigned char *bytes = calloc((size_t)f->param_bytes + 1, 1);
    const bool some = how->most_blocks > 0 && all > how->most_blocks;
    int64_t *blocks = some ? choose_blocks(all, how->most_blocks) : NULL;
    at_status status =
        bytes && (blocks || !some) ? put_arguments(bytes, module, f, what, err) : atx_no_memory(err);
    set_geometry(&l, geometry);
    l.arguments = bytes;
    l.swapped = how->swapped;
    l.descending = l.leftover = how->reversed;
    l.warp_budget = l.budget = steps_of_launch(how, geometry);
    l.blocks = blocks;
    l.block_count = some ? how->most_blocks : 0;
    l.watch = how->inspector ? atx_inspector_watch(how->inspector, &l)
              : how->tally   ? atx_tally_watch(how->tally)
                             : NULL;
    ATX_THEN(status, atx_machine_run(result, machine, &l, err));
    if (status == AT_OK && how->sample && all > how->sample->of)
        *how->sample = (atx_sample){ some ? how->most_blocks : all, all };
    free(blocks);
    free(bytes);
    return status;
}

void atx_instance_params(void **params, atx_params *room, const atx_machine *machine, const int *regions,
                         const atx_kernel *k, const atx_kernel_launch *one)
{
    uint64_t addresses[ATX_MAX_ARGS] = { 0 };
    for (int i = 0; i < one->arg_count; i++)
        if (one->args[i].buffer >= 0)
            addresses[one->args[i].buffer] =
                atx_machine_region_at(machine, regions[one->args[i].buffer])->address;
    for (int i = 0; i < k->pointer_count; i++)
        addresses[k->pointers[i].buffer] =
            atx_machine_region_at(machine, regions[k->pointers[i].buffer])->address;
    atx_kernel_params(params, room, k, one->args, one->arg_count, addresses);
}

at_status atx_instance_run_all(atx_machine_result *result, atx_machine *machine, const int *regions,
                               const atx_program *p, const atx_run_options *how, at_error *err)
{
    at_status status = AT_OK;
    int64_t steps = 0;
    size_t at = 0;
    atx_run_options left = *how; /* the launches of a loop share one budget */
    result->finding.kind = ATX_FINDING_NONE;
    for (atx_kernel_launch one; status == AT_OK && result->finding.kind == ATX_FINDING_NONE &&
                                atx_kernel_next(&one, &p->kernel, &at);) {
        atx_params room;
        void *params[ATX_MAX_ARGS];
        atx_instance_params(params, &room, machine, regions, &p->kernel, &one);
        const atx_program_launch what = { p,      one.step,     &one.geometry, one.args, one.arg_count,
                                          params, one.arg_count };
        status = atx_instance_launch(result, machine, &what, &left, err);
        steps += status == AT_OK ? result->steps : 0;
        if (p->kernel.launches && how->most_steps)
            left.most_steps = how->most_steps > steps ? how->most_steps - steps : 1;
    }
    result->steps = steps;
    /* A kernel that was not run to its end is neither right nor wrong. */
    return status == AT_OK && result->finding.kind == ATX_FINDING_STOPPED
               ? atx_fail(err, AT_ERR_MEMORY,
                          "out of memory for what is noted of a kernel; try a smaller problem")
               : status;
}

/* ---- the right answer ---- */

static at_status copy_output(unsigned char **out, atx_machine *machine, int region, at_error *err)
{
    const atx_machine_region *r = atx_machine_region_at(machine, region);
    *out = malloc((size_t)r->bytes + 1);
    if (!*out)
        return atx_no_memory(err);
    memcpy(*out, r->data, (size_t)r->bytes);
    return AT_OK;
}

/* Runs a program on outputs that hold `outputs`; what it makes of them goes to `answers`. `who`: in messages.
 */
static at_status answer(unsigned char **answers, atx_instance *s, const atx_program *p,
                        unsigned char *const *outputs, const char *who, at_error *err)
{
    ATX_CLOSED(atx_machine) *machine = NULL;
    atx_machine_result result = { .finding = { .kind = ATX_FINDING_NONE } };
    int regions[ATX_MAX_ARGS];
    const atx_run_options how = { .most_steps = s->has_answer ? 0 : s->most_steps };
    at_status status = atx_instance_set_up(&machine, regions, s, p, outputs, err);
    ATX_THEN(status, atx_instance_run_all(&result, machine, regions, p, &how, err));
    if (status == AT_OK && !s->has_answer && result.steps > s->work)
        s->work = result.steps;
    if (status == AT_OK && how.most_steps && result.finding.kind == ATX_FINDING_ENDLESS)
        status = atx_fail(err, AT_ERR_NOT_FOUND,
                          "%s has not ended after %.3g instructions: much work, or a loop without an end",
                          who, (double)result.steps);
    if (status == AT_ERR_USAGE) { /* no launch */
        const at_error why = *err;
        status = atx_fail(err, AT_ERR_INPUT, "%s: %.900s", who, why.text);
    }
    if (status == AT_OK && result.finding.kind != ATX_FINDING_NONE)
        status =
            atx_fail(err, AT_ERR_INPUT, "%s: %s:%d: %s", who, result.finding.file ? result.finding.file : "?",
                     (int)result.finding.line, result.finding.text);
    for (int i = 0; i < s->setup.buffer_count && status == AT_OK; i++)
        if (atx_role_is_output(s->setup.buffers[i].role))
            status = copy_output(&answers[i], machine, regions[i], err);
    return status;
}

static void flip(unsigned char *bytes, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)~bytes[i];
}

/* Numbers that no tolerance reaches. */
static void put_away(unsigned char *to, const atx_buffer *b, const unsigned char *right)
{
    for (int k = 0; k < atx_column_count(b); k++) {
        const atx_numbers n = atx_column_at(b, k);
        for (uint64_t i = 0; i < (uint64_t)n.count; i++)
            atx_set_placed(to, i, n.how,
                           atx_far_from(atx_bits_placed(right, i, n.how), atx_how_number(n.how)));
    }
}

/* The output before a candidate: wrong everywhere, except elements that the reference leaves. */
static at_status spoil(atx_instance *s, const atx_program *reference, at_error *err)
{
    unsigned char *inverse[ATX_MAX_ARGS] = { NULL };
    at_status status = AT_OK;
    for (int i = 0; i < s->setup.buffer_count; i++)
        if (s->setup.buffers[i].role == ATX_OUTPUT && s->begin[i] && s->setup.gaps)
            flip(s->begin[i], s->setup.buffers[i].bytes);
    if (s->setup.gaps)
        status = answer(inverse, s, reference, NULL, "the reference kernel", err);
    for (int i = 0; i < s->setup.buffer_count && status == AT_OK; i++) {
        const atx_buffer *b = &s->setup.buffers[i];
        if (b->role != ATX_OUTPUT || !s->begin[i])
            continue;
        memcpy(s->begin[i], s->setup.gaps ? inverse[i] : s->expected[i], (size_t)b->bytes);
        if (s->setup.gaps || !atx_is_by_number(b) || b->column_count)
            flip(s->begin[i], b->bytes);
        if (!s->setup.gaps && atx_is_by_number(b))
            put_away(s->begin[i], b, s->expected[i]);
    }
    for (int i = 0; i < s->setup.buffer_count; i++)
        free(inverse[i]);
    return status;
}

static at_status build_reference(atx_program *out, const atx_instance_options *o, at_error *err)
{
    const atx_op *op = o->problem->op;
    const atx_template *t = NULL;
    atx_config config;
    int64_t slots[ATX_MAX_SLOTS];
    if (!op->expected.trusted[0])
        return atx_program_of_reference(out, o->nvrtc, o->problem, o->slots, o->cc, err);
    memcpy(slots, o->slots, (size_t)op->scope.symbols.count * sizeof *slots);
    at_status status = atx_catalog_trusted(&t, &config, o->catalog, op, err);
    ATX_THEN(status, atx_config_validate(slots, t, &config, err));
    return status == AT_OK
               ? atx_program_of_template(
                     out, o->nvrtc, &(atx_program_request){ t, o->problem->type, &config, slots, o->cc }, err)
               : status;
}

static at_status load_answer(atx_instance *s, at_error *err)
{
    for (int i = 0; i < s->setup.buffer_count; i++) {
        const atx_buffer *b = &s->setup.buffers[i];
        if (!atx_role_is_output(b->role))
            continue;
        s->expected[i] = malloc((size_t)b->bytes + 1);
        ATX_TRY(s->expected[i] ? load(s->expected[i], &s->setup.answer, b->bytes, err) : atx_no_memory(err));
    }
    return AT_OK;
}

static at_status make_answer(atx_instance *s, const atx_instance_options *o, at_error *err)
{
    const char *names[ATX_MAX_STEPS];
    atx_program reference = { .module = NULL };
    at_status status = AT_OK;
    s->most_steps = o->most_steps;
    for (int i = 0; i < s->setup.buffer_count; i++)
        s->work += s->setup.buffers[i].bytes;
    if (o->problem->op->expected.answer) {
        status = load_answer(s, err);
    } else {
        status = build_reference(&reference, o, err);
        ATX_THEN(status, answer(s->expected, s, &reference, NULL, "the reference kernel", err));
    }
    ATX_THEN(status, spoil(s, &reference, err));
    if (status == AT_OK && atx_op_validators(names, o->problem->op) > 0)
        status = atx_program_of_validators(&s->validators, o->nvrtc, o->problem, o->slots, o->cc, err);
    s->has_answer = status == AT_OK;
    atx_program_close(&reference);
    return status;
}

at_status atx_instance_open(atx_instance **out, const atx_instance_options *o, at_error *err)
{
    atx_instance *s = calloc(1, sizeof *s);
    if (!s)
        return atx_no_memory(err);
    at_status status =
        o->problem->op->recorded
            ? atx_fail(err, AT_ERR_INPUT, "%s: the operation %s is recorded, its kernels are not here",
                       o->problem->op->text.file, o->problem->op->name)
            : atx_setup_describe(&s->setup, o->problem, o->slots, err);
    ATX_THEN(status, make_contents(s, o, err));
    if (status == AT_OK && o->answer)
        status = make_answer(s, o, err);
    if (status != AT_OK) {
        atx_instance_close(s);
        return status;
    }
    *out = s;
    return AT_OK;
}

void atx_instance_close(atx_instance *s)
{
    if (!s)
        return;
    for (int i = 0; i < ATX_MAX_ARGS; i++) {
        free(s->begin[i]);
        free(s->expected[i]);
    }
    atx_program_close(&s->validators);
    free(s);
}

const atx_buffer *atx_instance_buffer(const unsigned char **begin, const atx_instance *s, int buffer)
{
    *begin = buffer < s->setup.buffer_count ? s->begin[buffer] : NULL;
    return buffer < s->setup.buffer_count ? &s->setup.buffers[buffer] : NULL;
}

at_status atx_instance_run(unsigned char *out[ATX_MAX_ARGS], atx_instance *s, const atx_program *p,
                           at_error *err)
{
    memset(out, 0, ATX_MAX_ARGS * sizeof *out);
    return answer(out, s, p, NULL, "the kernel", err);
}

at_status atx_instance_count(atx_tally *tally, atx_sample *sample, atx_instance *s, const atx_program *p,
                             int64_t most_blocks, at_error *err)
{
    ATX_CLOSED(atx_machine) *machine = NULL;
    atx_machine_result result;
    int regions[ATX_MAX_ARGS];
    const atx_run_options how = { .tally = tally, .sample = sample, .most_blocks = most_blocks };
    *sample = (atx_sample){ 0, 0 };
    ATX_TRY(atx_instance_set_up(&machine, regions, s, p, NULL, err));
    ATX_TRY(atx_instance_run_all(&result, machine, regions, p, &how, err));
    if (result.finding.kind != ATX_FINDING_NONE)
        return atx_fail(err, AT_ERR_INPUT, "%s:%d: %s", result.finding.file ? result.finding.file : "?",
                        (int)result.finding.line, result.finding.text);
    return AT_OK;
}
