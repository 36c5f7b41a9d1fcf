/*
 * lookup_device.c - which device a question is about, where it names one. Names come from the store, from
 * what ships, and last from the user's model, whose trials may be another database's: it is read only where
 * the others do not have the name.
 */
#include "lookup/lookup_index.h"

#include "model/model.h"

#include <stdio.h>
#include <string.h>

static at_status add_shipped(at__device_names *names, at_error *err)
{
    at_status status = AT_OK;
    for (size_t i = 0; i < at__shipped_group_count && status == AT_OK; i++)
        status = at__device_names_add(names, at__shipped_groups[i].device, err);
    return status;
}

/* A model that cannot be read is as good as none: the answer will tell. */
static at_status add_learned(at__device_names *names, const at__store *store, at_error *err)
{
    at__model *model = NULL;
    at__lessons part;
    at__str path = { 0 };
    at__str_addf(&path, "%s%s", at__store_file(store), AT__MODEL_SUFFIX);
    at_status status = at__str_status(&path, err);
    if (status == AT_OK && at__model_read(&model, at__str_text(&path), NULL) == AT_OK)
        for (int i = 0; status == AT_OK && at__model_part(&part, model, i); i++)
            status = at__device_names_add(names, part.device, err);
    at__model_close(model);
    at__str_clear(&path);
    return status;
}

/* What is published of a GPU that nothing else is known of; false: nothing is, or the name is not in full. */
static bool take_published(at__target *out, const at__target *asked)
{
    const at__gpu_model *row = at__gpu_model_find(asked->name);
    if (!row)
        return false;
    *out = (at__target){ .cc = row->cc, .sms = row->sms, .full = true };
    snprintf(out->name, sizeof out->name, "%s%s", row->name, asked->name + strlen(row->name));
    return true;
}

/* GPUs that the words may mean, though nothing was measured on them. */
static void add_hint(at__str *out, const char *words)
{
    int found = 0;
    const at__gpu_model *row;
    for (int i = 0; (row = at__gpu_model_at(i)); i++)
        if (at__device_name_has(row->name, words))
            at__str_addf(
                out, "%s'%s'",
                found++ ? ", " : "; a GPU on which nothing was measured is named in full: ", row->name);
}

static at_status choose(at__target *out, const at__target *asked, at__device_names *names,
                        const at__store *store, at_error *err)
{
    bool several;
    at__str hint = { 0 };
    at_status status = AT_OK;
    const char *found = at__device_names_find(&several, names, asked->name);
    if (!found && !several && store) {
        status = add_learned(names, store, err);
        found = status == AT_OK ? at__device_names_find(&several, names, asked->name) : NULL;
    }
    *out = *asked;
    out->full = true;
    if (found)
        snprintf(out->name, sizeof out->name, "%s", found);
    if (status != AT_OK || found || (!several && (asked->cc || take_published(out, asked))))
        return status;
    add_hint(&hint, asked->name);
    status = at__device_names_choose(out->name, names, asked->name, at__str_text(&hint), err);
    at__str_clear(&hint);
    return status;
}

at_status at__lookup_device(at__target *out, const at__target *asked, at__store *store, bool with_shipped,
                            at_error *err)
{
    at__device_names names = { .count = 0 };
    at_status status = AT_OK;
    if (asked->full || !asked->name[0]) {
        *out = *asked;
        return AT_OK;
    }
    if (store)
        status = at__store_device_names(&names, store, err);
    if (status == AT_OK && with_shipped)
        status = add_shipped(&names, err);
    if (status == AT_OK)
        status = choose(out, asked, &names, store, err);
    at__device_names_clear(&names);
    return status;
}

static bool is_same(const at__target *a, const at__target *b)
{
    return strcmp(a->name, b->name) == 0 && a->cc == b->cc && a->sms == b->sms;
}

at_status at__lookup_meant(at__target *out, at__lookup *l, const at__target *asked, at_error *err)
{
    at__target meant;
    at_status status = asked->full || !asked->name[0] ? AT_OK : at__index_refresh(l, err);
    if (status != AT_OK || asked->full || !asked->name[0]) {
        *out = *asked;
        return status;
    }
    if (l->named.name[0] && is_same(&l->named, asked)) {
        *out = l->meant;
        return AT_OK;
    }
    status = at__lookup_device(&meant, asked, l->store, l->with_shipped, err);
    if (status == AT_OK) {
        l->named = *asked;
        *out = l->meant = meant;
    }
    return status;
}
