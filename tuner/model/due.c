/*
 * due.c - whether it pays to train the model again from a database.
 *
 * A trial costs the GPU some 10 ms and training 0.1 ms. The model is trained again when there are half as
 * many trials more, so that all trainings of a growing database together cost three times the last one: 3 %
 * of the tuning. A database that grew by a merge may hold so many trials that a user does not expect to wait
 * for them at the end of a short run: those are left to `autotune learn`, which look-ups then recommend.
 */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

#define MOST_TRIALS 100000 /* some 8 s on one core */
#define LEAST_WORTH 100

static int64_t behind_by(const atx_model *model, int64_t newest_trial, double more)
{
    int64_t seen = atx_model_newest(model);
    if (seen > newest_trial) /* of another store, which was there before */
        seen = 0;
    int64_t unseen = newest_trial - seen;
    return unseen >= LEAST_WORTH && (double)unseen >= more * (double)seen ? unseen : 0;
}

int64_t atx_model_is_behind(const atx_model *model, int64_t newest_trial)
{
    return behind_by(model, newest_trial, ATX_MORE_TO_LEARN);
}

/* The most problems of one op; they come op by op. */
typedef struct counting {
    char op[64];
    int count, most;
} counting;

static bool count_problem(void *context, const atx_problem_key *key)
{
    counting *c = context;
    if (strncmp(c->op, key->op, sizeof c->op - 1) != 0)
        *c = (counting){ .most = c->most };
    snprintf(c->op, sizeof c->op, "%s", key->op);
    c->count++;
    c->most = c->count > c->most ? c->count : c->most;
    return true;
}

at_status atx_model_is_due(bool *due, atx_store *store, const char *path, double more, at_error *err)
{
    atx_model *present = NULL;
    counting c = { .most = 0 };
    int64_t newest = 0;
    *due = false;
    at_status status = atx_store_newest_trial(&newest, store, err);
    if (status != AT_OK || newest > MOST_TRIALS)
        return status;
    if (atx_model_read(&present, path, NULL) == AT_ERR_MEMORY)
        return atx_no_memory(err);
    status = atx_store_each_problem(store, count_problem, &c, err);
    *due = status == AT_OK && c.most >= ATX_MIN_TRAINING_SAMPLES && !atx_model_is_kept(present) &&
           behind_by(present, newest, more) > 0;
    atx_model_close(present);
    return status;
}
