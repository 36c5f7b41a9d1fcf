/* learned.c - see learned.h. */
#include "cli/learned.h"

#include "cli/commands.h"
#include "lookup/lookup.h"

at_status atx_learned_path(atx_str *out, const char *db, at_error *err)
{
    atx_str_reset(out);
    atx_str_addf(out, "%s" ATX_MODEL_SUFFIX, db);
    return atx_str_status(out, err);
}

static int64_t trials_of(const atx_model *model)
{
    atx_training_samples part;
    int64_t trials = 0;
    for (int i = 0; atx_model_of_op(&part, model, i); i++)
        trials += part.trials;
    return trials;
}

static at_status renew(int64_t *trials, const atx_catalog *catalog, atx_store *store, const char *path,
                       at_error *err)
{
    atx_model *known = NULL, *model = NULL;
    atx_cancel cancel = { .flag = &atx_cancel_requested };
    at_status status = atx_shipped_wanted(false) ? atx_model_shipped(&known, NULL, NULL, err) : AT_OK;
    ATX_THEN(status, atx_model_learn(&model, catalog, &store, 1, known, &cancel, err));
    if (status == AT_OK && model)
        status = atx_model_write(model, path, err);
    if (status == AT_OK)
        *trials = trials_of(model);
    atx_model_close(model);
    atx_model_close(known);
    return status;
}

at_status atx_learned_renew(int64_t *trials, const atx_catalog *catalog, const char *db, at_error *err)
{
    const atx_cancel cancel = { .flag = &atx_cancel_requested };
    atx_store *store = NULL;
    atx_str path = { 0 };
    bool due = false;
    *trials = 0;
    at_status status = atx_store_open_unless(&store, db, ATX_STORE_READ, &cancel, err);
    ATX_THEN(status, atx_learned_path(&path, db, err));
    ATX_THEN(status, atx_model_is_due(&due, store, atx_str_text(&path), err));
    if (status == AT_OK && due)
        status = renew(trials, catalog, store, atx_str_text(&path), err);
    atx_str_clear(&path);
    atx_store_close(store);
    return status;
}
