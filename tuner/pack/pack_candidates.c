/*
 * pack_candidates.c - for each problem that was drawn, the model names the best few configurations; together
 * they are what a pack may be chosen from. A configuration whose source has constants of the sizes is a
 * kernel for each combination of them that was met.
 */
#include "lookup/fallback.h"
#include "pack/pack_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEST = 6, ASKED = 64 }; /* of a problem; and of these the best of each other template */

/*
 * What the general form costs, which the model has not learned of: it knows kernels that have their sizes as
 * constants where `fixed` says so, and no configuration where its template would prefer another. A share of
 * the time and a time, by the table in README.md: arguments instead of constants; each const with the value
 * that is right for all sizes and not the one for these; sizes that the template would not choose it for; a
 * template that stands in for others; tiles that are counted in a flat grid.
 */
typedef struct cost {
    double share, seconds;
} cost;

static const cost OF_ARGUMENTS = { 0.003, 0.02e-6 };
static const cost OF_CONST = { 0.003, 0.01e-6 };
static const cost OF_PREFERENCES = { 0.05, 0 };
static const cost OF_REPLACING_UNPREFERRED = { 0.25, 0 };
static const cost OF_REPLACING = { 0.05, 0.05e-6 };
static const cost OF_LAUNCH = { 0, 0.11e-6 };
#define LEAST_S       1e-6 /* no launch takes less, whatever a model says of problems of a few bytes */
#define UNKNOWN_RATIO 1.5F
#define OTHER_RATIO   1.2F /* not the one that won near by */
#define LEAST_RATIO   0.5F /* to the best of a problem: a model that says less is wrong */

/* The lets, where those that are constants of the compiled source have its values: also where the sizes would
 * make another one that is as right. */
static bool bind_lets(int64_t *slots, const atx_pack_kernel *k)
{
    int n = 0;
    for (size_t i = 0; i < k->t->scope.let_count; i++) {
        const atx_let *let = &k->t->scope.lets[i];
        if (atx_expr_eval(&slots[let->slot], let->expr, slots, NULL) != AT_OK)
            return false;
        if (!let->rendered || slots[let->slot] == k->consts[n++])
            continue;
        if (!atx_pack_is_general(let, k->consts[n - 1]))
            return false;
        slots[let->slot] = k->consts[n - 1];
    }
    return true;
}

static bool holds_all(const int64_t *slots, const atx_template *t)
{
    int64_t holds;
    for (size_t i = 0; i < t->scope.require_count; i++)
        if (!t->scope.requires[i].prefers &&
            (atx_expr_eval(&holds, t->scope.requires[i].expr, slots, NULL) != AT_OK || !holds))
            return false;
    return true;
}

bool atx_pack_is_general(const atx_let *let, int64_t value)
{
    return let->general && (let->any || let->general_value == value);
}

static bool are_narrow(const atx_op *op, const int64_t *slots)
{
    int64_t value;
    for (int i = 0; i < op->arg_count; i++)
        if (op->args[i].role == ATX_SCALAR && op->args[i].type == ATX_I64 &&
            (atx_scalar_value(&value, &op->args[i], slots, NULL) != AT_OK || value < 0 || value > UINT32_MAX))
            return false;
    return true;
}

bool atx_pack_allows(atx_geometry *geometry, const atx_pack_kernel *k, int64_t *slots)
{
    for (int i = 0; i < k->t->scope.param_count; i++) {
        const atx_param *param = &k->t->scope.params[i];
        slots[param->slot] = k->config.values[i];
        for (int l = 0; param->labels && l < param->count; l++)
            slots[param->label_slot + l] = param->values[l];
    }
    return bind_lets(slots, k) && holds_all(slots, k->t) && (!k->narrow || are_narrow(k->t->op, slots)) &&
           atx_geometry_of(geometry, &k->t->call.steps[0].launch, slots, NULL) == AT_OK;
}

/* Slots are those of a valid configuration. false: it has too many constants. */
static bool take_consts(atx_pack_kernel *k, const int64_t *slots)
{
    int n = 0;
    for (size_t i = 0; i < k->t->scope.let_count; i++) {
        if (!k->t->scope.lets[i].rendered)
            continue;
        if (n == ATX_PACK_MAX_CONSTS)
            return false;
        k->consts[n++] = slots[k->t->scope.lets[i].slot];
    }
    return true;
}

/*
 * The same with the values that are right for all sizes. false: it has them. `rare`: which of its consts have
 * another value than this kernel's for few sizes only; those stay. NULL: none.
 */
static bool make_general(atx_pack_kernel *k, const bool *rare)
{
    bool changed = false;
    for (size_t i = 0, n = 0; i < k->t->scope.let_count; i++) {
        const atx_let *let = &k->t->scope.lets[i];
        if (!let->rendered)
            continue;
        if (let->general && !let->any && k->consts[n] != let->general_value && !(rare && rare[n])) {
            k->consts[n] = let->general_value;
            changed = true;
        }
        n++;
    }
    return changed;
}

/* A const that is the same for all sizes, and has another value for a pack: how the template is launched. */
static bool is_of_launch(const atx_let *let)
{
    bool any[ATX_MAX_SLOTS];
    memset(any, true, sizeof any);
    return let->general && !let->any && !atx_expr_reads_any(let->expr, any);
}

enum { MOST_ASKED = 64, RARE = 8 }; /* problems; one of so many */

/* For which of its consts the problems that its configuration is valid for rarely make another value than it
 * has. Those of the launch are none. */
static void find_rare(bool *rare, const atx_pack_kernel *k, const atx_pack_sample *samples, int count)
{
    int other[ATX_PACK_MAX_CONSTS] = { 0 }, valid = 0;
    for (int p = 0; p < count && valid < MOST_ASKED; p++) {
        int64_t slots[ATX_MAX_SLOTS];
        memcpy(slots, samples[p].slots, sizeof slots);
        if (atx_config_validate(slots, k->t, &k->config, NULL) != AT_OK)
            continue;
        valid++;
        for (size_t i = 0, n = 0; i < k->t->scope.let_count; i++)
            if (k->t->scope.lets[i].rendered) {
                other[n] += slots[k->t->scope.lets[i].slot] != k->consts[n];
                n++;
            }
    }
    for (size_t i = 0, n = 0; i < k->t->scope.let_count; i++)
        if (k->t->scope.lets[i].rendered) {
            rare[n] = other[n] * RARE < valid && !is_of_launch(&k->t->scope.lets[i]);
            n++;
        }
}

static bool is_same(const atx_pack_kernel *a, const atx_pack_kernel *b)
{
    return a->t == b->t && memcmp(&a->config, &b->config, sizeof a->config) == 0 &&
           memcmp(a->consts, b->consts, sizeof a->consts) == 0;
}

/* Templates that the written code cannot launch. */
static bool is_plain(const atx_template *t)
{
    const atx_launch *l = &t->call.steps[0].launch; /* a plain one */
    if (t->call.step_count != 1 || t->call.steps[0].expression || t->build.sources.count ||
        t->call.loops.count || l->cluster[0] || l->cooperative || l->carveout ||
        (t->op->shape.layout_count && !t->scope.fixed)) /* it has the layout as constants */
        return false;
    for (size_t i = 0; i < t->call.own_count; i++)
        if (t->call.own[i].map || t->call.own[i].structure || atx_dtype_is_real(t->call.own[i].type))
            return false;
    for (int i = 0; i < t->op->arg_count; i++)
        if (atx_template_fills(t, i))
            return false;
    return true;
}

int atx_pack_forms(atx_pack_kernel forms[2], const atx_pack_kernel *kernel, int64_t *slots)
{
    forms[0] = *kernel;
    forms[0].narrow = kernel->narrow && kernel->t->scope.fixed;
    if (!is_plain(kernel->t) || atx_config_bind(slots, kernel->t, &kernel->config, NULL) != AT_OK ||
        !take_consts(&forms[0], slots))
        return 0;
    forms[1] = forms[0];
    return 1 + make_general(&forms[1], NULL);
}

static bool has(const atx_pack_candidates *c, const atx_pack_kernel *kernel)
{
    int i = 0;
    while (i < c->count && !is_same(&c->kernels[i], kernel))
        i++;
    return i < c->count;
}

static at_status add(atx_pack_candidates *c, const atx_pack_kernel *kernel, at_error *err)
{
    if (has(c, kernel))
        return AT_OK;
    if (c->count == c->cap) {
        const int cap = c->cap ? 2 * c->cap : 64;
        atx_pack_kernel *more = realloc(c->kernels, (size_t)cap * sizeof *more);
        if (!more)
            return atx_no_memory(err);
        c->kernels = more;
        c->cap = cap;
    }
    c->kernels[c->count++] = *kernel;
    return AT_OK;
}

/* A kernel in its forms: with the constants of these sizes; with all that are general so; with those general
 * that would else be another one for many sizes. */
static at_status add_forms(atx_pack_candidates *c, const atx_pack_kernel *kernel,
                           const atx_pack_sample *samples, int count, at_error *err)
{
    bool rare[ATX_PACK_MAX_CONSTS];
    atx_pack_kernel general = *kernel, half = *kernel;
    if (has(c, kernel)) /* and so its forms */
        return AT_OK;
    at_status status = add(c, kernel, err);
    if (status != AT_OK || !make_general(&general, NULL))
        return status;
    status = add(c, &general, err);
    find_rare(rare, kernel, samples, count);
    if (status == AT_OK && make_general(&half, rare))
        status = add(c, &half, err);
    return status;
}

/* Is it the first of its template? */
static bool is_first(const atx_guess *guesses, int i)
{
    for (int k = 0; k < i; k++)
        if (guesses[k].t == guesses[i].t)
            return false;
    return true;
}

static bool find_winner(atx_found *out, const atx_pack_request *request, const atx_pack_sample *s)
{
    return request->winners &&
           atx_lookup_find(out, request->winners, &s->problem, request->target, NULL) == AT_OK && out->t;
}

static at_status add_one(atx_pack_candidates *c, const atx_pack_kernel *kernel, atx_pack_sample *s,
                         const atx_pack_sample *samples, int problems, at_error *err)
{
    atx_pack_kernel forms[2];
    atx_geometry unused;
    return atx_pack_forms(forms, kernel, s->slots) && atx_pack_allows(&unused, &forms[0], s->slots)
               ? add_forms(c, &forms[0], samples, problems, err)
               : AT_OK;
}

/* Of an operation that no model knows: what won for a problem near to it, and what its templates declare as
 * defaults. */
static at_status add_default(atx_pack_candidates *c, const atx_pack_request *request, atx_pack_sample *s,
                             const atx_pack_sample *samples, int problems, at_error *err)
{
    atx_pack_kernel k = { .example = s->problem, .narrow = atx_pack_is_narrow(request->domain) };
    atx_found found;
    at_status status = AT_OK;
    if (find_winner(&found, request, s)) {
        k.t = found.t;
        k.config = found.config;
        status = add_one(c, &k, s, samples, problems, err);
    }
    if (status != AT_OK)
        return status;
    status = atx_fallback(&k.t, &k.config, request->catalog, s->problem.op, s->slots, NULL, err);
    if (status != AT_OK)
        return status == AT_ERR_NOT_FOUND ? AT_OK : status;
    return add_one(c, &k, s, samples, problems, err);
}

/* The n-th of all values of the parameters; false: there are fewer. */
static bool take_configuration(atx_config *out, const atx_template *t, int n)
{
    for (int i = 0; i < t->scope.param_count; i++) {
        const atx_param *p = &t->scope.params[i];
        out->values[i] = p->values[n % p->count];
        n /= p->count;
    }
    return n == 0;
}

/* All configurations of the templates that stand in for others: no model names them. */
static at_status add_replacing(atx_pack_candidates *c, const atx_pack_request *request, atx_pack_sample *s,
                               const atx_pack_sample *samples, int problems, at_error *err)
{
    const atx_op *op = s->problem.op;
    at_status status = AT_OK;
    for (int i = 0; i < atx_catalog_template_count(request->catalog, op) && status == AT_OK; i++) {
        atx_pack_kernel k = { .t = atx_catalog_template(request->catalog, op, i),
                              .example = s->problem,
                              .narrow = atx_pack_is_narrow(request->domain) };
        if (!k.t->replace_count)
            continue;
        for (int n = 0; status == AT_OK && take_configuration(&k.config, k.t, n); n++)
            status = add_one(c, &k, s, samples, problems, err);
    }
    return status;
}

/* A template that is not the best of any problem may serve more sizes with one kernel than those that are. */
static at_status add_best(atx_pack_candidates *c, const atx_pack_request *request, atx_pack_sample *s,
                          const atx_pack_sample *samples, int problems, at_error *err)
{
    atx_guess guesses[ASKED];
    int count = 0;
    at_status status = add_replacing(c, request, s, samples, problems, err);
    if (status != AT_OK || !request->predictor)
        return status == AT_OK ? add_default(c, request, s, samples, problems, err) : status;
    status = atx_predictor_top(guesses, &count, ASKED, request->predictor, &s->problem, s->slots, err);
    if (status == AT_ERR_NOT_FOUND)
        return AT_OK;
    for (int i = 0; i < count && status == AT_OK; i++) {
        const atx_pack_kernel k = { .t = guesses[i].t,
                                    .config = guesses[i].config,
                                    .example = s->problem,
                                    .narrow = atx_pack_is_narrow(request->domain) };
        if (i < BEST || is_first(guesses, i))
            status = add_one(c, &k, s, samples, problems, err);
    }
    return status;
}

static bool has_constant_sizes(const atx_template *t, const int64_t *slots)
{
    int64_t now = 0;
    return t->scope.fixed && atx_expr_eval(&now, t->scope.fixed, slots, NULL) == AT_OK && now;
}

/* How the kernel's consts differ from those that its configuration has for the sizes. */
typedef struct differences {
    int sizes;   /* that have another value, as it is right for all sizes */
    bool launch; /* the launch is that of a search, and not that for a pack */
} differences;

/* Slots are those of the kernel where it is valid. */
static differences compare_consts(const atx_pack_kernel *k, const int64_t *slots)
{
    differences d = { 0, false };
    int64_t natural[ATX_MAX_SLOTS];
    int n = 0;
    memcpy(natural, slots, sizeof natural);
    if (atx_config_bind(natural, k->t, &k->config, NULL) != AT_OK)
        return (differences){ 1, true };
    for (size_t i = 0; i < k->t->scope.let_count; i++) {
        const atx_let *let = &k->t->scope.lets[i];
        if (!let->rendered)
            continue;
        const int64_t value = k->consts[n++];
        if (is_of_launch(let))
            d.launch |= value != let->general_value;
        else
            d.sizes += natural[let->slot] != value && !let->any;
    }
    return d;
}

static bool replaces(const atx_template *t, const char *name)
{
    bool found = false;
    for (int i = 0; i < t->replace_count; i++)
        found = found || strcmp(t->replaces[i], name) == 0;
    return found;
}

/* Of a template that stands in for others: as fast as the best configuration of these, or as the last one
 * that is listed. false: nothing is known. */
static bool replaced_guess(atx_guess *out, const atx_template *t, const atx_guess *top, int count)
{
    int i = 0;
    while (i < count - 1 && !replaces(t, top[i].t->name))
        i++;
    if (count)
        *out = top[i];
    return count > 0;
}

bool atx_pack_prefers(const atx_pack_kernel *k, const int64_t *slots)
{
    int64_t natural[ATX_MAX_SLOTS];
    memcpy(natural, slots, sizeof natural);
    return atx_config_validate(natural, k->t, &k->config, NULL) == AT_OK;
}

static double share_of(cost c, double time_s)
{
    return c.share + c.seconds / fmax(time_s, LEAST_S);
}

/* Of an operation that no model knows, made up so that a winner is chosen before what is only valid. */
static float unknown_ratio(const atx_pack_kernel *k, const atx_found *winner, bool preferred)
{
    if (winner && winner->t == k->t && memcmp(&winner->config, &k->config, sizeof k->config) == 0)
        return 1;
    return preferred && winner ? OTHER_RATIO : preferred ? 1 : UNKNOWN_RATIO;
}

/* What is known of a problem. */
typedef struct knowledge {
    const atx_found *winner; /* NULL: none */
    atx_guess top[ASKED];    /* of the model, the best first */
    int count;
} knowledge;

static bool guess_of(atx_guess *out, const atx_pack_kernel *k, const atx_pack_request *request,
                     const knowledge *known, const atx_pack_sample *s)
{
    return k->t->replace_count
               ? replaced_guess(out, k->t, known->top, known->count)
               : atx_predictor_of(out, request->predictor, &s->problem, s->slots, k->t, &k->config);
}

/* Time over the best of the problem; ATX_PACK_INVALID + 1: not valid. */
static float ratio_of(const atx_pack_kernel *k, const atx_pack_request *request, const knowledge *known,
                      atx_pack_sample *s)
{
    atx_geometry unused;
    atx_guess guess;
    if (!atx_pack_allows(&unused, k, s->slots))
        return ATX_PACK_INVALID + 1;
    const bool preferred = atx_pack_prefers(k, s->slots);
    if (!request->predictor)
        return unknown_ratio(k, known->winner, preferred);
    if (!guess_of(&guess, k, request, known, s))
        return UNKNOWN_RATIO; /* with constants of these sizes it would not be valid */
    double ratio = 1 + guess.slower;
    if (has_constant_sizes(k->t, s->slots))
        ratio *= 1 + share_of(OF_ARGUMENTS, guess.time_s);
    const differences d = compare_consts(k, s->slots);
    ratio *= 1 + d.sizes * share_of(OF_CONST, guess.time_s);
    if (d.launch)
        ratio *= 1 + share_of(OF_LAUNCH, guess.time_s);
    if (!preferred)
        ratio *= 1 + (k->t->replace_count ? OF_REPLACING_UNPREFERRED : OF_PREFERENCES).share;
    if (k->t->replace_count)
        ratio *= 1 + share_of(OF_REPLACING, guess.time_s);
    return ratio > ATX_PACK_INVALID ? ATX_PACK_INVALID : ratio < LEAST_RATIO ? LEAST_RATIO : (float)ratio;
}

/* A row of losses: over the best that the model knows, or that one of these kernels is. */
static void fill_row(float *row, const atx_pack_kernel *kernels, int count, const atx_pack_request *request,
                     atx_pack_sample *s)
{
    atx_found found;
    knowledge known = { .winner = !request->predictor && find_winner(&found, request, s) ? &found : NULL };
    float best = ATX_PACK_INVALID;
    if (request->predictor && atx_predictor_top(known.top, &known.count, ASKED, request->predictor,
                                                &s->problem, s->slots, NULL) == AT_OK)
        best = known.top[0].slower < LEAST_RATIO - 1 ? LEAST_RATIO : (float)(1 + known.top[0].slower);
    for (int k = 0; k < count; k++) {
        row[k] = ratio_of(&kernels[k], request, &known, s);
        best = row[k] < best ? row[k] : best;
    }
    for (int k = 0; k < count; k++)
        row[k] = row[k] > ATX_PACK_INVALID ? ATX_PACK_INVALID : row[k] / best - 1;
}

void atx_pack_candidates_keep(atx_pack_candidates *c, const bool *keep)
{
    size_t to = 0;
    int kept = 0;
    for (int p = 0; p < c->problems; p++)
        for (int k = 0; k < c->count; k++)
            if (keep[k])
                c->losses[to++] = c->losses[(size_t)p * (size_t)c->count + (size_t)k];
    for (int k = 0; k < c->count; k++)
        if (keep[k])
            c->kernels[kept++] = c->kernels[k];
    c->count = kept;
}

/*
 * Leaves out kernels that are for one in a hundred problems at most, if any is left for those: their
 * constants are those of a size that hardly any other problem will have. A size that is asked for often is
 * drawn often.
 */
static bool leave_out_rare(atx_pack_candidates *c)
{
    const int least = c->problems / 16 + 1;
    bool *keep = calloc((size_t)c->count + 1, sizeof *keep);
    for (int k = 0; keep && k < c->count; k++) {
        int valid = 0;
        for (int p = 0; p < c->problems; p++)
            valid += c->losses[(size_t)p * (size_t)c->count + (size_t)k] < ATX_PACK_INVALID;
        keep[k] = valid > least;
    }
    for (int p = 0; keep && p < c->problems; p++) {
        const float *row = c->losses + (size_t)p * (size_t)c->count;
        bool answered = false;
        for (int k = 0; k < c->count && !answered; k++)
            answered = keep[k] && row[k] < ATX_PACK_INVALID;
        for (int k = 0; k < c->count && !answered; k++)
            keep[k] = keep[k] || row[k] < ATX_PACK_INVALID;
    }
    if (keep)
        atx_pack_candidates_keep(c, keep);
    free(keep);
    return keep != NULL;
}

at_status atx_pack_candidates_find(atx_pack_candidates *out, const atx_pack_request *request,
                                   atx_pack_sample *samples, int count, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < count && status == AT_OK; i++)
        status = add_best(out, request, &samples[i], samples, count, err);
    if (status != AT_OK)
        return status;
    out->problems = count;
    out->losses = malloc(((size_t)count * (size_t)out->count + 1) * sizeof *out->losses);
    if (!out->losses)
        return atx_no_memory(err);
    for (int i = 0; i < count; i++)
        fill_row(out->losses + (size_t)i * (size_t)out->count, out->kernels, out->count, request,
                 &samples[i]);
    return leave_out_rare(out) ? AT_OK : atx_no_memory(err);
}

void atx_pack_candidates_clear(atx_pack_candidates *candidates)
{
    free(candidates->kernels);
    free(candidates->losses);
    *candidates = (atx_pack_candidates){ 0 };
}

float *atx_pack_losses(const atx_pack_kernel *kernels, int kernel_count, const atx_pack_request *request,
                       atx_pack_sample *samples, int count)
{
    float *losses = malloc(((size_t)count * (size_t)kernel_count + 1) * sizeof *losses);
    for (int i = 0; losses && i < count; i++)
        fill_row(losses + (size_t)i * (size_t)kernel_count, kernels, kernel_count, request, &samples[i]);
    return losses;
}
