/*
 * learned.c - see learned.h.
 *
 * A trial costs the GPU some 10 ms and learning 0.1 ms. The model is renewed when the trials are half as many
 * again, so that the renewals of a growing database together cost three times what the last of them costs: 3
 * % of the tuning. A database that grew otherwise, by a merge, may hold so many that nobody expects to wait
 * for them at the end of a short run: those are for `autotune learn`, of which look-ups tell.
 */
#include "cli/learned.h"

#include "cli/commands.h"
#include "lookup/lookup.h"

#include <string.h>

#define MOST_TRIALS 100000 /* some 8 s on one core */

at_status at__learned_path(at__str *out, const char *db, at_error *err)
{
    at__str_reset(out);
    at__str_addf(out, "%s" AT__MODEL_SUFFIX, db);
    return at__str_status(out, err);
}

/* The most problems of one op; they come op by op. */
typedef struct counting {
    char op[64];
    int count, most;
} counting;

static bool count_problem(void *context, const at__problem_key *key)
{
    counting *c = context;
    if (strncmp(c->op, key->op, sizeof c->op - 1) != 0)
        *c = (counting){ .most = c->most };
    snprintf(c->op, sizeof c->op, "%s", key->op);
    c->count++;
    c->most = c->count > c->most ? c->count : c->most;
    return true;
}

/* A model that cannot be read is as good as none. */
static at_status read_before(at__model **out, const char *path, at_error *err)
{
    at_status status = at__model_read(out, path, NULL);
    return status == AT_ERR_MEMORY ? at_fail(err, AT_ERR_MEMORY, "out of memory") : AT_OK;
}

/* Does it pay? */
static at_status is_due(bool *due, at__store *store, const char *path, at_error *err)
{
    at__model *present = NULL;
    counting c = { .most = 0 };
    int64_t newest = 0;
    *due = false;
    at_status status = at__store_newest_trial(&newest, store, err);
    if (status != AT_OK || newest > MOST_TRIALS)
        return status;
    status = read_before(&present, path, err);
    if (status == AT_OK)
        status = at__store_each_problem(store, count_problem, &c, err);
    *due = status == AT_OK && c.most >= AT__LEAST_LESSONS && !at__model_is_kept(present) &&
           at__model_is_behind(present, newest) > 0;
    at__model_close(present);
    return status;
}

static int64_t trials_of(const at__model *model)
{
    at__lessons part;
    int64_t trials = 0;
    for (int i = 0; at__model_part(&part, model, i); i++)
        trials += part.trials;
    return trials;
}

static at_status renew(int64_t *trials, const at__catalog *catalog, at__store *store, const char *path,
                       at_error *err)
{
    at__model *known = NULL, *model = NULL;
    at__cancel cancel = { .flag = &at__cancel_requested };
    at_status status = at__shipped_wanted() ? at__model_shipped(&known, err) : AT_OK;
    if (status == AT_OK)
        status = at__model_learn(&model, catalog, &store, 1, known, &cancel, err);
    if (status == AT_OK && model)
        status = at__model_write(model, path, err);
    if (status == AT_OK)
        *trials = trials_of(model);
    at__model_close(model);
    at__model_close(known);
    return status;
}

at_status at__learned_renew(int64_t *trials, const at__catalog *catalog, const char *db, at_error *err)
{
    at__store *store = NULL;
    at__str path = { 0 };
    bool due = false;
    *trials = 0;
    at_status status = at__store_open(&store, db, AT__STORE_READ, err);
    if (status == AT_OK)
        status = at__learned_path(&path, db, err);
    if (status == AT_OK)
        status = is_due(&due, store, at__str_text(&path), err);
    if (status == AT_OK && due)
        status = renew(trials, catalog, store, at__str_text(&path), err);
    at__str_clear(&path);
    at__store_close(store);
    return status;
}
