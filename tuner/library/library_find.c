/*
 * library_find.c - an at_found: the winner of the problem, or of the nearest one whose configuration is valid
 * here, or else any valid configuration, with the reason. Everything in it is owned by the finding (`texts`)
 * or by the catalog, which outlives it.
 */
#include "library/library.h"

#include "lang/arch.h"
#include "lang/layout.h"
#include "lang/metric.h"
#include "lang/render_pragmas.h"
#include "lookup/fallback.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void atx_finding_close(atx_found_parts *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->text_count; i++)
        free(f->texts[i]);
    atx_unrolled_clear(&f->unrolled);
    free(f);
}

at_status atx_finding_keep(const char **out, atx_found_parts *f, const char *text, at_error *err)
{
    if (!text || !*text) {
        *out = "";
        return AT_OK;
    }
    size_t size = strlen(text) + 1;
    if (size <= sizeof f->room - f->room_used) {
        *out = memcpy(f->room + f->room_used, text, size);
        f->room_used += size;
        return AT_OK;
    }
    char *copy = f->text_count < ATX_FOUND_TEXTS ? atx_text_copy(text, size - 1) : NULL;
    if (!copy)
        return atx_no_memory(err);
    f->texts[f->text_count++] = copy;
    *out = copy;
    return AT_OK;
}

/* The same of a text that was made for it, which is cleared. */
static at_status keep_made(const char **out, atx_found_parts *f, atx_str *text, at_error *err)
{
    at_status status = atx_str_status(text, err);
    ATX_THEN(status, atx_finding_keep(out, f, atx_str_text(text), err));
    atx_str_clear(text);
    return status;
}

at_status atx_finding_bind(int64_t *slots, const atx_found_parts *f, at_error *err)
{
    atx_geometry unused;
    at_status status = atx_problem_bind(slots, &f->problem, &f->limits, err);
    if (status != AT_OK || !f->packed)
        return status == AT_OK ? atx_config_bind(slots, f->t, &f->config, err) : status;
    return atx_pack_allows(&unused, f->packed, slots)
               ? AT_OK
               : atx_fail(err, AT_ERR_INTERNAL, "%s: a pack's kernel is not valid where it was taken",
                          f->problem.op->name);
}

/* ---- the question ---- */

/* Numbers up to the last that is not 0. */
static int count_given(const int64_t *numbers, int most)
{
    while (most > 0 && !numbers[most - 1])
        most--;
    return most;
}

static at_status read_alignments(atx_problem *out, const at_problem *problem, at_error *err)
{
    int aligns = count_given(problem->alignments, AT_MAX_ALIGNMENTS);
    if (aligns > 0 && aligns < out->op->shape.align_count) /* the others are 0 */
        aligns = out->op->shape.align_count;
    return atx_problem_set_aligns(out, problem->alignments, aligns, err);
}

static at_status read_sizes(atx_problem *out, const atx_op *op, atx_dtype type, const at_problem *problem,
                            at_error *err)
{
    ATX_TRY(atx_problem_init(out, op, type, problem->sizes, problem->size_count, err));
    ATX_TRY(
        atx_problem_set_pitches(out, problem->pitches, count_given(problem->pitches, AT_MAX_PITCHES), err));
    return read_alignments(out, problem, err);
}

/* As its canonical form, which may be a problem of another op. */
static at_status read_layout(atx_problem *out, const atx_catalog *catalog, const atx_op *op, atx_dtype type,
                             const at_problem *problem, at_error *err)
{
    const at_layout *l = &problem->layout;
    atx_layout_pair layout = { .rank = problem->size_count == 0 ? l->rank : 0 };
    if (problem->size_count != 0)
        return atx_fail(err, AT_ERR_USAGE,
                        "%s: found %d sizes without an order of dimensions; expected a layout, as at_permute "
                        "fills it, or one in the shape: '8x64x3:2.0.1'",
                        op->name, problem->size_count);
    if (l->rank < 0 || l->rank > ATX_MAX_RANK)
        return atx_fail(err, AT_ERR_USAGE, "%s: found a layout of rank %d; expected 0 to %d", op->name,
                        l->rank, ATX_MAX_RANK);
    memcpy(layout.extents, l->extents, sizeof layout.extents);
    memcpy(layout.in, l->strides_in, sizeof layout.in);
    memcpy(layout.out, l->strides_out, sizeof layout.out);
    ATX_TRY(atx_layout_problem(out, op, type, &layout, err));
    ATX_TRY(read_alignments(out, problem, err));
    return atx_layout_reduce(out, catalog, err);
}

static at_status read_problem(atx_problem *out, const atx_catalog *catalog, const at_problem *problem,
                              const char *broken, at_error *err)
{
    ATX_LOCAL(atx_str) known = { 0 };
    const atx_op *op = problem->op ? atx_catalog_find_op(catalog, problem->op) : NULL;
    if (op && (problem->size_count < 0 || problem->size_count > AT_MAX_SIZES))
        return atx_fail(err, AT_ERR_USAGE, "found size_count = %d; expected 0 to %d", problem->size_count,
                        AT_MAX_SIZES);
    atx_dtype type = ATX_F32;
    if (op && atx_library_dtype(&type, problem->type, err) != AT_OK)
        return AT_ERR_USAGE;
    if (op)
        return op->shape.layout_count ? read_layout(out, catalog, op, type, problem, err)
                                      : read_sizes(out, op, type, problem, err);
    for (int i = 0; i < atx_catalog_op_count(catalog); i++)
        atx_str_addf(&known, " %s", atx_catalog_op_name(catalog, i));
    atx_fail(err, AT_ERR_INPUT, "no operation '%.60s'; expected one of:%s%s%s",
             problem->op ? problem->op : "", atx_str_text(&known), broken[0] ? ". Left out was: " : "",
             broken);
    return AT_ERR_INPUT;
}

/* The device that the answer is for. Without limits and without a capability nothing can be checked. */
static at_status take_device(atx_found_parts *f, const atx_target *target, const atx_found *found,
                             const atx_limits *limits, at_error *err)
{
    const atx_fingerprint *known = found->answer ? &found->answer->fingerprint : NULL;
    bool same = known && found->match != ATX_MATCH_OTHER_DEVICE;
    int64_t cc = limits ? limits->cc : target->cc ? target->cc : found->cc;
    int64_t sms = limits ? limits->sms : target->sms ? target->sms : found->sms;
    if (!cc && known)
        cc = known->cc;

    if (limits)
        f->limits = *limits;
    else if (cc)
        atx_arch_limits(&f->limits, cc);
    if (sms)
        f->limits.sms = sms;
    if (same && !limits && known->memory_mib > 0)
        f->limits.memory_bytes = atx_memory_bytes(known->memory_mib);
    f->cc = (int)cc;
    if (cc)
        snprintf(f->arch, sizeof f->arch, "sm_%d", f->cc);
    f->shown.arch = f->arch;
    f->shown.sms = (int)f->limits.sms;
    return atx_finding_keep(&f->shown.device, f, same && !limits ? known->device : target->name, err);
}

/* ---- the answer ---- */

static at_status say_why(atx_found_parts *f, const char *known, const char *more, at_error *err)
{
    atx_str why = { 0 };
    atx_str_addf(&why, "%s%s%s", known ? known : "", known && *known && *more ? "; " : "", more);
    return keep_made(&f->shown.why, f, &why, err);
}

/* The caller, for the filter of a fallback. */
typedef struct asking {
    at_tuner *tuner;
    const atx_found_parts *f;
    const atx_target *target;
} asking;

static at_status check_fallback(void *context, const atx_template *t, const atx_config *config, at_error *err)
{
    const asking *a = context;
    const atx_found_parts *f = a->f;
    atx_target here = *a->target;
    here.cc = f->cc;
    if (atx_excluded(a->tuner->excluded, &f->problem, f->cc, t, config))
        return AT_ERR_NOT_FOUND;
    return a->tuner->lookup ? atx_lookup_usable(a->tuner->lookup, &f->problem, &here, t, config, err) : AT_OK;
}

/* Nothing measured fits: a valid configuration, or the reason why there is none. */
static at_status take_fallback(atx_found_parts *f, at_tuner *tuner, const atx_target *target, const char *why,
                               const int64_t *slots, at_error *err)
{
    at_error cause = { 0 };
    asking a = { tuner, f, target };
    const atx_fallback_filter filter = { check_fallback, &a };
    f->shown.match = AT_MATCH_NONE;
    if (!f->cc)
        return say_why(f, why, "and without a compute capability none can be chosen", err);
    at_status status = atx_fallback(&f->t, &f->config, tuner->catalog, f->problem.op, slots, &filter, &cause);
    if (status == AT_ERR_NOT_FOUND)
        return say_why(f, why, cause.text, err);
    if (status != AT_OK)
        return atx_fail(err, status, "%s", cause.text);
    snprintf(cause.text, sizeof cause.text, "a valid configuration of template %s stands in, not measured",
             f->t->name);
    return say_why(f, why, cause.text, err);
}

/* Of the problem's own measurement: elsewhere sizes, and so operations and bytes, were others. */
static void show_metrics(atx_found_parts *f, const atx_winner *w)
{
    const atx_op *op = f->problem.op;
    for (int i = 0; i < op->goal.metric_count; i++) {
        f->metrics[i] = (at_metric){ .name = op->goal.metrics[i].name, .value = NAN };
        if (atx_metric_value(&f->metrics[i].value, &f->problem, i, ATX_RECORD_OF(w), NULL) != AT_OK)
            f->metrics[i].value = NAN;
        f->metric_list[i] = &f->metrics[i];
    }
    f->shown.metrics = f->metric_list;
    f->shown.metric_count = op->goal.metric_count;
}

/* Within, 0 means unknown. */
static double known(double value)
{
    return value > 0 ? value : NAN;
}

static at_status show_measured(atx_found_parts *f, const atx_found *found, at_error *err)
{
    at_found *s = &f->shown;
    const atx_answer *a = found->answer;
    s->origin = found->shipped ? ATX_SHIPPED : "database";
    if (found->expected_s > 0) {
        s->expected_s = found->expected_s;
        s->expected_loss = found->expected_loss;
    }
    if (found->by_model)
        return AT_OK; /* nothing was measured */
    s->median_s = known(a->winner.timing.median_s);
    s->ceiling_s = known(a->winner.ceiling_s);
    s->gb_per_s = known(atx_answer_gb_per_s(a));
    s->gflop_per_s = known(atx_gflop_per_s(a->ops_count, a->winner.timing.median_s));
    if (found->match == ATX_MATCH_EXACT || found->own)
        show_metrics(f, &a->winner);
    ATX_TRY(atx_finding_keep(&s->measured_device, f, a->fingerprint.device, err));
    ATX_TRY(atx_finding_keep(&s->measured_shape, f, a->shape, err));
    return atx_finding_keep(&s->measured_at, f, a->measured_at, err);
}

/* The bytes of a struct by value, and where addresses belong. */
static at_status show_struct(at_arg *shown, atx_found_parts *f, const atx_struct *s, const int64_t *slots,
                             at_error *err)
{
    shown->contents = f->structs + f->struct_bytes;
    shown->pointers = f->pointers + f->pointer_count;
    if (f->struct_bytes + s->bytes > ATX_MAX_STRUCT_BYTES || f->pointer_count + s->field_count > ATX_MAX_ARGS)
        return atx_fail(err, AT_ERR_INPUT,
                        "found too many structs by value, with '%s'; expected %d bytes at most", shown->name,
                        ATX_MAX_STRUCT_BYTES);
    f->struct_bytes += s->bytes;
    for (int i = 0; i < s->field_count; i++)
        if (s->fields[i].pointer) {
            f->pointers[f->pointer_count++] =
                (at_pointer){ s->fields[i].offset, atx_arg_buffer(f->problem.op, s->fields[i].arg) };
            shown->pointer_count++;
        }
    return atx_struct_value(f->structs + f->struct_bytes - s->bytes, s, slots, err);
}

/* An argument of the template's own that is a tensor map of a buffer, which stands before it. */
static at_arg shown_map(const atx_found_parts *f, const atx_arg *arg)
{
    at_arg shown = f->args[f->t->call.maps[arg->map - 1].arg];
    shown.name = arg->name;
    shown.role = AT_ROLE_TENSOR_MAP;
    shown.bytes = ATX_TENSOR_MAP_BYTES;
    shown.elements = 1;
    shown.align = 64;
    return shown;
}

/* Those of the operation and the template's own. Slots hold the configuration. */
static at_status show_arguments(atx_found_parts *f, const int64_t *slots, at_error *err)
{
    const atx_op *op = f->problem.op;
    at_found *s = &f->shown;
    const at_arg **buffers = f->lists[ATX_MAX_STEPS];
    at_status status = AT_OK;
    for (int i = 0; i < op->arg_count + (int)f->t->call.own_count && status == AT_OK; i++) {
        const atx_arg *arg = atx_template_arg(f->t, i);
        const atx_struct *structure = atx_arg_struct(op, arg);
        atx_arg_value v = { 0 };
        if (arg->map) {
            f->args[i] = shown_map(f, arg);
            continue;
        }
        status = atx_arg_value_of(&v, &f->problem, f->t, i, slots, err);
        f->args[i] =
            (at_arg){ .name = arg->name,
                      .role = atx_library_role(arg->role),
                      .type = structure ? AT_TYPE_NONE : atx_library_type(atx_arg_type(arg, f->problem.type)),
                      .opaque = structure ? arg->role != ATX_SCALAR : atx_arg_is_storage(op, arg),
                      .buffer = v.buffer,
                      .bytes = v.bytes,
                      .elements = v.elements,
                      .value = v.value,
                      .align = v.align };
        if (structure && arg->role == ATX_SCALAR && status == AT_OK)
            status = show_struct(&f->args[i], f, structure, slots, err);
        if (arg->role != ATX_SCALAR)
            buffers[s->buffer_count++] = &f->args[i];
    }
    s->buffers = buffers;
    return status;
}

static at_status show_launch(atx_found_parts *f, int i, const int64_t *slots, const atx_geometry *known,
                             at_error *err)
{
    const atx_step *of = &f->t->call.steps[i];
    at_launch *shown = &f->launches[i];
    atx_geometry g;
    atx_str kernel = { 0 };
    at_status status = AT_OK;
    if (known)
        g = *known;
    else
        status = atx_geometry_of(&g, &of->launch, slots, err);
    if (status != AT_OK)
        return status;
    *shown = (at_launch){ .dynamic_shared_bytes = g.shared_bytes,
                          .arg_count = of->arg_count,
                          .args = f->lists[i] };
    memcpy(shown->grid, g.grid, sizeof shown->grid);
    memcpy(shown->block, g.block, sizeof shown->block);
    memcpy(shown->cluster, g.cluster, sizeof shown->cluster);
    shown->cooperative = (int)g.cooperative;
    shown->programmatic = (int)g.programmatic;
    shown->carveout = (int)g.carveout;
    for (int k = 0; k < of->arg_count; k++)
        f->lists[i][k] = &f->args[of->args[k]];
    f->launch_list[i] = shown;
    atx_render_kernel(&kernel, f->t, of->kernel, slots);
    return keep_made(&shown->kernel, f, &kernel, err);
}

static void show_variables(atx_found_parts *f)
{
    const atx_op *op = f->problem.op;
    at_found *s = &f->shown;
    for (int i = 0; i < op->arg_count; i++) {
        if (!atx_template_fills(f->t, i))
            continue;
        f->variables[s->variable_count] = (at_variable){ op->args[i].variable, &f->args[i] };
        f->variable_list[s->variable_count] = &f->variables[s->variable_count];
        s->variable_count++;
    }
    s->variables = f->variable_list;
}

/* `known`: the first launch's geometry, when the look-up has it already for the same device; else NULL. */
static at_status show_launches(atx_found_parts *f, const int64_t *slots, const atx_geometry *known,
                               at_error *err)
{
    at_found *s = &f->shown;
    int count = f->t->call.step_count;
    at_status status = show_arguments(f, slots, err);
    for (int i = 0; i < count && status == AT_OK; i++)
        status = show_launch(f, i, slots, i == 0 ? known : NULL, err);
    if (status != AT_OK)
        return status;
    show_variables(f);
    s->launch_count = count;
    s->launches = f->launch_list;
    return f->t->call.loops.count ? atx_finding_unroll(f, slots, err) : AT_OK;
}

static at_status show_template(atx_found_parts *f, int64_t *slots, const atx_geometry *known, at_error *err)
{
    at_found *s = &f->shown;
    atx_str config = { 0 };
    /* Slots of the configuration serve names and expressions; geometry alone may be known. */
    bool bound = known && f->t->call.step_count == 1 && !f->t->call.steps[0].expression;
    at_status status = bound ? AT_OK : atx_config_bind(slots, f->t, &f->config, err);
    ATX_THEN(status, show_launches(f, slots, known, err));
    if (status != AT_OK)
        return status;
    s->template_name = f->t->name;
    atx_config_text(&config, f->t, &f->config);
    return keep_made(&s->config, f, &config, err);
}

/* For whom. */
typedef struct asked {
    const atx_target *target;
    const atx_limits *limits; /* NULL: those of the tables   */
    atx_target meant;         /* the device that `target` is */
} asked;

/* An exact answer for the winner's own device was checked by the look-up, once for all. */
static bool is_checked(const atx_found *found, const asked *a)
{
    return found->match == ATX_MATCH_EXACT && !a->limits && !a->target->cc && !a->target->sms;
}

/* What the look-up has found is not valid on this very device: it is to find something else. False: as much
 * of that was done as may be. */
static at_status find_another(bool *again, at_tuner *tuner, const atx_found_parts *f, const atx_found *found,
                              at_error *err)
{
    at_error ignored;
    *again = atx_exclusions_of(&ignored, tuner->excluded, &f->problem, f->cc).invalid < ATX_EXCLUDED_IN_ALL;
    return *again ? atx_exclude_invalid(tuner->excluded, &f->problem, f->cc, found->t, &found->config, err)
                  : AT_OK;
}

/* An answer for this device, and the problem's slots there. *valid: its configuration may be used. */
static at_status find(atx_found *found, bool *valid, int64_t *slots, atx_found_parts *f, at_tuner *tuner,
                      const asked *a, at_error *err)
{
    bool again = true;
    while (again) {
        again = false;
        if (tuner->lookup)
            ATX_TRY(atx_lookup_find(found, tuner->lookup, &f->problem, &a->meant, err));
        ATX_TRY(take_device(f, &a->meant, found, a->limits, err));
        ATX_TRY(atx_problem_bind(slots, &f->problem, &f->limits, err));
        *valid = found->t && (is_checked(found, a) || atx_config_is_valid(slots, found->t, &found->config));
        if (found->t && !*valid)
            ATX_TRY(find_another(&again, tuner, f, found, err));
    }
    return AT_OK;
}

/* A pack's answer: of no measurement of this problem. */
static at_status take_packed(atx_found_parts *f, const atx_packed *taken, at_error *err)
{
    at_error text = { 0 };
    f->t = taken->kernel->t;
    f->config = taken->kernel->config;
    f->packed = taken->kernel;
    f->packed_code = taken->code;
    f->shown.match = AT_MATCH_PREDICTED;
    f->shown.expected_loss = taken->pack->held_out.mean;
    snprintf(text.text, sizeof text.text, "pack %.100s", taken->name);
    ATX_TRY(atx_finding_keep(&f->shown.origin, f, text.text, err));
    return say_why(f, "", "a kernel of a pack, which is for many sizes", err);
}

/* Is this very problem's winner known, and valid here? */
static at_status find_exact(bool *valid, atx_found_parts *f, at_tuner *tuner, const asked *a, at_error *err)
{
    atx_found found = { .match = ATX_MATCH_NONE };
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    if (tuner->lookup)
        atx_lookup_restrict(tuner->lookup, true, ATX_OUTDATED_NEVER);
    at_status status = find(&found, valid, slots, f, tuner, a, err);
    if (tuner->lookup)
        atx_lookup_restrict(tuner->lookup, false, ATX_OUTDATED_NEVER);
    return status;
}

/* A pack's kernel, where nothing exact is known. *done: there is one. */
static at_status answer_packed(bool *done, atx_found_parts *f, at_tuner *tuner, asked *a, at_error *err)
{
    atx_packed taken;
    bool valid = false;
    at_status status = AT_OK;
    const bool wanted = !tuner->packs.by_default || tuner->no_compile || tuner->packs_only ||
                        (tuner->tuning.budget_s > 0 && tuner->tuning.in_background);
    if (a->limits && wanted)
        atx_packs_read_default(tuner);
    *done =
        a->limits && wanted && atx_packs_take(&taken, &tuner->packs, &f->problem, a->target->name, a->limits);
    if (!*done)
        return AT_OK;
    if (!tuner->packs_only)
        status = find_exact(&valid, f, tuner, a, err);
    *done = !valid;
    if (status == AT_OK && *done)
        status = take_device(f, &a->meant, &(atx_found){ .match = ATX_MATCH_NONE }, a->limits, err);
    if (status == AT_OK && *done)
        status = take_packed(f, &taken, err);
    return status == AT_OK && *done ? show_template(f, taken.slots, &taken.geometry, err) : status;
}

static at_status answer(atx_found_parts *f, at_tuner *tuner, asked *a, at_error *err)
{
    atx_found found = { .match = ATX_MATCH_NONE, .why = atx_str_text(&tuner->absent) };
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    bool valid = false, packed = false;

    at_status status = atx_library_follow(tuner, err);
    if (status == AT_OK && tuner->lookup)
        status = atx_lookup_meant(&a->meant, tuner->lookup, a->target, err);
    ATX_THEN(status, answer_packed(&packed, f, tuner, a, err));
    if (status != AT_OK || packed)
        return status;
    if (tuner->packs_only)
        return atx_fail(err, AT_ERR_NOT_FOUND, "no pack has a kernel for %s %s", f->shown.op, f->shown.shape);
    status = find(&found, &valid, slots, f, tuner, a, err);
    if (status != AT_OK)
        return status;
    if (valid) {
        f->shown.match = atx_library_match(found.match);
        f->t = found.t;
        f->config = found.config;
        status = say_why(f, found.match == ATX_MATCH_EXACT ? "" : found.why, "", err);
        ATX_THEN(status, show_measured(f, &found, err));
    } else {
        const char *why = found.t ? "what is known is not valid on this device" : found.why;
        status = take_fallback(f, tuner, &a->meant, why, slots, err);
    }
    const bool known = valid && is_checked(&found, a);
    return status == AT_OK && f->t ? show_template(f, slots, known ? &found.geometry : NULL, err) : status;
}

static at_status show_question(atx_found_parts *f, at_error *err)
{
    atx_str shape = { 0 };
    at_found *s = &f->shown;
    s->parts = f;
    s->arch = "";
    s->median_s = s->gb_per_s = s->ceiling_s = s->gflop_per_s = s->expected_s = s->expected_loss = NAN;
    s->op = f->problem.op->name;
    s->type = atx_dtype_name(f->problem.type);
    s->why = s->warning = s->device = s->config = "";
    s->measured_device = s->measured_shape = s->measured_at = s->origin = "";
    atx_problem_shape(&shape, &f->problem);
    return keep_made(&s->shape, f, &shape, err);
}

at_status atx_finding_make(atx_found_parts **out, at_tuner *tuner, const at_problem *problem,
                           const atx_target *target, const atx_limits *limits, at_error *err)
{
    atx_problem read;
    at_status status = read_problem(&read, tuner->catalog, problem, atx_str_text(&tuner->broken), err);
    at_status failed = atx_catalog_failure(tuner->catalog, err);
    if (status != AT_OK || failed != AT_OK)
        return failed != AT_OK ? failed : status;
    atx_found_parts *f = malloc(sizeof *f);
    if (!f)
        return atx_no_memory(err);
    memset(f, 0, offsetof(atx_found_parts, args));
    f->problem = read;
    status = show_question(f, err);
    ATX_THEN(status, answer(f, tuner, &(asked){ target, limits, *target }, err));
    if (status != AT_OK) {
        atx_finding_close(f);
        return status;
    }
    *out = f;
    return AT_OK;
}
