/*
 * lookup_device.c - the device of a look-up. Names come from the store, from the bundled results, and last
 * from the user's model, whose trials may be in another database: it is read only if the others do not have
 * the name. If no device is named, it is the model of this machine's GPUs, read from the driver without CUDA:
 * `Model: NVIDIA H200` in each GPU's `information`. Unreadable files count as missing.
 */
#include "lookup/lookup_internal.h"

#include "model/model.h"
#include "util/str.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static at_status add_shipped(atx_device_names *names, at_error *err)
{
    for (size_t i = 0; i < atx_shipped_group_count; i++)
        ATX_TRY(atx_device_names_add(names, atx_shipped_groups[i].device, err));
    return AT_OK;
}

/* A model that cannot be read is as good as none: the answer will tell. */
static at_status add_learned(atx_device_names *names, const atx_store *store, at_error *err)
{
    ATX_CLOSED(atx_model) *model = NULL;
    atx_training_samples part;
    ATX_LOCAL(atx_str) path = { 0 };
    atx_str_addf(&path, "%s%s", atx_store_file(store), ATX_MODEL_SUFFIX);
    at_status status = atx_str_status(&path, err);
    if (status == AT_OK && atx_model_read(&model, atx_str_text(&path), NULL) == AT_OK)
        for (int i = 0; status == AT_OK && atx_model_of_op(&part, model, i); i++)
            status = atx_device_names_add(names, part.device, err);
    return status;
}

/* What is published of a GPU that nothing else is known of; false: nothing is, or the name is not in full. */
static bool take_published(atx_target *out, const atx_target *asked)
{
    const atx_gpu_model *row = atx_gpu_model_find(asked->name);
    if (!row)
        return false;
    *out = (atx_target){ .cc = row->cc, .sms = row->sms, .full = true };
    snprintf(out->name, sizeof out->name, "%s%s", row->name, asked->name + strlen(row->name));
    return true;
}

/* GPUs that the words may mean, though nothing was measured on them. */
static void add_hint(atx_str *out, const char *words)
{
    int found = 0;
    const atx_gpu_model *row;
    for (int i = 0; (row = atx_gpu_model_at(i)); i++)
        if (atx_device_name_has(row->name, words))
            atx_str_addf(
                out, "%s'%s'",
                found++ ? ", " : "; a GPU on which nothing was measured is named in full: ", row->name);
}

static at_status choose(atx_target *out, const atx_target *asked, atx_device_names *names,
                        const atx_store *store, at_error *err)
{
    bool several;
    ATX_LOCAL(atx_str) hint = { 0 };
    at_status status = AT_OK;
    const char *found = atx_device_names_find(&several, names, asked->name);
    if (!found && !several && store) {
        status = add_learned(names, store, err);
        found = status == AT_OK ? atx_device_names_find(&several, names, asked->name) : NULL;
    }
    *out = *asked;
    out->full = true;
    if (found)
        snprintf(out->name, sizeof out->name, "%s", found);
    if (status != AT_OK || found || (!several && (asked->cc || take_published(out, asked))))
        return status;
    add_hint(&hint, asked->name);
    status = atx_device_names_choose(out->name, names, asked->name, atx_str_text(&hint), err);
    return status;
}

at_status atx_lookup_device(atx_target *out, const atx_target *asked, atx_store *store, bool with_shipped,
                            at_error *err)
{
    ATX_LOCAL(atx_device_names) names = { .count = 0 };
    if (asked->full || !asked->name[0]) {
        *out = *asked;
        return AT_OK;
    }
    if (store)
        ATX_TRY(atx_store_device_names(&names, store, err));
    if (with_shipped)
        ATX_TRY(add_shipped(&names, err));
    return choose(out, asked, &names, store, err);
}

/* ---- this machine's GPUs ---- */

/* The value of the line that begins with `Model:`; empty: there is none, or it does not fit. */
static void read_model(char *name, size_t size, const char *path)
{
    *name = '\0';
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    char line[256];
    while (!*name && fgets(line, sizeof line, file)) {
        if (strncmp(line, "Model:", 6) != 0)
            continue;
        const char *value = line + 6 + strspn(line + 6, " \t");
        size_t length = strcspn(value, "\r\n");
        if (length > 0 && length < size && value[length])
            snprintf(name, size, "%.*s", (int)length, value);
    }
    fclose(file);
}

void atx_installed_model(char *name, size_t size, const char *folder)
{
    *name = '\0';
    DIR *gpus = opendir(folder);
    if (!gpus)
        return;
    for (const struct dirent *each; (each = readdir(gpus));) {
        char model[128];
        ATX_LOCAL(atx_str) path = { 0 };
        if (each->d_name[0] == '.')
            continue;
        atx_str_addf(&path, "%s/%s/information", folder, each->d_name);
        read_model(model, sizeof model, atx_str_text(&path));
        bool another = *name && strcmp(name, model) != 0;
        if (!*model || another || strlen(model) >= size) {
            *name = '\0';
            break;
        }
        snprintf(name, size, "%s", model);
    }
    closedir(gpus);
}
