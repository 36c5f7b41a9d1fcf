/* learned.c - see learned.h. */
#include "lookup/learned.h"

#include "lookup/lookup.h"

at_status atx_learned_path(atx_str *out, const char *db, at_error *err)
{
    atx_str_reset(out);
    atx_str_addf(out, "%s" ATX_MODEL_SUFFIX, db);
    return atx_str_status(out, err);
}

static at_status renew(atx_model **out, const atx_learning *l, atx_store *store, const char *path,
                       at_error *err)
{
    atx_model *known = NULL, *model = NULL;
    atx_cancel cancel = { .flag = l->cancel };
    at_status status =
        !l->alone && atx_shipped_wanted(false) ? atx_model_shipped(&known, NULL, NULL, err) : AT_OK;
    ATX_THEN(status,
             atx_model_learn(&model, l->catalog, &(atx_training_data){ &store, 1, known, 0 }, &cancel, err));
    if (status == AT_OK && model)
        status = atx_model_write(model, path, err);
    atx_model_close(known);
    if (status == AT_OK)
        *out = model;
    else
        atx_model_close(model);
    return status;
}

/* The store and the path of its model. */
typedef struct opened {
    atx_store *store;
    atx_str path;
} opened;

static void close_opened(opened *o)
{
    atx_store_close(o->store);
    atx_str_clear(&o->path);
}

static at_status open_due(opened *out, bool *due, const atx_learning *l, at_error *err)
{
    const atx_cancel cancel = { .flag = l->cancel };
    *due = false;
    ATX_TRY(atx_store_open_unless(&out->store, l->db, ATX_STORE_READ, &cancel, err));
    ATX_TRY(atx_learned_path(&out->path, l->db, err));
    return atx_model_is_due(due, out->store, atx_str_text(&out->path), l->more, err);
}

at_status atx_learned_is_due(bool *due, const atx_learning *l, at_error *err)
{
    opened o = { .store = NULL };
    at_status status = open_due(&o, due, l, err);
    close_opened(&o);
    return status;
}

at_status atx_learned_renew(atx_model **out, const atx_learning *l, at_error *err)
{
    opened o = { .store = NULL };
    bool due = false;
    *out = NULL;
    at_status status = open_due(&o, &due, l, err);
    if (status == AT_OK && due)
        status = renew(out, l, o.store, atx_str_text(&o.path), err);
    close_opened(&o);
    return status;
}
