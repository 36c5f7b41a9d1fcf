/*
 * strategy_model.c - learns from every trial which configurations may be better, and tries the most
 * promising.
 *
 * First what is known to be good elsewhere, the templates' defaults and a few drawn at random. Then, of a
 * pool of neighbours of its proposals and of a changing uniform sample, the one that a Gaussian process
 * (surrogate.h) expects the most improvement of. The pool bounds the work: no space is too large.
 *
 * When it is compiled, and the device is free for it, it is weighed again: with the registers that
 * the compiler had to spill, and with what was measured meanwhile. Once in its life it may be put
 * off for a better one.
 */
#include "search/strategy_model_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_FIRST 5 /* drawn before the model is asked                                             */
#define SPARE_SHARE  3 /* and one more for each so many compilers, which had nothing else to do then   */
#define TRAINING_SET_STEPS                                                                                   \
    15 /* of climbing, each time the number of trials has grown by TRAINING_SET_GROWTH      */
#define TRAINING_SET_GROWTH 1.2
#define FAILURE_RANK        0.9 /* a failure counts as a time that such a share of the others is below         */
#define COSTLY              40 /* trials that one which crashes or never ends costs                           */
#define LEAST_AHEAD         2 /* proposals under way, at most, while little is known: late results cost more */
#define AHEAD_SHARE         32 /* one more for each so many results                                           */
#define PACE_UNKNOWN        (-1)
#define BESIDE              2 /* more for every further device: one that it measures, and the next           */
#define MOST_BESIDE         32 /* of all devices together: with more, searches only become longer             */
#define KEEP_SHARE          0.7 /* of the gain expected elsewhere: with less, a compiled candidate is deferred  */
#define WORSE_SHARE         0.1 /* of that: with less, it is deferred for what the compiler made of it          */
#define PUT_OFF_SHARE       0.25 /* of the trials: so many more kernels are compiled for that, at most          */
#define LITTLE_CHANCE       0.005 /* of finding something better by 2 search.worth: with less, the end is near */
#define CALM_TRIALS         24 /* so many in a row must have had little chance, ...                            */
#define LEAST_STALE         40 /* ... and brought nothing better                                              */
#define MOST_STALE          120 /* trials without anything better end it ...                                   */
#define STALE_SHARE         3 /* ... and one more for each so many before them                               */
#define BETTER              0.003 /* a share of the time; less does not count as better                          */
#define LEAST_TRIALS        24 /* before the search may end by itself                                         */
#define LATE_HINTS          1  /* besides those that the search begins with */
#define ENOUGH_HERE         20 /* timed trials after which those from elsewhere only mislead */

/* ---- opening ---- */

static void add_first(atx_model *m, int64_t index)
{
    for (int i = 0; i < m->opening.first_count; i++)
        if (m->opening.first[i] == index)
            return;
    if (index >= 0 && index < m->search.total && m->opening.first_count < m->opening.first_room)
        m->opening.first[m->opening.first_count++] = index;
}

static void model_close(void *state)
{
    atx_model *m = state;
    if (!m)
        return;
    atx_surrogate_close(m->surrogate);
    atx_features_close(m->features);
    atx_index_set_clear(&m->seen);
    atx_index_set_clear(&m->deferred);
    atx_index_set_clear(&m->pooled);
    free(m->opening.first);
    free(m);
}

static at_status model_open(void **state, const atx_search *search, at_error *err)
{
    at_status status = AT_OK;
    atx_model *m = calloc(1, sizeof *m);
    if (!m)
        return atx_no_memory(err);
    m->search = *search;
    atx_gain_fill(&m->normal);
    m->rng.state = search->seed ^ 0x6d6f64656cu;
    m->order = atx_permute((uint64_t)search->total, search->seed);
    m->left = search->max_trials < search->total ? search->max_trials : search->total;
    m->opening.first_room = search->hint_count + search->space_count + LATE_HINTS;
    m->opening.first = calloc((size_t)m->opening.first_room, sizeof *m->opening.first);
    m->slot.slot_count = search->total < ATX_MODEL_SLOTS ? (int)search->total : ATX_MODEL_SLOTS;
    for (int i = 0; i < ATX_MODEL_SLOTS; i++) {
        m->slot.slots[i] = -1;
        m->slot.gain[i] = -INFINITY;
    }
    atx_model_forget_poorest(m);
    if (!m->opening.first)
        status = atx_no_memory(err);
    if (status == AT_OK)
        status = atx_features_open(&m->features, &m->search, err);
    if (status == AT_OK)
        status = atx_surrogate_open(&m->surrogate, m->features, ATX_MODEL_ROWS, m->slot.slot_count + 1, err);
    if (status != AT_OK) {
        model_close(m);
        return status;
    }
    for (int i = 0; i < search->hint_count; i++)
        add_first(m, search->hints[i]);
    for (int i = 0; i < search->space_count; i++)
        add_first(m, atx_search_default(search, i));
    m->opening.random_first =
        m->opening.first_count > RANDOM_FIRST ? 0 : RANDOM_FIRST + search->ahead / SPARE_SHARE;
    m->next_training_set = RANDOM_FIRST;
    if (search->elsewhere_count) {
        atx_model_add_elsewhere(m);
        m->opening.random_first = 0;
        m->next_training_set = 1;
    }
    m->pace = PACE_UNKNOWN;
    m->devices = 1;
    m->newest = -1;
    m->chance = 1;
    *state = m;
    return AT_OK;
}

/* ---- choosing ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/*
 * Gives the model its values: logarithms of seconds. A failure is as bad as most are slow: bad enough to lead
 * away, and less of a cliff beside a configuration that may be the best. Returns the best.
 */
static double set_values(atx_model *m)
{
    double logs[ATX_MODEL_ROWS];
    int rows = atx_surrogate_rows(m->surrogate), count = 0;
    for (int i = 0; i < rows; i++)
        if (isfinite(m->rows[i].seconds) && !m->rows[i].elsewhere)
            logs[count++] = log(m->rows[i].seconds);
    qsort(logs, (size_t)count, sizeof *logs, ascending);
    double bad = logs[(int)(count * FAILURE_RANK)];
    for (int i = 0; i < rows; i++)
        if (!isnan(m->rows[i].seconds) && !m->rows[i].elsewhere)
            atx_surrogate_set(m->surrogate, i, isfinite(m->rows[i].seconds) ? log(m->rows[i].seconds) : bad);
    atx_model_set_elsewhere(m);
    return logs[0];
}

/* The chance, by the model, that a candidate fails, or fails and is costly. False: none did yet. */
static bool predict_failures(atx_model *m, bool costly)
{
    double failed[ATX_MODEL_ROWS];
    bool any = false;
    int rows = atx_surrogate_rows(m->surrogate);
    for (int i = 0; i < rows; i++) {
        bool counts = isinf(m->rows[i].seconds) && (m->rows[i].costly || !costly);
        failed[i] = isnan(m->rows[i].seconds) || m->rows[i].elsewhere ? (double)NAN : counts;
        any |= counts;
    }
    if (any)
        atx_surrogate_predict_other(m->surrogate, m->slot.chance, failed, m->slot.slot_count);
    return any;
}

/* Weighs expected gains with the chance that the candidate is right at all, and with what its failure costs.
 */
static void weigh_failures(atx_model *m)
{
    bool failed = predict_failures(m, false);
    for (int i = 0; i < m->slot.slot_count; i++) {
        m->slot.right[i] = failed ? 1 - fmin(fmax(m->slot.chance[i], 0), 0.99) : 1;
        m->slot.gain[i] *= m->slot.right[i];
    }
    if (predict_failures(m, true))
        for (int i = 0; i < m->slot.slot_count; i++)
            m->slot.gain[i] /= 1 + COSTLY * fmin(fmax(m->slot.chance[i], 0), 1);
}

/* The chance that any candidate is better than the best by 2 search.worth, as if they were independent. */
static double chance_of_all(const atx_model *m, double best)
{
    double none = 1, bound = best - 2 * m->search.worth;
    for (int i = 0; i < m->slot.slot_count && none > 1e-6; i++)
        if (m->slot.slots[i] >= 0)
            none *= 1 - m->slot.right[i] *
                            atx_gain_chance(&m->normal, bound, m->slot.mean[i], m->slot.deviation[i]);
    return 1 - none;
}

/* Trials without anything better after which the search ends, whatever the model says. */
static int64_t most_stale(const atx_model *m)
{
    return MOST_STALE + m->improved / STALE_SHARE;
}

/*
 * The model alone is a bad judge: it is sure of much that is wrong, and on some spaces it promises for
 * hundreds of trials what it does not find. So its chances count as long as trials neither bring something
 * better nor have brought nothing for too long.
 */
static bool should_end(atx_model *m, double best)
{
    int64_t stale = m->done - m->improved;
    if (m->search.worth <= 0 || m->done < LEAST_TRIALS)
        return false;
    m->chance = chance_of_all(m, best);
    m->calm = m->chance < LITTLE_CHANCE ? m->calm + 1 : 0;
    return (m->calm > CALM_TRIALS && stale >= LEAST_STALE) || stale >= most_stale(m);
}

static int64_t choose(atx_model *m)
{
    int top = -1;
    if (m->search.elsewhere_count && m->timed >= ENOUGH_HERE) {
        atx_model_drop_elsewhere(m);
        m->next_training_set = m->timed;
    }
    atx_model_renew_pool(m);
    double best = set_values(m);
    if (m->timed >= m->next_training_set) {
        m->next_training_set = (int)(m->timed * TRAINING_SET_GROWTH) + 2;
        atx_surrogate_learn(m->surrogate, TRAINING_SET_STEPS);
    }
    atx_surrogate_predict(m->surrogate, m->slot.mean, m->slot.deviation, m->slot.slot_count);
    for (int i = 0; i < m->slot.slot_count; i++) {
        m->slot.mean[i] += m->slot.error[i];
        m->slot.deviation[i] *= m->slot.unsure[i];
        m->slot.gain[i] = m->slot.slots[i] < 0
                              ? -INFINITY
                              : atx_gain_of(&m->normal, best, m->slot.mean[i], m->slot.deviation[i]);
    }
    weigh_failures(m);
    atx_model_forget_poorest(m);
    for (int i = 0; i < m->slot.slot_count; i++)
        if (m->slot.slots[i] >= 0 && (top < 0 || m->slot.gain[i] > m->slot.gain[top]))
            top = i;
    if (top < 0)
        return ATX_NO_MORE;
    m->top_gain = m->slot.gain[top];
    m->newest = m->slot.slots[top];
    return should_end(m, best) ? ATX_BELOW_THRESHOLD : m->newest;
}

/* ---- being a strategy ---- */

/* The newest and the fastest stay when the model is full. */
static void compact(atx_model *m)
{
    bool keep[ATX_MODEL_ROWS] = { false };
    int rows = atx_surrogate_rows(m->surrogate);
    for (int i = 0; i < rows; i++) {
        int faster = 0;
        for (int k = 0; k < rows; k++)
            faster += m->rows[k].seconds < m->rows[i].seconds; /* of NAN: none */
        keep[i] = i >= rows - ATX_MODEL_ROWS / 4 || faster < ATX_MODEL_ROWS / 4 || isnan(m->rows[i].seconds);
    }
    atx_model_keep_rows(m, keep);
}

static int64_t take(atx_model *m, int64_t index, bool sure)
{
    if (!atx_index_set_add(&m->seen, index))
        return ATX_NO_MORE;
    for (int i = 0; atx_index_set_has(&m->pooled, index); i++)
        if (m->slot.slots[i] == index)
            atx_model_free_slot(m, i);
    if (atx_surrogate_rows(m->surrogate) == ATX_MODEL_ROWS)
        compact(m);
    if (atx_surrogate_rows(m->surrogate) < ATX_MODEL_ROWS)
        atx_model_add_row(m, &(atx_model_row){ .index = index,
                                               .seconds = NAN,
                                               .resources = ATX_RESOURCES_UNKNOWN,
                                               .sure = sure || atx_index_set_has(&m->deferred, index) });
    m->left--;
    m->under_way++;
    return index;
}

/* The next without the model, -1: it is to be asked. */
static int64_t propose_first(atx_model *m)
{
    if (m->opening.next_first < m->opening.first_count)
        return m->opening.first[m->opening.next_first++];
    if (m->opening.random_first <= 0 && m->timed >= (m->search.elsewhere_count ? 1 : 2))
        return -1;
    m->opening.random_first--;
    return atx_model_draw(m);
}

/*
 * How many may be under way: the more is known, the less a late result matters. Where compiling takes long,
 * all compilers work: four times as many results in the same time are worth more than each a bit later.
 */
static int64_t allowed_ahead(const atx_model *m, bool first)
{
    int64_t most = m->search.ahead > 1 ? m->search.ahead : 1;
    int64_t least = LEAST_AHEAD + BESIDE * (m->devices - 1);
    int64_t allowed = least + m->done / AHEAD_SHARE;
    if (first || allowed > most)
        allowed = most;
    int64_t busy = least + (m->pace < most ? m->pace : most);
    int64_t wanted = m->pace > 0 && most > 1 && busy > allowed ? busy : allowed;
    return m->devices > 1 && wanted > MOST_BESIDE ? MOST_BESIDE : wanted;
}

static int64_t model_propose(void *state)
{
    atx_model *m = state;
    bool first = m->opening.next_first < m->opening.first_count || m->opening.random_first > 0;
    if (m->left <= 0)
        return ATX_NO_MORE;
    if (m->ended)
        return ATX_BELOW_THRESHOLD;
    if (m->under_way >= allowed_ahead(m, first))
        return ATX_NOT_YET;
    bool sure = m->opening.next_first < m->opening.first_count;
    int64_t index = propose_first(m);
    if (index < 0)
        index = choose(m);
    m->ended = index == ATX_BELOW_THRESHOLD;
    if (m->ended && m->under_way) { /* what is under way may change that */
        m->ended = false;
        return ATX_NOT_YET;
    }
    return index < 0 ? index : take(m, index, sure);
}

static void model_hint(void *state, int64_t index)
{
    atx_model *m = state;
    if (!atx_index_set_has(&m->seen, index))
        add_first(m, index);
}

static void keep_best(atx_model *m, int64_t index, double seconds)
{
    int i = m->fastest.best_count;
    if (i == ATX_MODEL_BEST && m->fastest.best_s[--i] <= seconds)
        return;
    m->fastest.best_count = i + 1;
    for (; i > 0 && m->fastest.best_s[i - 1] > seconds; i--) {
        m->fastest.best[i] = m->fastest.best[i - 1];
        m->fastest.best_s[i] = m->fastest.best_s[i - 1];
    }
    m->fastest.best[i] = index;
    m->fastest.best_s[i] = seconds;
    m->fastest.best_changed = true;
}

static int find_row(const atx_model *m, int64_t index)
{
    int at = atx_surrogate_rows(m->surrogate) - 1;
    while (at >= 0 && (m->rows[at].index != index || m->rows[at].elsewhere))
        at--;
    return at;
}

/* Takes a proposal back into the pool, with what is known of it now. */
static void deferred(atx_model *m, int at, double error, double left)
{
    int64_t index = m->rows[at].index;
    int slot = atx_model_poorest_slot(m);
    atx_model_remove_row(m, at);
    atx_index_set_remove(&m->seen, index);
    m->under_way--;
    m->left++;
    m->calm -= m->calm > 0; /* what was not tried does not count */
    m->spilled[m->spilled_count++ % ATX_MODEL_SPILLED] = (struct model_spilled){ index, error, left };
    atx_model_put_slot(m, slot, index);
}

/*
 * Once in its life a candidate is deferred for a better one. A kernel that the compiler made worse than
 * expected costs no device time; of those that newer results made unlikely only a few are, each was compiled
 * in vain, and none where the device waits for compilers.
 */
static bool model_consider(void *state, int64_t index, const atx_resources *resources)
{
    atx_model *m = state;
    int at = find_row(m, index);
    if (at < 0 || m->timed < 2)
        return true;
    atx_model_row *r = &m->rows[at];
    double best = set_values(m), least = KEEP_SHARE * m->top_gain;
    atx_surrogate_predict_row(m->surrogate, &r->predicted, &r->deviation, at);
    r->resources = *resources;
    double left, error = atx_spill_cost_of(&left, &m->spill_cost, resources);
    double gain = atx_gain_of(&m->normal, best, r->predicted, r->deviation);
    bool device_bound = m->pace != PACE_UNKNOWN && m->pace < m->search.ahead;
    bool late = device_bound && gain < least && (double)m->deferred.count < PUT_OFF_SHARE * (double)m->done;
    bool worse = gain >= least && atx_gain_of(&m->normal, best, r->predicted + error, left * r->deviation) <
                                      WORSE_SHARE * least;
    if (r->sure || (!late && !worse) || !atx_index_set_add(&m->deferred, index))
        return true;
    deferred(m, at, error, left);
    return false;
}

static void model_pace(void *state, double ahead)
{
    atx_model *m = state;
    m->pace = ahead < 1e6 ? (int64_t)ceil(ahead) : 1000000;
}

static void model_widen(void *state, int devices, int ahead)
{
    atx_model *m = state;
    m->devices = devices;
    m->search.ahead = ahead;
}

static void model_report(void *state, int64_t index, const atx_finding *finding)
{
    atx_model *m = state;
    bool timed = finding->outcome == ATX_TIMED && finding->seconds > 0;
    int at = find_row(m, index);
    m->under_way--;
    m->done++;
    if (at >= 0) {
        atx_model_row *r = &m->rows[at];
        r->seconds = timed ? finding->seconds : INFINITY;
        r->costly = finding->outcome == ATX_CRASHED || finding->outcome == ATX_TIMED_OUT;
        if (timed)
            atx_spill_cost_add(&m->spill_cost, &r->resources, log(r->seconds) - r->predicted, r->deviation);
    }
    if (timed) {
        m->timed++;
        if (!m->fastest.best_count || finding->seconds < (1 - BETTER) * m->fastest.best_s[0])
            m->improved = m->done;
        keep_best(m, index, finding->seconds);
    }
}

/* While there is more than little chance, the trials without anything better that end a search. */
static int64_t model_expected_left(const void *state)
{
    const atx_model *m = state;
    int64_t stale = m->done - m->improved, most = most_stale(m) - stale, left = CALM_TRIALS + 1 - m->calm;
    if (m->search.worth <= 0)
        return m->left;
    left = left < LEAST_STALE - stale ? LEAST_STALE - stale : left;
    if (m->chance > LITTLE_CHANCE || left > most)
        left = most;
    left = left > 0 ? left : 0;
    return left < m->left ? left : m->left;
}

const atx_strategy atx_strategy_model = {
    .name = "model",
    .about = "the most promising by a model of what was measured so far",
    .open = model_open,
    .propose = model_propose,
    .consider = model_consider,
    .hint = model_hint,
    .report = model_report,
    .pace = model_pace,
    .widen = model_widen,
    .expected_left = model_expected_left,
    .close = model_close,
};
