/* instance_try.c - a candidate on a problem instance: watched, validated, and run once more in another order.
 */
#include "explain/instance_internal.h"

#include "declare/data.h"
#include "explain/validate.h"

#include <stdio.h>
#include <string.h>

/*
 * Instructions of all threads that a candidate may take: many times those of the reference, a second at least
 * and minutes at most. Whatever is slower than that by no more than its size is no loop without an end.
 */
#define FEWEST_STEPS ((int64_t)1 << 26)
enum { SLOWER = 32, ENDLESS = 4096, OF_A_THREAD = 4096 };

static int64_t steps_of(const atx_instance *s)
{
    const int64_t steps = s->work < ATX_MOST_STEPS / SLOWER ? SLOWER * s->work : ATX_MOST_STEPS;
    return steps > FEWEST_STEPS ? steps : FEWEST_STEPS;
}

/* A kernel of the op's validates one output: how many elements are wrong, and the first of them. */
static at_status ask_validator(uint64_t said[2], const atx_instance *s, unsigned char *const *got, int number,
                               at_error *err)
{
    const atx_program *p = &s->validators;
    const atx_run_options how = { .inspector = NULL };
    ATX_CLOSED(atx_machine) *machine = NULL;
    atx_machine_result result;
    uint64_t values[ATX_MAX_ARGS + 1];
    void *params[2 * ATX_MAX_ARGS + 1];
    atx_params room;
    int regions[ATX_MAX_ARGS], region = -1, count = p->kernel.arg_count, more = 0;
    said[0] = 0;
    said[1] = UINT64_MAX;
    at_status status = atx_instance_set_up(&machine, regions, s, p, got, err);
    size_t at = 0;
    atx_kernel_launch first;
    if (status == AT_OK && atx_kernel_next(&first, &p->kernel, &at))
        atx_instance_params(params, &room, machine, regions, &p->kernel, &first);
    for (int i = 0; i < s->setup.buffer_count && status == AT_OK; i++) {
        if (!atx_role_is_output(s->setup.buffers[i].role))
            continue;
        const atx_machine_buffer right = { "the right answer", s->setup.buffers[i].bytes, ATX_FULL_ALIGN,
                                           ATX_REGION_READ_ONLY | ATX_REGION_INITIALISED, s->expected[i] };
        status = atx_machine_add_buffer(&region, machine, &right, err);
        if (status == AT_OK)
            values[more++] = atx_machine_region_at(machine, region)->address;
    }
    ATX_THEN(status, atx_machine_add_buffer(
                         &region, machine,
                         &(atx_machine_buffer){ "wrong", 16, 16, ATX_REGION_INITIALISED, said }, err));
    if (status == AT_OK) {
        values[more++] = atx_machine_region_at(machine, region)->address;
        for (int i = 0; i < more; i++)
            params[count + i] = &values[i];
        const atx_program_launch what = { p,     number, &p->kernel.geometry, p->kernel.args,
                                          count, params, count + more };
        status = atx_instance_launch(&result, machine, &what, &how, err);
    }
    if (status == AT_OK && result.finding.kind != ATX_FINDING_NONE)
        status = atx_fail(err, AT_ERR_INPUT, "the kernel that validates: %s", result.finding.text);
    if (status == AT_OK)
        memcpy(said, atx_machine_region_at(machine, region)->data, 2 * sizeof *said);
    return status;
}

/* `flaw`: the fault, and the element if it is known. */
static void add_wrong(atx_flaws *flaws, const atx_run_options *how, const atx_flaw *flaw)
{
    atx_flaw f = *flaw;
    snprintf(f.what, sizeof f.what, "%s%.270s", how->reversed ? "when the last block runs first: " : "",
             flaw->what);
    f.kind = ATX_FLAW_WRONG_RESULT;
    f.instruction = -1;
    atx_flaws_add(flaws, &f);
}

static at_status validate(atx_flaws *flaws, const atx_instance *s, atx_machine *machine, const int *regions,
                          const atx_run_options *how, at_error *err)
{
    unsigned char *got[ATX_MAX_ARGS] = { NULL };
    flaws->checked++;
    for (int i = 0; i < s->setup.buffer_count; i++)
        if (atx_role_is_output(s->setup.buffers[i].role))
            got[i] = atx_machine_region_at(machine, regions[i])->data;
    for (int i = 0; i < s->setup.buffer_count; i++) {
        const atx_buffer *b = &s->setup.buffers[i];
        uint64_t said[2] = { 0, UINT64_MAX };
        atx_flaw wrong = { .line = 0 };
        if (!got[i])
            continue;
        if (b->check.rule == ATX_BY && b->validator)
            ATX_TRY(ask_validator(said, s, got, b->validator - 1, err));
        if (!atx_validate(&wrong, b, got[i], s->expected[i], said))
            add_wrong(flaws, how, &wrong);
    }
    return AT_OK;
}

/*
 * Whether some output is another one when shared memory holds other bits before it is written: many kernels
 * read more than they use, at the end of a row, and are right.
 */
static at_status depends_on_garbage(bool *out, const atx_instance *s, const atx_program *p,
                                    const atx_machine *first, const int *first_regions, at_error *err)
{
    const atx_run_options how = { .swapped = 0xff, .most_steps = steps_of(s), .of_a_thread = OF_A_THREAD };
    ATX_CLOSED(atx_machine) *machine = NULL;
    atx_machine_result result;
    int regions[ATX_MAX_ARGS];
    at_status status = atx_instance_set_up(&machine, regions, s, p, NULL, err);
    ATX_THEN(status, atx_instance_run_all(&result, machine, regions, p, &how, err));
    *out = status == AT_OK && result.finding.kind != ATX_FINDING_NONE;
    for (int i = 0; i < s->setup.buffer_count && status == AT_OK; i++)
        if (atx_role_is_output(s->setup.buffers[i].role))
            *out = *out || memcmp(atx_machine_region_at(machine, regions[i])->data,
                                  atx_machine_region_at(first, first_regions[i])->data,
                                  (size_t)s->setup.buffers[i].bytes) != 0;
    return status;
}

static at_status take_flaws(atx_flaws *flaws, const atx_instance *s, const atx_program *p,
                            const atx_machine *machine, const int *regions, const atx_inspector *inspector,
                            at_error *err)
{
    const atx_flaws *all = atx_inspector_flaws(inspector);
    bool doubtful = false, only = true, matters = true;
    for (int i = 0; i < all->count; i++) {
        doubtful = doubtful || all->items[i].may_not_matter;
        only = only && all->items[i].may_not_matter;
    }
    at_status status = doubtful && only ? depends_on_garbage(&matters, s, p, machine, regions, err) : AT_OK;
    for (int i = 0; i < all->count && status == AT_OK; i++)
        if (matters || !all->items[i].may_not_matter)
            atx_flaws_copy(flaws, &all->items[i]);
    flaws->dropped += all->dropped;
    return status;
}

/* How the launches ended. Of one that takes so long nothing is known, unless a flaw was found by then. */
static at_status take_end(atx_inspector *inspector, const atx_instance *s, const atx_machine_result *result,
                          at_error *err)
{
    const double times = (double)result->steps / (double)(s->work > 0 ? s->work : 1);
    const bool has_end = result->finding.kind != ATX_FINDING_ENDLESS;
    if (has_end || result->finding.waits || times > ENDLESS)
        atx_inspector_take(inspector, result);
    if (has_end || atx_inspector_flaws(inspector)->count > 0)
        return AT_OK;
    return atx_fail(err, AT_ERR_INPUT,
                    "it has not ended after %.3g instructions, %.3g times what the reference takes: a loop "
                    "without an end, or much work; name a smaller shape",
                    (double)result->steps, times);
}

static bool has_many_blocks(const atx_program *p)
{
    bool many = false;
    size_t at = 0;
    for (atx_kernel_launch one; !many && atx_kernel_next(&one, &p->kernel, &at);)
        many = one.geometry.grid[0] * one.geometry.grid[1] * one.geometry.grid[2] > 1;
    return many;
}

/*
 * What was right may have been so because blocks ran in ascending order, or found no bits in shared memory
 * that a block before them left. `steps`: that the kernel took. One that waits for blocks before it does not
 * end here, and nothing is known of it.
 */
static at_status try_turned(atx_flaws *flaws, const atx_instance *s, const atx_program *p, int64_t steps,
                            at_error *err)
{
    const atx_run_options how = { .reversed = true, .most_steps = 4 * steps + ((int64_t)1 << 20) };
    ATX_CLOSED(atx_machine) *machine = NULL;
    atx_machine_result result = { .finding = { .kind = ATX_FINDING_NONE } };
    int regions[ATX_MAX_ARGS];
    atx_flaw wrong = { .line = 0 };
    if (!has_many_blocks(p))
        return AT_OK;
    at_status status = atx_instance_set_up(&machine, regions, s, p, NULL, err);
    ATX_THEN(status, atx_instance_run_all(&result, machine, regions, p, &how, err));
    if (status == AT_OK && result.finding.kind == ATX_FINDING_NONE)
        status = validate(flaws, s, machine, regions, &how, err);
    else if (status == AT_OK && result.finding.kind != ATX_FINDING_ENDLESS) {
        snprintf(wrong.what, sizeof wrong.what, "%s", result.finding.text);
        add_wrong(flaws, &how, &wrong);
    }
    return status;
}

at_status atx_instance_try(atx_flaws *flaws, atx_instance *s, const atx_program *p, at_error *err)
{
    atx_machine *machine = NULL;
    atx_machine_result result;
    int regions[ATX_MAX_ARGS];
    atx_run_options how = { .most_steps = steps_of(s), .of_a_thread = OF_A_THREAD };
    at_status status = atx_instance_set_up(&machine, regions, s, p, NULL, err);
    ATX_THEN(status, atx_inspector_open(&how.inspector, p->module, machine, err));
    ATX_THEN(status, atx_instance_run_all(&result, machine, regions, p, &how, err));
    ATX_THEN(status, take_end(how.inspector, s, &result, err));
    ATX_THEN(status, take_flaws(flaws, s, p, machine, regions, how.inspector, err));
    if (status == AT_OK && result.finding.kind == ATX_FINDING_NONE)
        status = validate(flaws, s, machine, regions, &how, err);
    if (status == AT_OK && flaws->count == 0)
        status = try_turned(flaws, s, p, result.steps, err);
    atx_inspector_close(how.inspector);
    atx_machine_close(machine);
    return status;
}
