/*
 * learned.h - the model beside a database: made by `autotune learn`, and by `tune` where that pays.
 */
#pragma once

#include "lang/catalog.h"
#include "model/model.h"

/* FILE-model. Replaces *out. */
at_status atx_learned_path(atx_str *out, const char *db, at_error *err) AT_MUST_CHECK;

typedef struct atx_learning {
    const char *db;
    const atx_catalog *catalog;
    bool alone;  /* begin without the bundled model */
    double more; /* it pays when there are that share more trials than at the last training */
    const atomic_int *cancel;
} atx_learning;

/* Does it pay now (atx_model_is_due)? */
at_status atx_learned_is_due(bool *due, const atx_learning *learning, at_error *err) AT_MUST_CHECK;

/*
 * After tuning: trains the model beside the database again, on its trials and the bundled model, if that pays
 * (atx_model_is_due). *out is the new model, NULL if nothing was done: it does not pay, there is nothing to
 * learn from, or the user made the model with other options. AT_ERR_CANCELLED: the model is unchanged, as on
 * every failure.
 */
at_status atx_learned_renew(atx_model **out, const atx_learning *learning, at_error *err) AT_MUST_CHECK;
