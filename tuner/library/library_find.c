/*
 * library_find.c - an at_found: the winner of the problem, or of the nearest one whose
 * configuration is valid here, or else a configuration that is valid at least, with the reason why.
 * Everything shown is owned by the finding (`texts`) or by the catalog, which outlives it.
 */
#include "library/library.h"

#include "lang/arch.h"
#include "lang/layout.h"
#include "lang/metric.h"
#include "lookup/fallback.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void at__finding_close(at__found_parts *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->text_count; i++)
        free(f->texts[i]);
    free(f);
}

at_status at__finding_keep(const char **out, at__found_parts *f, const char *text, at_error *err)
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
    char *copy = f->text_count < AT__FOUND_TEXTS ? at__text_copy(text, size - 1) : NULL;
    if (!copy)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    f->texts[f->text_count++] = copy;
    *out = copy;
    return AT_OK;
}

at_status at__finding_bind(int64_t *slots, const at__found_parts *f, at_error *err)
{
    at_status status = at__problem_bind(slots, &f->problem, &f->limits, err);
    return status == AT_OK ? at__config_bind(slots, f->t, &f->config, err) : status;
}

/* ---- the question ---- */

static at_status read_alignments(at__problem *out, const at_problem *problem, at_error *err)
{
    int aligns = AT_MAX_ALIGNMENTS;
    while (aligns > 0 && !problem->alignments[aligns - 1])
        aligns--;
    if (aligns > 0 && aligns < out->op->align_count) /* the others are 0 */
        aligns = out->op->align_count;
    return at__problem_set_aligns(out, problem->alignments, aligns, err);
}

static at_status read_sizes(at__problem *out, const at__op *op, const at_problem *problem, at_error *err)
{
    int pitches = AT_MAX_PITCHES;
    at_status status =
        at__problem_init(out, op, (at__dtype)problem->type, problem->sizes, problem->size_count, err);
    while (pitches > 0 && !problem->pitches[pitches - 1])
        pitches--;
    if (status == AT_OK)
        status = at__problem_set_pitches(out, problem->pitches, pitches, err);
    return status == AT_OK ? read_alignments(out, problem, err) : status;
}

/* As its canonical form, which may be a problem of another op. */
static at_status read_layout(at__problem *out, const at__catalog *catalog, const at__op *op,
                             const at_problem *problem, at_error *err)
{
    const at_layout *l = &problem->layout;
    at__layout_pair layout = { .rank = problem->size_count == 0 ? l->rank : 0 };
    if (problem->size_count != 0)
        return at_fail(err, AT_ERR_USAGE, "%s: found size_count = %d; expected 0, and a layout (at_permute)",
                       op->name, problem->size_count);
    if (l->rank < 0 || l->rank > AT_MAX_RANK)
        return at_fail(err, AT_ERR_USAGE, "%s: found a layout of rank %d; expected 0 to %d", op->name,
                       l->rank, AT_MAX_RANK);
    memcpy(layout.extents, l->extents, sizeof layout.extents);
    memcpy(layout.in, l->strides_in, sizeof layout.in);
    memcpy(layout.out, l->strides_out, sizeof layout.out);
    at_status status = at__layout_problem(out, op, (at__dtype)problem->type, &layout, err);
    if (status == AT_OK)
        status = read_alignments(out, problem, err);
    return status == AT_OK ? at__layout_reduce(out, catalog, err) : status;
}

static at_status read_problem(at__problem *out, const at__catalog *catalog, const at_problem *problem,
                              const char *broken, at_error *err)
{
    at__str known = { 0 };
    const at__op *op = problem->op ? at__catalog_find_op(catalog, problem->op) : NULL;
    if (op && (problem->size_count < 0 || problem->size_count > AT_MAX_SIZES))
        return at_fail(err, AT_ERR_USAGE, "found size_count = %d; expected 0 to %d", problem->size_count,
                       AT_MAX_SIZES);
    if (op && (unsigned)problem->type >= AT__DTYPES)
        return at_fail(err, AT_ERR_USAGE, "found type %d; expected an at_type", (int)problem->type);
    if (op)
        return op->layout_count ? read_layout(out, catalog, op, problem, err)
                                : read_sizes(out, op, problem, err);
    for (int i = 0; i < at__catalog_op_count(catalog); i++)
        at__str_addf(&known, " %s", at__catalog_op_name(catalog, i));
    at_fail(err, AT_ERR_INPUT, "no operation '%.60s'; expected one of:%s%s%s", problem->op ? problem->op : "",
            at__str_text(&known), broken[0] ? ". Left out was: " : "", broken);
    at__str_clear(&known);
    return AT_ERR_INPUT;
}

/* The device that the answer is for. Without limits and without a capability nothing can be checked. */
static at_status take_device(at__found_parts *f, const at__target *target, const at__found *found,
                             const at__limits *limits, at_error *err)
{
    const at__fingerprint *known = found->answer ? &found->answer->fingerprint : NULL;
    bool same = known && found->match != AT__MATCH_OTHER_DEVICE;
    int64_t cc = limits ? limits->cc : target->cc ? target->cc : found->cc;
    int64_t sms = limits ? limits->sms : target->sms ? target->sms : found->sms;
    if (!cc && known)
        cc = known->cc;

    if (limits)
        f->limits = *limits;
    else if (cc)
        at__arch_limits(&f->limits, cc);
    if (sms)
        f->limits.sms = sms;
    if (same && !limits && known->memory_mib > 0)
        f->limits.memory_bytes = at__memory_bytes(known->memory_mib);
    f->shown.cc = (int)cc;
    f->shown.sms = (int)f->limits.sms;
    return at__finding_keep(&f->shown.device, f, same && !limits ? known->device : target->name, err);
}

/* ---- the answer ---- */

static at_status say_why(at__found_parts *f, const char *known, const char *more, at_error *err)
{
    at__str why = { 0 };
    at__str_addf(&why, "%s%s%s", known ? known : "", known && *known && *more ? "; " : "", more);
    at_status status = at__str_status(&why, err);
    if (status == AT_OK)
        status = at__finding_keep(&f->shown.why, f, at__str_text(&why), err);
    at__str_clear(&why);
    return status;
}

/* Whoever asks, for the filter of a fallback. */
typedef struct asking {
    at_tuner *tuner;
    const at__found_parts *f;
    const at__target *target;
} asking;

static at_status check_fallback(void *context, const at__template *t, const at__config *config, at_error *err)
{
    const asking *a = context;
    const at__found_parts *f = a->f;
    at__target here = *a->target;
    here.cc = f->shown.cc;
    if (at__excluded(a->tuner->excluded, &f->problem, f->shown.cc, t, config))
        return AT_ERR_NOT_FOUND;
    return a->tuner->lookup ? at__lookup_usable(a->tuner->lookup, &f->problem, &here, t, config, err) : AT_OK;
}

/* Nothing measured fits: a valid configuration, or the reason why there is none. */
static at_status take_fallback(at__found_parts *f, at_tuner *tuner, const at__target *target, const char *why,
                               const int64_t *slots, at_error *err)
{
    at_error cause = { 0 };
    asking a = { tuner, f, target };
    const at__fallback_filter filter = { check_fallback, &a };
    f->shown.match = AT_MATCH_NONE;
    if (!f->shown.cc)
        return say_why(f, why, "and without a compute capability none can be chosen", err);
    at_status status = at__fallback(&f->t, &f->config, tuner->catalog, f->problem.op, slots, &filter, &cause);
    if (status == AT_ERR_NOT_FOUND)
        return say_why(f, why, cause.text, err);
    if (status != AT_OK)
        return at_fail(err, status, "%s", cause.text);
    snprintf(cause.text, sizeof cause.text, "a valid configuration of template %s stands in, not measured",
             f->t->name);
    return say_why(f, why, cause.text, err);
}

/* Of the problem's own measurement: elsewhere sizes, and so operations and bytes, were others. */
static void show_metrics(at__found_parts *f, const at__winner *w)
{
    const at__op *op = f->problem.op;
    for (int i = 0; i < op->metric_count; i++) {
        f->metrics[i] = (at_metric){ .name = op->metrics[i].name, .value = NAN };
        if (at__metric_value(&f->metrics[i].value, &f->problem, i, AT__RECORD_OF(w), NULL) != AT_OK)
            f->metrics[i].value = NAN;
    }
    f->shown.metrics = f->metrics;
    f->shown.metric_count = op->metric_count;
}

static at_status show_measured(at__found_parts *f, const at__found *found, at_error *err)
{
    at_found *s = &f->shown;
    const at__answer *a = found->answer;
    s->origin = found->shipped ? AT__SHIPPED : "database";
    s->expected_s = found->expected_s;
    s->doubt = found->doubt;
    if (found->by_model)
        return AT_OK; /* nothing was measured */
    s->median_s = a->winner.timing.median_s;
    s->ceiling_s = a->winner.ceiling_s;
    s->gb_per_s = at__answer_gb_per_s(a);
    s->gflop_per_s = at__gflop_per_s(a->ops_count, s->median_s);
    if (found->match == AT__MATCH_EXACT || found->own)
        show_metrics(f, &a->winner);
    at_status status = at__finding_keep(&s->measured_device, f, a->fingerprint.device, err);
    if (status == AT_OK)
        status = at__finding_keep(&s->measured_shape, f, a->shape, err);
    if (status == AT_OK)
        status = at__finding_keep(&s->measured_at, f, a->measured_at, err);
    return status;
}

/* Slots hold the configuration. */
static at_status show_arguments(at__found_parts *f, const int64_t *slots, at_error *err)
{
    const at__op *op = f->problem.op;
    at_status status = AT_OK;
    for (int i = 0; i < op->arg_count && status == AT_OK; i++) {
        const at__arg *arg = &op->args[i];
        at_arg *shown = &f->args[i];
        *shown = (at_arg){ .name = arg->name,
                           .role = (at_role)arg->role,
                           .bytes = arg->scalar_bytes,
                           .type = (at_type)at__arg_type(arg, f->problem.type),
                           .opaque = at__arg_is_storage(op, arg) };
        if (arg->role == AT__SCALAR) {
            status = at__scalar_value(&shown->value, arg, slots, err);
            continue;
        }
        shown->align = at__problem_align_of(&f->problem, i);
        status = at__arg_bytes(&shown->bytes, op, i, slots, err);
    }
    f->shown.args = f->args;
    f->shown.arg_count = op->arg_count;
    return status;
}

/* `known`: the geometry, when the look-up has it already for the same device; else NULL. */
static at_status show_kernel(at__found_parts *f, int64_t *slots, const at__geometry *known, at_error *err)
{
    at_found *s = &f->shown;
    at__geometry g;
    at__str config = { 0 };
    at_status status = AT_OK;

    if (known) {
        g = *known;
    } else {
        status = at__config_bind(slots, f->t, &f->config, err);
        if (status == AT_OK)
            status = at__geometry_of(&g, &f->t->launch, slots, err);
    }
    if (status == AT_OK)
        status = show_arguments(f, slots, err);
    if (status != AT_OK)
        return status;
    memcpy(s->grid, g.grid, sizeof s->grid);
    memcpy(s->block, g.block, sizeof s->block);
    s->shared_bytes = g.shared_bytes;
    s->template_name = f->t->name;
    s->kernel = f->t->kernel;
    at__config_text(&config, f->t, &f->config);
    status = at__str_status(&config, err);
    if (status == AT_OK)
        status = at__finding_keep(&s->config, f, at__str_text(&config), err);
    at__str_clear(&config);
    return status;
}

/* For whom. */
typedef struct asked {
    const at__target *target;
    const at__limits *limits; /* NULL: those of the tables   */
    at__target meant;         /* the device that `target` is */
} asked;

/* An exact answer for the winner's own device was checked by the look-up, once for all. */
static bool is_checked(const at__found *found, const asked *a)
{
    return found->match == AT__MATCH_EXACT && !a->limits && !a->target->cc && !a->target->sms;
}

/* What the look-up has found is not valid on this very device: it is to find something else. False: as much
 * of that was done as may be. */
static at_status find_another(bool *again, at_tuner *tuner, const at__found_parts *f, const at__found *found,
                              at_error *err)
{
    at_error why = { 0 };
    *again = at__exclusions_of(&why, tuner->excluded, &f->problem, f->shown.cc) < AT__EXCLUDED_IN_ALL;
    at_fail(&why, AT_ERR_INPUT, "%s is not valid on this device", found->t->name);
    return *again
               ? at__exclude(tuner->excluded, &f->problem, f->shown.cc, found->t, &found->config, &why, err)
               : AT_OK;
}

/* An answer for this device, and the problem's slots there. *valid: its configuration may be used. */
static at_status find(at__found *found, bool *valid, int64_t *slots, at__found_parts *f, at_tuner *tuner,
                      const asked *a, at_error *err)
{
    bool again = true;
    at_status status = AT_OK;
    while (status == AT_OK && again) {
        again = false;
        if (tuner->lookup)
            status = at__lookup_find(found, tuner->lookup, &f->problem, &a->meant, err);
        if (status == AT_OK)
            status = take_device(f, &a->meant, found, a->limits, err);
        if (status == AT_OK)
            status = at__problem_bind(slots, &f->problem, &f->limits, err);
        if (status != AT_OK)
            return status;
        *valid = found->t && (is_checked(found, a) || at__config_is_valid(slots, found->t, &found->config));
        if (found->t && !*valid)
            status = find_another(&again, tuner, f, found, err);
    }
    return status;
}

static at_status answer(at__found_parts *f, at_tuner *tuner, asked *a, at_error *err)
{
    at__found found = { .match = AT__MATCH_NONE, .why = at__str_text(&tuner->absent) };
    int64_t slots[AT__MAX_SLOTS] = { 0 };
    bool valid = false;

    at_status status = at__library_follow(tuner, err);
    if (status == AT_OK && tuner->lookup)
        status = at__lookup_meant(&a->meant, tuner->lookup, a->target, err);
    if (status == AT_OK)
        status = find(&found, &valid, slots, f, tuner, a, err);
    if (status != AT_OK)
        return status;
    if (valid) {
        f->shown.match = (at_match)found.match;
        f->t = found.t;
        f->config = found.config;
        status = say_why(f, found.match == AT__MATCH_EXACT ? "" : found.why, "", err);
        if (status == AT_OK)
            status = show_measured(f, &found, err);
    } else {
        const char *why = found.t ? "what is known is not valid on this device" : found.why;
        status = take_fallback(f, tuner, &a->meant, why, slots, err);
    }
    const bool known = valid && is_checked(&found, a);
    return status == AT_OK && f->t ? show_kernel(f, slots, known ? &found.geometry : NULL, err) : status;
}

static at_status show_question(at__found_parts *f, at_error *err)
{
    at__str shape = { 0 };
    at_found *s = &f->shown;
    s->op = f->problem.op->name;
    s->type = at__dtype_name(f->problem.type);
    s->why = s->warning = s->device = s->config = s->kernel = "";
    s->measured_device = s->measured_shape = s->measured_at = s->origin = "";
    at__problem_shape(&shape, &f->problem);
    at_status status = at__str_status(&shape, err);
    if (status == AT_OK)
        status = at__finding_keep(&s->shape, f, at__str_text(&shape), err);
    at__str_clear(&shape);
    return status;
}

at_status at__finding_make(at__found_parts **out, at_tuner *tuner, const at_problem *problem,
                           const at__target *target, const at__limits *limits, at_error *err)
{
    at__problem read;
    at_status status = read_problem(&read, tuner->catalog, problem, at__str_text(&tuner->broken), err);
    at_status failed = at__catalog_failure(tuner->catalog, err);
    if (status != AT_OK || failed != AT_OK)
        return failed != AT_OK ? failed : status;
    at__found_parts *f = malloc(sizeof *f);
    if (!f)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    memset(f, 0, offsetof(at__found_parts, room));
    f->problem = read;
    status = show_question(f, err);
    if (status == AT_OK)
        status = answer(f, tuner, &(asked){ target, limits, *target }, err);
    if (status != AT_OK) {
        at__finding_close(f);
        return status;
    }
    *out = f;
    return AT_OK;
}
