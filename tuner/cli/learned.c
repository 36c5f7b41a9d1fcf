/* learned.c - see learned.h. */
#include "cli/learned.h"

#include "cli/commands.h"
#include "lookup/lookup.h"

at_status at__learned_path(at__str *out, const char *db, at_error *err)
{
    at__str_reset(out);
    at__str_addf(out, "%s" AT__MODEL_SUFFIX, db);
    return at__str_status(out, err);
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
    at_status status = at__shipped_wanted() ? at__model_shipped(&known, NULL, NULL, err) : AT_OK;
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
    const at__cancel cancel = { .flag = &at__cancel_requested };
    at__store *store = NULL;
    at__str path = { 0 };
    bool due = false;
    *trials = 0;
    at_status status = at__store_open_unless(&store, db, AT__STORE_READ, &cancel, err);
    if (status == AT_OK)
        status = at__learned_path(&path, db, err);
    if (status == AT_OK)
        status = at__model_is_due(&due, store, at__str_text(&path), err);
    if (status == AT_OK && due)
        status = renew(trials, catalog, store, at__str_text(&path), err);
    at__str_clear(&path);
    at__store_close(store);
    return status;
}
