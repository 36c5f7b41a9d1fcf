/* spot_checks.c - see spot_checks.h. */
#include "tune/spot_checks.h"

#include "util/fail.h"
#include "util/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LOSS 1.0 /* a disturbed trial counts as no more */
#define FEW       4   /* checks that would move the ratio half of the way */

at_status atx_spot_checks_add(atx_spot_checks *checks, const atx_spot_check *check, at_error *err)
{
    if (!atx_grow(&checks->items, &checks->cap, checks->count, sizeof *checks->items))
        return atx_no_memory(err);
    checks->items[checks->count] = *check;
    checks->items[checks->count++].loss = -1;
    return AT_OK;
}

void atx_spot_checks_clear(atx_spot_checks *checks)
{
    free(checks->items);
    *checks = (atx_spot_checks){ .items = NULL };
}

/* Of a problem's trials, the fastest first. */
typedef struct timed {
    const char *template_name, *config; /* the answer's */
    double best_s, answer_s;            /* 0: none      */
} timed;

static bool visit(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    timed *of = context;
    (void)fingerprint;
    if (row->outcome != ATX_TIMED || atx_trial_check(row, NULL) != AT_OK)
        return true;
    if (of->best_s <= 0)
        of->best_s = row->timing.median_s;
    if (strcmp(row->template_name, of->template_name) == 0 && strcmp(row->config, of->config) == 0)
        of->answer_s = row->timing.median_s;
    return of->answer_s <= 0;
}

/* AT_ERR_NOT_FOUND: its problem is not tuned yet. *loss below 0: its answer was not timed. */
static at_status measure(double *loss, const atx_spot_check *check, atx_store *store, const char *device,
                         at_error *err)
{
    ATX_LOCAL(atx_str) shape = { 0 }, config = { 0 };
    atx_problem_key key;
    ATX_LOCAL(atx_answer) winner = { 0 };
    *loss = -1;
    atx_config_text(&config, check->t, &check->config);
    at_status status = atx_str_status(&config, err);
    ATX_THEN(status, atx_problem_key_of(&key, &shape, check->problem, err));
    ATX_THEN(status, atx_store_find_winner(&winner, store, &key, NULL, device, err));
    timed of = { .template_name = check->t->name, .config = atx_str_text(&config) };
    ATX_THEN(status, atx_store_each_trial(store, &key, &winner.fingerprint, visit, &of, err));
    if (status == AT_OK && of.answer_s > 0)
        *loss = fmin(of.answer_s / of.best_s - 1, MOST_LOSS);
    return status;
}

at_status atx_spot_checks_measure(atx_spot_checks *checks, atx_store *store, const char *device,
                                  at_error *err)
{
    at_status status = AT_OK;
    size_t kept = 0;
    for (size_t i = 0; i < checks->count; i++) {
        atx_spot_check check = checks->items[i];
        at_error cause = { 0 };
        at_status one = AT_OK;
        if (check.loss < 0 && status == AT_OK)
            one = measure(&check.loss, &check, store, device, &cause);
        if (one != AT_OK && one != AT_ERR_NOT_FOUND)
            status = atx_fail(err, one, "%s", cause.text);
        if (check.loss >= 0 || one != AT_OK || status != AT_OK)
            checks->items[kept++] = check;
    }
    checks->count = kept;
    return status;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

at_status atx_spot_checks_figures(atx_spot_check_figures *out, const atx_spot_checks *checks, at_error *err)
{
    double *losses = malloc((checks->count + 1) * sizeof *losses), sum = 0, expected = 0;
    size_t count = 0;
    if (!losses)
        return atx_no_memory(err);
    for (size_t i = 0; i < checks->count; i++)
        if (checks->items[i].loss >= 0) {
            sum += losses[count++] = checks->items[i].loss;
            expected += checks->items[i].expected;
        }
    qsort(losses, count, sizeof *losses, by_size);
    *out = (atx_spot_check_figures){ .count = count, .mean = -1, .most = -1, .ratio = 1 };
    if (count) {
        const double before = FEW * expected / (double)count;
        out->mean = sum / (double)count;
        out->most = losses[(95 * count + 99) / 100 - 1];
        out->ratio = expected > 0 ? (sum + before) / (expected + before) : 1;
    }
    free(losses);
    return AT_OK;
}
