/*
 * pack.c - makes a pack: problems are drawn, candidates found, kernels chosen, the tree grown; other problems
 * tell what it loses. Equal requests give equal packs.
 */
#include "pack/pack_internal.h"

#include "lang/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

static at_status draw_all(atx_pack_sample **out, int count, atx_pack_use use, atx_rng *rng,
                          const atx_pack_request *r, at_error *err)
{
    *out = calloc((size_t)count + 1, sizeof **out);
    if (!*out)
        return atx_no_memory(err);
    for (int i = 0; i < count; i++)
        if (!atx_pack_draw(&(*out)[i], rng, r->domain, use, r->limits))
            return atx_fail(
                err, AT_ERR_INPUT,
                "%s: found no problem with sizes of these ranges that %s allows and %s has memory "
                "for; expected other ranges",
                r->domain->op->name, r->domain->op->name, r->device);
    return AT_OK;
}

/* The listed problems, each once, that fit the device. */
static at_status list_all(atx_pack_sample **out, int *count, const atx_pack_request *r, at_error *err)
{
    const atx_pack_domain *d = r->tries;
    *count = 0;
    *out = calloc((size_t)d->problem_count + 1, sizeof **out);
    if (!*out)
        return atx_no_memory(err);
    for (int i = 0; i < d->problem_count; i++) {
        atx_pack_sample *s = &(*out)[*count];
        s->problem = d->problems[i];
        *count += atx_problem_bind(s->slots, &s->problem, r->limits, NULL) == AT_OK;
    }
    return AT_OK;
}

static int by_loss(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

atx_pack_loss atx_pack_summarize(float *losses, int count)
{
    atx_pack_loss out = { .problems = count };
    qsort(losses, (size_t)count, sizeof *losses, by_loss);
    while (count && losses[count - 1] >= ATX_PACK_INVALID) {
        out.unanswered++;
        count--;
    }
    for (int i = 0; i < count; i++)
        out.mean += (double)losses[i] / count;
    if (count) {
        out.median = losses[count / 2];
        out.p95 = losses[(count - 1) * 95 / 100];
        out.worst = losses[count - 1];
    }
    return out;
}

int atx_pack_take(atx_geometry *geometry, const atx_pack *pack, const atx_problem *problem, int64_t *slots)
{
    const atx_pack_node *leaf = atx_pack_leaf(pack, problem);
    for (int i = 0; i < pack->kernel_count; i++)
        if (atx_pack_allows(geometry, &pack->kernels[leaf->order[i]], slots))
            return leaf->order[i];
    return -1;
}

int atx_pack_find(atx_geometry *geometry, const atx_pack *pack, const atx_problem *problem)
{
    int64_t slots[ATX_MAX_SLOTS];
    if (atx_problem_bind(slots, problem, &pack->limits, NULL) != AT_OK)
        return -1;
    return atx_pack_take(geometry, pack, problem, slots);
}

/* What the pack's answers lose. */
static bool measure(atx_pack_loss *out, const atx_pack *pack, atx_pack_sample *samples, const float *losses,
                    int count)
{
    atx_geometry unused;
    float *lost = malloc(((size_t)count + 1) * sizeof *lost);
    for (int i = 0; lost && i < count; i++) {
        const int k = atx_pack_take(&unused, pack, &samples[i].problem, samples[i].slots);
        lost[i] = k < 0 ? ATX_PACK_INVALID : losses[(size_t)i * (size_t)pack->kernel_count + (size_t)k];
    }
    if (lost)
        *out = atx_pack_summarize(lost, count);
    free(lost);
    return lost != NULL;
}

/* The best of the first n kernels for each problem, for all n. */
static bool draw_curve(atx_pack *pack, const float *losses, int count)
{
    float *lost = malloc(((size_t)count + 1) * sizeof *lost);
    for (int n = 1; lost && n <= pack->kernel_count; n++) {
        for (int i = 0; i < count; i++) {
            const float *row = losses + (size_t)i * (size_t)pack->kernel_count;
            lost[i] = row[0];
            for (int k = 1; k < n; k++)
                lost[i] = row[k] < lost[i] ? row[k] : lost[i];
        }
        pack->curve[n - 1] = atx_pack_summarize(lost, count);
    }
    free(lost);
    return lost != NULL;
}

/* Until which share of the time kernels are measured: to choose, and, of those that were chosen, to grow the
 * trees; how many at most. */
#define SHARE_CHOICE  0.4
#define SHARE_TREES   0.6
#define SHARE_LEARNED 0.4   /* of that of the choice, to learn of an operation that no model knows */
#define DOUBTFUL      0.25F /* what a template loses at most that may be the best all the same */
enum { MEASURED_KERNELS = 96 };

/* Everything that a pack is made of. */
typedef struct making {
    atx_pack *pack;
    const atx_pack_request *r;
    atx_pack_request own; /* what *r is, with a model that was learned on the way */
    atx_pack_learned learned;
    atx_pack_sample *samples, *others; /* to choose by, to try on */
    bool *measured[3];                 /* of those, and of all that trees are grown on */
    int count, other_count;
    atx_pack_candidates c;
    atx_pack_sets sets; /* of the candidates, for each number of kernels */
    int *all;           /* candidates that are in some set; those of the pack first */
    int all_count;
    bool *wrong;     /* which of them were found wrong */
    float *held_out; /* their losses on the others */
    float *grown_on; /* and on those to choose by, which so many further ones follow, for the trees alone */
    int more_count;
} making;

/* Trees are grown on so many times the problems to choose by: of the few kernels that were chosen that costs
 * little. */
enum { MORE = 8 };

/* No model knows what a template takes that stands in for others. */
static bool is_unknown(const atx_pack_kernel *k, float loss, const atx_pack_sample *s)
{
    return k->t->replace_count && loss <= DOUBTFUL && atx_pack_prefers(k, s->slots);
}

/* Of each problem that is not measured the `each` kernels that are expected to be the best. false: out of
 * memory. */
static bool want_best(bool *wanted, const making *m, int each, bool unknown)
{
    const atx_pack_candidates *c = &m->c;
    float *sorted = malloc(((size_t)c->count + 1) * sizeof *sorted);
    for (int p = 0; sorted && p < c->problems; p++) {
        const float *row = c->losses + (size_t)p * (size_t)c->count;
        if (m->measured[0][p])
            continue;
        memcpy(sorted, row, (size_t)c->count * sizeof *sorted);
        qsort(sorted, (size_t)c->count, sizeof *sorted, by_loss);
        const float most = c->count > each ? sorted[each - 1] : ATX_PACK_INVALID;
        for (int k = 0; k < c->count; k++)
            wanted[(size_t)p * (size_t)c->count + (size_t)k] =
                row[k] <= most || (unknown && is_unknown(&c->kernels[k], row[k], &m->samples[p]));
    }
    free(sorted);
    return sorted != NULL;
}

/* In the second half of the time what is expected is corrected by the first: fewer kernels will do. */
static at_status measure_candidates(making *m, at_error *err)
{
    static const int EACH[] = { 24, 16 };
    if (!atx_pack_candidates_cut(&m->c, MEASURED_KERNELS, m->r->kernels))
        return atx_no_memory(err);
    bool *wanted = calloc((size_t)m->c.count * (size_t)m->count + 1, sizeof *wanted);
    const atx_pack_table table = { m->c.kernels, m->samples, m->c.losses, m->measured[0], m->c.count,
                                   m->count,     wanted,     NULL,        false };
    at_status status = wanted ? AT_OK : atx_no_memory(err);
    for (int half = 0; half < 2 && status == AT_OK; half++) {
        if (!want_best(wanted, m, EACH[half], half == 0))
            status = atx_no_memory(err);
        ATX_THEN(status, atx_pack_tuner_measure(m->r->tuner, &table, SHARE_CHOICE * (half + 1) / 2, err));
    }
    free(wanted);
    return status;
}

static at_status find_candidates(making *m, at_error *err)
{
    at_status status = AT_OK;
    if (m->r->tuner && !m->r->predictor) {
        status = atx_pack_tuner_learn(&m->learned, m->r->tuner, m->samples, m->count,
                                      SHARE_CHOICE * SHARE_LEARNED, err);
        m->own.predictor = m->learned.predictor;
    }
    m->pack->unknown = !m->r->predictor;
    ATX_THEN(status, atx_pack_candidates_find(&m->c, m->r, m->samples, m->count, err));
    m->pack->candidates = m->c.count;
    return status == AT_OK && m->r->tuner ? measure_candidates(m, err) : status;
}

static void add_to_all(making *m, int candidate)
{
    for (int i = 0; i < m->all_count; i++)
        if (m->all[i] == candidate)
            return;
    m->all[m->all_count++] = candidate;
}

static at_status choose(making *m, at_error *err)
{
    const int kernels = m->r->kernels;
    const int most = kernels > 0 && kernels < ATX_PACK_MAX_KERNELS ? kernels : ATX_PACK_MAX_KERNELS;
    const int count = atx_pack_choose_codes(&m->sets, m->pack, most, m->r->within, &m->c);
    free(m->all);
    free(m->wrong);
    m->all = calloc((size_t)m->c.count + 1, sizeof *m->all);
    m->wrong = calloc((size_t)m->c.count + 1, sizeof *m->wrong);
    m->all_count = 0;
    if (count < 0 || !m->all || !m->wrong)
        return atx_no_memory(err);
    if (count == 0)
        return atx_fail(err, AT_ERR_INPUT,
                        "%s: found no kernel that is valid%s for sizes of these ranges on %s",
                        m->r->domain->op->name, m->r->tuner ? ", and right," : "", m->r->device);
    for (int n = count; n > 0; n--)
        for (int i = 0; i < m->sets.count[n - 1]; i++)
            add_to_all(m, m->sets.at[n - 1][i]);
    m->pack->code_count = count;
    m->pack->kernel_count = m->sets.count[count - 1];
    return AT_OK;
}

/* Which column of the losses on the others is a candidate's. */
static int place_of(const making *m, int candidate)
{
    int i = 0;
    while (m->all[i] != candidate)
        i++;
    return i;
}

/* Columns of a table; where `only` is given, rows of these problems alone, whose number goes to *rows. */
static float *take_columns(int *rows, const float *from, int columns, int problems, const int *which,
                           int count, const bool *only)
{
    float *out = malloc(((size_t)problems * (size_t)count + 1) * sizeof *out);
    *rows = 0;
    for (int p = 0; out && from && p < problems; p++) {
        if (only && !only[p])
            continue;
        for (int k = 0; k < count; k++)
            out[(size_t)*rows * (size_t)count + (size_t)k] =
                from[(size_t)p * (size_t)columns + (size_t)which[k]];
        ++*rows;
    }
    return out;
}

static int count_of(const bool *measured, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        n += measured[i];
    return n;
}

/* Where the losses of the kernels are that were chosen when there were `n` codes; returns how many. */
static int find_places(int places[ATX_PACK_MAX_KERNELS], const making *m, int n)
{
    for (int i = 0; i < m->sets.count[n - 1]; i++)
        places[i] = place_of(m, m->sets.at[n - 1][i]);
    return m->sets.count[n - 1];
}

/* The losses of these kernels on all problems that trees are grown on. */
static float *take_losses(const making *m, int n)
{
    int places[ATX_PACK_MAX_KERNELS] = { 0 }, rows;
    const int count = find_places(places, m, n);
    return take_columns(&rows, m->grown_on, m->all_count, m->count + m->more_count, places, count, NULL);
}

/* The kernels that were chosen when there were `n` codes, with their tree. */
static bool grow_pack_of(atx_pack *pack, const making *m, int n)
{
    int rows;
    const int *chosen = m->sets.at[n - 1], count = m->sets.count[n - 1];
    float *losses = m->c.kernels ? take_losses(m, n) : NULL;
    float *of_choice = take_columns(&rows, m->c.losses, m->c.count, m->count, chosen, count, NULL);
    bool good = losses && of_choice;
    pack->code_count = n;
    pack->kernel_count = count;
    for (int i = 0; good && i < count; i++)
        pack->kernels[i] = m->c.kernels[chosen[i]];
    good = good && atx_pack_grow(pack, m->samples, losses, m->measured[2], m->count + m->more_count) &&
           measure(&pack->chosen, pack, m->samples, of_choice, m->count);
    pack->chosen.measured = count_of(m->measured[0], m->count);
    free(losses);
    free(of_choice);
    return good;
}

/* The kernels that packs of 1, 2, ... codes take for the problems to try on. false: out of memory. */
static bool want_taken(bool *wanted, const making *m)
{
    atx_geometry unused;
    atx_pack *fewer = malloc(sizeof *fewer);
    bool good = fewer != NULL;
    for (int n = 1; good && n <= m->pack->code_count; n++) {
        *fewer = *m->pack;
        good = grow_pack_of(fewer, m, n);
        for (int p = 0; good && p < m->other_count; p++) {
            const int k = atx_pack_take(&unused, fewer, &m->others[p].problem, m->others[p].slots);
            if (k >= 0)
                wanted[(size_t)p * (size_t)m->all_count + (size_t)place_of(m, m->sets.at[n - 1][k])] = true;
        }
    }
    free(fewer);
    return good;
}

/* The kernels that are in some set. NULL: out of memory. */
static atx_pack_kernel *take_all(const making *m)
{
    atx_pack_kernel *kernels = m->c.kernels ? malloc(((size_t)m->all_count + 1) * sizeof *kernels) : NULL;
    for (int i = 0; kernels && i < m->all_count; i++)
        kernels[i] = m->c.kernels[m->all[i]];
    return kernels;
}

/* The kernels of the pack come first: those that only smaller ones have are not worth the time. */
static bool want_first(bool *wanted, const making *m, int problems)
{
    for (int p = 0; wanted && p < problems; p++)
        for (int k = 0; k < m->pack->kernel_count; k++)
            wanted[(size_t)p * (size_t)m->all_count + (size_t)k] = true;
    return wanted != NULL;
}

/* The losses of all on the problems that trees are grown on: where there is time, measured ones. */
static at_status measure_all(making *m, at_error *err)
{
    at_status status = AT_OK;
    const int count = m->count + m->more_count;
    atx_pack_kernel *kernels = take_all(m);
    bool *wanted = calloc((size_t)count * (size_t)m->all_count + 1, sizeof *wanted);
    free(m->grown_on);
    m->grown_on = kernels ? atx_pack_losses(kernels, m->all_count, m->r, m->samples, count) : NULL;
    const atx_pack_table table = { kernels, m->samples, m->grown_on, m->measured[2], m->all_count,
                                   count,   wanted,     m->wrong,    false };
    if (!want_first(wanted, m, count) || !m->grown_on)
        status = atx_no_memory(err);
    else if (m->r->tuner)
        status = atx_pack_tuner_measure(m->r->tuner, &table, SHARE_TREES, err);
    free(wanted);
    free(kernels);
    return status;
}

/* The losses of all on the problems to try on. */
static at_status try_all(making *m, at_error *err)
{
    at_status status = AT_OK;
    bool *wanted = calloc((size_t)m->other_count * (size_t)m->all_count + 1, sizeof *wanted);
    atx_pack_kernel *kernels = take_all(m);
    free(m->held_out);
    m->held_out = kernels ? atx_pack_losses(kernels, m->all_count, m->r, m->others, m->other_count) : NULL;
    if (!m->held_out || !wanted || (m->r->tuner && !want_taken(wanted, m)))
        status = atx_no_memory(err);
    const atx_pack_table table = { kernels,        m->others,    m->held_out,
                                   m->measured[1], m->all_count, m->other_count,
                                   wanted,         m->wrong,     true };
    if (status == AT_OK && m->r->tuner)
        status = atx_pack_tuner_measure(m->r->tuner, &table, 1, err);
    free(wanted);
    free(kernels);
    return status;
}

/* Where anything was measured, what a pack loses on other problems is told of those that were. */
static bool measure_others(atx_pack_loss *out, const atx_pack *pack, const making *m, const int *places)
{
    const int measured = count_of(m->measured[1], m->other_count);
    int rows = 0, n = 0;
    float *losses = take_columns(&rows, m->held_out, m->all_count, m->other_count, places, pack->kernel_count,
                                 measured ? m->measured[1] : NULL);
    atx_pack_sample *tried = malloc(((size_t)m->other_count + 1) * sizeof *tried);
    for (int p = 0; tried && p < m->other_count; p++)
        if (!measured || m->measured[1][p])
            tried[n++] = m->others[p];
    const bool good = losses && tried && measure(out, pack, tried, losses, rows);
    out->measured = measured;
    free(losses);
    free(tried);
    return good;
}

/* A pack of them, and what it loses. */
static bool make_pack_of(atx_pack *pack, const making *m, int n)
{
    int places[ATX_PACK_MAX_KERNELS] = { 0 };
    find_places(places, m, n);
    return grow_pack_of(pack, m, n) && measure_others(&pack->held_out, pack, m, places);
}

static bool draw_curves(making *m)
{
    const int count = m->pack->kernel_count;
    atx_pack *fewer = malloc(sizeof *fewer);
    int rows = 0;
    int first_ones[ATX_PACK_MAX_KERNELS] = { 0 };
    for (int i = 0; i < count; i++)
        first_ones[i] = i;
    float *first = take_columns(&rows, m->held_out, m->all_count, m->other_count, first_ones, count,
                                count_of(m->measured[1], m->other_count) ? m->measured[1] : NULL);
    bool good = fewer && first && draw_curve(m->pack, first, rows);
    for (int n = 1; n <= m->pack->code_count && good; n++) {
        *fewer = *m->pack;
        good = make_pack_of(fewer, m, n);
        m->pack->packs[n - 1] = fewer->held_out;
    }
    free(first);
    free(fewer);
    return good;
}

static at_status draw_problems(making *m, at_error *err)
{
    const atx_pack_request *r = m->r;
    atx_rng rng = { r->seed };
    m->count = r->problems;
    m->other_count = atx_pack_holds_out(r->domain) ? r->problems : 0;
    m->more_count =
        m->count * MORE < ATX_PACK_MAX_PROBLEMS ? m->count * (MORE - 1) : ATX_PACK_MAX_PROBLEMS - m->count;
    at_status status = draw_all(&m->samples, m->count + m->more_count, ATX_PACK_TO_CHOOSE, &rng, r, err);
    ATX_THEN(status, r->tries ? list_all(&m->others, &m->other_count, r, err)
                              : draw_all(&m->others, m->other_count, ATX_PACK_HELD_OUT, &rng, r, err));
    const int counts[] = { m->count, m->other_count, m->count + m->more_count };
    for (int i = 0; i < 3 && status == AT_OK; i++)
        if (!(m->measured[i] = calloc((size_t)counts[i] + 1, sizeof *m->measured[i])))
            status = atx_no_memory(err);
    return status;
}

/* They were made up, so that preferred kernels are chosen. */
static void forget_losses(atx_pack *pack)
{
    pack->chosen = pack->held_out = (atx_pack_loss){ .problems = 0 };
    for (int n = 0; n < ATX_PACK_MAX_KERNELS; n++)
        pack->curve[n] = pack->packs[n] = pack->chosen;
    for (int n = 0; n < pack->node_count; n++)
        pack->nodes[n].loss = 0;
    pack->mean = pack->bound = 0;
}

/* Kernels that were found wrong since they were chosen are no candidates any more; true: there are such. */
static bool strike_wrong(making *m)
{
    bool any = false;
    for (int i = 0; i < m->all_count; i++) {
        for (int p = 0; p < m->c.problems && m->wrong[i]; p++)
            m->c.losses[(size_t)p * (size_t)m->c.count + (size_t)m->all[i]] = ATX_PACK_INVALID;
        any = any || m->wrong[i];
    }
    return any;
}

static at_status make(making *m, at_error *err)
{
    at_status status = draw_problems(m, err);
    ATX_THEN(status, find_candidates(m, err));
    for (bool again = true; again && status == AT_OK;) {
        status = choose(m, err);
        ATX_THEN(status, measure_all(m, err));
        ATX_THEN(status, try_all(m, err));
        again = status == AT_OK && strike_wrong(m);
    }
    if (status == AT_OK && !(make_pack_of(m->pack, m, m->pack->code_count) && draw_curves(m)))
        status = atx_no_memory(err);
    if (m->pack->unknown)
        forget_losses(m->pack);
    return status;
}

static void clear(making *m)
{
    atx_pack_candidates_clear(&m->c);
    free(m->samples);
    free(m->others);
    free(m->measured[0]);
    free(m->measured[1]);
    free(m->measured[2]);
    free(m->all);
    free(m->wrong);
    free(m->held_out);
    free(m->grown_on);
    atx_pack_learned_clear(&m->learned);
}

at_status atx_pack_make(atx_pack **out, const atx_pack_request *r, at_error *err)
{
    atx_pack *pack = calloc(1, sizeof *pack);
    making *m = calloc(1, sizeof *m);
    if (!pack || !m) {
        free(pack);
        free(m);
        return atx_no_memory(err);
    }
    m->pack = pack;
    m->own = *r;
    m->r = &m->own;
    pack->domain = *r->domain;
    pack->limits = *r->limits;
    snprintf(pack->device, sizeof pack->device, "%s", r->device);
    at_status status = make(m, err);
    clear(m);
    free(m);
    if (status == AT_OK)
        *out = pack;
    else
        atx_pack_close(pack);
    return status;
}

void atx_pack_close(atx_pack *pack)
{
    free(pack);
}
