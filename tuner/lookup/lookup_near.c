/*
 * lookup_near.c - the winner of another problem for one that was never tuned.
 *
 * Candidates are ranked by their distance. The answer is the nearest one whose requirements hold for this
 * problem. A trial of a nearer problem takes its place (a runner-up) if the trial's requirements hold and it
 * was not much slower than that problem's winner. Threads that would be idle here add to the distance. A
 * problem whose own winner is out of date is its own nearest neighbour, at distance 0, so its next best
 * trial, whose loss is known, competes with near winners, whose loss is not. Near configurations that were
 * tried on this problem are skipped: they are slower, or fail.
 *
 * A trial is valid if its template is in the catalog with the same hash, its requirements hold, and it is not
 * excluded. If the winner itself has failed, its time means nothing and the best remaining trial has no loss.
 * The hash of the rendered source is not compared: it changes with every version of the program. A store that
 * holds winners only has no runners-up.
 *
 * Invariant: the answer fits the problem, and nothing that fits and is nearer was skipped, except what was
 * tried on this problem and trials of more than RUNNERS_UP problems.
 */
#include "lookup/lookup_internal.h"

#include "lang/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A unit of distance between problems is worth 0.7 % of the time: twice the time costs so many. */
#define SLOWER_COST 100.0

/* Twice as many threads an element. Of 10 to 60, 30 lost least in `tools/near_loss`: README.md. */
#define IDLE_COST 30.0

/* A trial that takes its problem's winner's place. */
typedef struct runner_up {
    atx_entry entry;       /* its answer belongs to who asked */
    atx_geometry geometry; /* on the problem that was asked about */
    double cost;           /* in units of distance: to be slower than the winner, and to have idle threads */
} runner_up;

typedef struct looking {
    const atx_lookup *l;
    const atx_entry *winner;
    const atx_question *question;
    atx_str wrong;      /* configurations that failed on the device, for either problem */
    runner_up best;     /* whose answer is made of a trial; when found */
    bool found, failed; /* failed: out of memory */
} looking;

/* ---- trials as lines of a text ---- */

static void add_line(atx_str *out, const char *template_name, const char *hash, const char *config)
{
    atx_str_addf(out, "\n%s %s %s\n", template_name, hash, config);
}

static bool has_line(const atx_str *lines, const char *template_name, const char *hash, const char *config)
{
    ATX_LOCAL(atx_str) line = { 0 };
    add_line(&line, template_name, hash, config);
    return lines->len && !line.failed && strstr(atx_str_text(lines), atx_str_text(&line));
}

static double threads_an_element(const atx_geometry *g, const atx_op *op, const int64_t *sizes)
{
    double threads = 1, elements = 1;
    for (int i = 0; i < 3; i++)
        threads *= (double)g->grid[i] * (double)g->block[i];
    for (int i = 0; i < op->shape.dim_count; i++)
        elements *= (double)sizes[i];
    return threads / elements;
}

/* More threads share an element of this problem than of the one that the entry is of: they stand idle beside
 * edges. `here` is the launch that atx_entry_fits found. */
static double idle_cost(const atx_entry *e, const atx_geometry *here, const atx_problem *p)
{
    atx_problem home = *p;
    atx_geometry there;
    memcpy(home.dims, e->dims, sizeof home.dims);
    if (atx_entry_fits(&there, e, &home, 0, 0, NULL) != AT_OK)
        return 0;
    double more = threads_an_element(here, p->op, p->dims) / threads_an_element(&there, p->op, e->dims);
    return IDLE_COST * fmax(log2(more), 0);
}

/* Times of another driver are compared as if they were of this one: they differ less than configurations do.
 */
static bool same_device(const atx_fingerprint *a, const atx_fingerprint *b)
{
    return strcmp(a->device, b->device) == 0 && a->cc == b->cc && a->sms == b->sms &&
           a->memory_mib == b->memory_mib && a->cold == b->cold;
}

/* What only a re-measurement tells of a winner is unknown here. */
static bool make_answer(atx_answer *out, const looking *k, const atx_trial_row *row,
                        const atx_fingerprint *fingerprint)
{
    const atx_answer *winner = &k->winner->answer;
    atx_answer a = *winner;
    a.invalid = false;
    a.fingerprint = *fingerprint;
    a.measured_at = (char *)(uintptr_t)row->measured_at; /* copied below */
    a.winner = (atx_winner){ .template_name = row->template_name,
                             .template_hash = row->template_hash,
                             .config = row->config,
                             .source_hash = row->source_hash,
                             .op_hash = winner->winner.op_hash,
                             .objective = k->winner->op->goal.objective_text,
                             .timing = row->timing,
                             .ceiling_name = "",
                             .ties = "",
                             .trials = winner->winner.trials,
                             .space_count = winner->winner.space_count,
                             .resources = row->resources,
                             .conditions = ATX_CONDITIONS_UNKNOWN };
    return atx_answer_copy(out, &a);
}

/* How much worse than the winner, by the present objective; the sizes are those of the trial's problem. */
static double cost_of(const looking *k, const atx_trial_row *row)
{
    const atx_winner *w = &k->winner->answer.winner;
    atx_problem home = *k->question->problem;
    memcpy(home.dims, k->winner->dims, sizeof home.dims);
    double here = atx_score_or_none(&home, ATX_RECORD_OF(row));
    double there = k->winner->damaged ? NAN : atx_score_or_none(&home, ATX_RECORD_OF(w));
    double cost = SLOWER_COST * log2(here / (isfinite(there) ? there : 1));
    bool by_time = !home.op->goal.objective && !*w->objective;
    return by_time ? fmax(cost, 0) : cost; /* who won by something else may be far from the best */
}

/* The fastest come first: where time counts it ends where that alone costs more than the best so far. */
static bool visit(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    looking *k = context;
    const atx_question *q = k->question;
    const atx_answer *winner = &k->winner->answer;
    atx_entry e = *k->winner;
    atx_geometry geometry;
    if (row->outcome != ATX_TIMED || !same_device(fingerprint, &winner->fingerprint))
        return true;
    double cost = cost_of(k, row);
    if (!isfinite(cost))
        return true;
    if (k->found && cost >= k->best.cost)
        return e.op->goal.objective != 0;
    e.answer.winner.objective = e.op->goal.objective_text; /* borrowed: a trial was chosen by nothing else */
    e.t = atx_catalog_find_template(k->l->catalog, e.op, row->template_name);
    if (!e.t || !atx_template_has_hash(e.t, row->template_hash) ||
        has_line(&k->wrong, row->template_name, e.t->text.hash, row->config) ||
        atx_config_parse(&e.config, e.t, row->config, NULL) != AT_OK ||
        atx_entry_fits(&geometry, &e, q->problem, q->cc, q->sms, NULL) != AT_OK ||
        atx_excluded(k->l->exclusions, q->problem, q->cc ? q->cc : fingerprint->cc, e.t, &e.config))
        return true;
    cost += idle_cost(&e, &geometry, q->problem);
    if (k->found && cost >= k->best.cost)
        return true;
    if (k->found)
        atx_answer_clear(&k->best.entry.answer);
    k->found = make_answer(&e.answer, k, row, fingerprint);
    k->failed = !k->found;
    k->best = (runner_up){ e, geometry, cost };
    return k->found;
}

static bool list_wrong(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    looking *k = context;
    bool wrong =
        row->outcome == ATX_WRONG_RESULT || row->outcome == ATX_CRASHED || row->outcome == ATX_TIMED_OUT;
    if (wrong && strcmp(fingerprint->device, k->winner->answer.fingerprint.device) == 0)
        add_line(&k->wrong, row->template_name, row->template_hash, row->config);
    return !k->wrong.failed;
}

/* Trials of another store, or of another problem, do not say what this store knows of this problem. */
static at_status list_all_wrong(looking *k, const atx_problem_key *winners, at_error *err)
{
    ATX_LOCAL(atx_str) shape = { 0 };
    atx_problem_key key;
    const atx_question *q = k->question;
    if (!k->l->store)
        return AT_OK;
    if (k->winner->shipped)
        ATX_TRY(atx_store_each_trial(k->l->store, winners, NULL, list_wrong, k, err));
    if (!atx_entry_is_of(k->winner, q->problem->op, q->type_key, q->problem->dims)) {
        ATX_TRY(atx_problem_key_of(&key, &shape, q->problem, err));
        ATX_TRY(atx_store_each_trial(k->l->store, &key, NULL, list_wrong, k, err));
    }
    return atx_str_status(&k->wrong, err);
}

/* The trial of a winner's problem, on its device model and cold or warm as it was, that fits the question's
 * problem (the same, or another) and promises most. AT_ERR_NOT_FOUND: none fits. */
static at_status find_runner_up(runner_up *out, atx_lookup *l, const atx_entry *winner, const atx_question *q,
                                at_error *err)
{
    looking k = { .l = l, .winner = winner, .question = q };
    const atx_answer *a = &winner->answer;
    atx_problem_key key = { .op = a->op, .shape = a->shape, .type_key = a->type_key };
    atx_store *store = NULL;
    at_status status = AT_OK;
    if (!winner->other_op) { /* else its trials were proven by the other op, too */
        status = list_all_wrong(&k, &key, err);
        ATX_THEN(status, atx_entry_store(&store, l, winner, err));
        ATX_THEN(status, atx_store_each_trial(store, &key, NULL, visit, &k, err));
    }
    atx_str_clear(&k.wrong);
    if (status == AT_OK && k.failed)
        status = atx_no_memory(err);
    if (status == AT_OK && !k.found)
        status = AT_ERR_NOT_FOUND;
    if (status == AT_OK) {
        *out = k.best;
        out->cost = winner->answer.invalid ? 0 : fmax(out->cost, 0);
    } else if (k.found) {
        atx_answer_clear(&k.best.entry.answer);
    }
    return status;
}

typedef struct listing {
    atx_str *out;
    const atx_fingerprint *device;
} listing;

static bool list_trial(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    listing *k = context;
    if (same_device(fingerprint, k->device))
        add_line(k->out, row->template_name, row->template_hash, row->config);
    return !k->out->failed;
}

/* What was tried of a winner's problem on its device model, with any outcome, as lines. */
static at_status list_tried(atx_str *out, atx_lookup *l, const atx_entry *e, at_error *err)
{
    atx_store *store = NULL;
    listing k = { out, &e->answer.fingerprint };
    atx_problem_key key = { .op = e->answer.op, .shape = e->answer.shape, .type_key = e->answer.type_key };
    ATX_TRY(atx_entry_store(&store, l, e, err));
    ATX_TRY(atx_store_each_trial(store, &key, NULL, list_trial, &k, err));
    return atx_str_status(out, err);
}

static bool was_tried(const atx_str *tried, const atx_entry *e)
{
    const atx_winner *w = &e->answer.winner;
    return has_line(tried, w->template_name, e->t ? e->t->text.hash : w->template_hash, w->config);
}

/* ---- the search ---- */

#define OTHER_SHAPE 32.0 /* on another device the same shape goes before all others          */
#define RUNNERS_UP  4    /* problems whose trials are looked at: each is read from the store */

void atx_near_drop(atx_near_found *s)
{
    if (s->runner_up)
        atx_answer_clear(&s->runner_up->answer);
    free(s->runner_up);
    s->runner_up = NULL;
    s->own = false;
}

/* The winner of `r` does not fit: does another trial of its problem, and is that nearer than what is known?
 */
static at_status try_runner_up(atx_near_found *out, atx_lookup *l, const atx_question *q, const atx_ranked *r,
                               at_error *err)
{
    const atx_entry *winner = &l->index.entries[r->entry];
    runner_up found;
    at_status status = find_runner_up(&found, l, winner, q, err);
    if (status != AT_OK)
        return status == AT_ERR_NOT_FOUND ? AT_OK : status;
    double reach = r->distance + found.cost;
    bool own = winner == q->outdated;
    bool better = reach < out->reach && (own || !was_tried(&out->tried, &found.entry));
    at_status usable = better ? atx_entry_usable(NULL, l, &found.entry, q, err) : AT_ERR_NOT_FOUND;
    if (usable != AT_OK && usable != AT_ERR_NOT_FOUND) {
        atx_answer_clear(&found.entry.answer);
        return usable;
    }
    better = usable == AT_OK;
    atx_entry *kept = better ? malloc(sizeof *kept) : NULL;
    if (!kept) {
        atx_answer_clear(&found.entry.answer);
        return better ? atx_no_memory(err) : AT_OK;
    }
    atx_near_drop(out);
    *kept = found.entry;
    out->runner_up = kept;
    out->own = own;
    out->geometry = found.geometry;
    out->reach = reach;
    return AT_OK;
}

/* The nearest of the list that fits, all told, unless a runner-up is nearer. */
static at_status first_that_fits(atx_near_found *out, const atx_ranked *list, atx_lookup *l,
                                 const atx_question *q, at_error *err)
{
    atx_geometry geometry;
    int tried = 0;
    for (size_t i = 0; i < out->count && list[i].distance < out->reach; i++) {
        atx_entry *e = &l->index.entries[list[i].entry];
        if (e == q->outdated)
            continue;
        atx_entry_resolve(e, l->catalog);
        bool fits = atx_entry_fits(&geometry, e, q->problem, q->cc, q->sms, NULL) == AT_OK;
        at_status usable = fits ? atx_entry_usable(NULL, l, e, q, err) : AT_ERR_NOT_FOUND;
        if (usable != AT_OK && usable != AT_ERR_NOT_FOUND)
            return usable;
        if (usable == AT_OK) {
            double reach = list[i].distance + idle_cost(e, &geometry, q->problem);
            if (reach < out->reach && !was_tried(&out->tried, e)) {
                atx_near_drop(out);
                out->entry = list[i].entry;
                out->geometry = geometry;
                out->reach = reach;
            }
        } else if (tried++ < RUNNERS_UP) {
            ATX_TRY(try_runner_up(out, l, q, &list[i], err));
        }
    }
    return AT_OK;
}

/* The problem's winner is out of date: its own runner-up, at no distance. */
static at_status begin_with_own(atx_near_found *out, atx_lookup *l, const atx_question *q, at_error *err)
{
    ATX_TRY(try_runner_up(out, l, q, &(atx_ranked){ (size_t)(q->outdated - l->index.entries), 0, 0 }, err));
    return list_tried(&out->tried, l, q->outdated, err);
}

at_status atx_near_search(atx_near_found *out, atx_lookup *l, const atx_question *q, bool on_device,
                          at_error *err)
{
    const atx_problem *p = q->problem;
    const double traffic = atx_traffic_of(p);
    const atx_gpu_model device = { .name = q->device, .cc = q->cc, .sms = q->sms };
    *out = (atx_near_found){ .closest = ATX_NO_ENTRY, .entry = ATX_NO_ENTRY, .reach = INFINITY };
    ATX_TRY(atx_shipped_add(l, p->op, q->type_key, q->device, on_device, err));
    ATX_FREED atx_ranked *list = malloc((l->index.count + 1) * sizeof *list);
    if (!list)
        return atx_no_memory(err);
    for (size_t i = 0; i < l->index.count; i++) {
        const atx_entry *e = &l->index.entries[i];
        if (e->hidden || e->op != p->op || strcmp(e->answer.type_key, q->type_key) != 0 ||
            !atx_entry_may_answer(e, q->device) || atx_entry_is_on(e, q->device) != on_device)
            continue;
        double d = e == q->outdated ? INFINITY : atx_shape_distance(e, p, traffic);
        d += on_device ? 0 : atx_device_distance(e, &device) + (d > 0 ? OTHER_SHAPE : 0);
        list[out->count++] = (atx_ranked){ i, d, e->order };
    }
    atx_rank(list, out->count);
    out->closest = out->count ? list[0].entry : ATX_NO_ENTRY;
    at_status status = q->outdated && on_device ? begin_with_own(out, l, q, err) : AT_OK;
    ATX_THEN(status, first_that_fits(out, list, l, q, err));
    atx_str_clear(&out->tried);
    return status;
}

const atx_entry *atx_near_entry(const atx_near_found *s, const atx_lookup *l)
{
    return s->runner_up ? s->runner_up : s->entry != ATX_NO_ENTRY ? &l->index.entries[s->entry] : NULL;
}
