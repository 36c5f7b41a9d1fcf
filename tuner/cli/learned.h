/*
 * learned.h - the model beside a database: made by `autotune learn`, and by `tune` where that pays.
 */
#pragma once

#include "lang/catalog.h"
#include "model/model.h"

/* FILE-model. Replaces *out. */
at_status atx_learned_path(atx_str *out, const char *db, at_error *err) AT_MUST_CHECK;

/*
 * After tuning: learns anew from the database's trials, and from what autotune knows, where enough of them
 * are new (atx_model_is_behind), and not so many that it would take long. *trials is 0 where nothing was
 * done: that does not pay, there is nothing to learn from, or the model is one that its user made otherwise.
 * AT_ERR_CANCELLED: the signal; the model is as it was, as on every failure.
 */
at_status atx_learned_renew(int64_t *trials, const atx_catalog *catalog, const char *db,
                            at_error *err) AT_MUST_CHECK;
