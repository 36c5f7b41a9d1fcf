/*
 * import.c - which declaration belongs to which recording: the one that has all its parameters.
 * Recordings become items in the order of the files; declarations that none of them took follow. An
 * item holds an op in our own language and the rows of its trials, ready to be stored.
 */
#include "exchange/import.h"

#include "exchange/import_declare.h"
#include "lang/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which belongs to which ---- */

/* A recording, a file for each template of it. */
typedef struct files {
    atx_import_file *items;
    size_t count, cap;
} files;

/* Does the declaration know all parameters of the recording? */
static bool covers(const atx_import_file *space, const atx_import_file *recording)
{
    for (int i = 0; i < recording->param_count; i++)
        if (atx_import_find_param(space, recording->params[i].name, strlen(recording->params[i].name)) < 0)
            return false;
    return space->format->declares;
}

static atx_import_file *find_space(files *f, const atx_import_file *recording)
{
    for (size_t i = 0; i < f->count; i++)
        if (covers(&f->items[i], recording)) {
            f->items[i].used = true;
            return &f->items[i];
        }
    return NULL;
}

/* Where each value of `p` stands among the declared ones. */
static at_status find_places(uint16_t *out, const atx_import_param *p, const atx_import_param *declared,
                             const atx_import_file *recording, const char *declared_in, at_error *err)
{
    for (size_t k = 0; k < p->count; k++) {
        int place = atx_import_find_value(declared, &p->values[k]);
        if (place < 0)
            return atx_json_fail(&recording->json, p->node, 0, err,
                                 "found a value of %s that %s does not declare; expected one of its", p->name,
                                 declared_in);
        out[k] = (uint16_t)place;
    }
    return AT_OK;
}

static at_status copy_values(atx_import_param *p, const atx_import_param *from, at_error *err)
{
    atx_import_clear_values(p);
    for (size_t k = 0; k < from->count; k++) {
        atx_import_value value = from->values[k];
        if (value.word && !(value.word = atx_text_copy(value.word, strlen(value.word))))
            return atx_no_memory(err);
        ATX_TRY(atx_import_add_value(p, &value, err));
    }
    return AT_OK;
}

/* T4 results say only which values occur: they take the declared ones, in their order. */
static at_status adopt_values(atx_import_file *recording, const atx_import_file *space, at_error *err)
{
    uint16_t now[ATX_MAX_VALUES];
    for (int i = 0; i < recording->param_count; i++) {
        atx_import_param *p = &recording->params[i];
        const atx_import_param *declared =
            &space->params[atx_import_find_param(space, p->name, strlen(p->name))];
        at_status status = find_places(now, p, declared, recording, space->path, err);
        ATX_THEN(status, copy_values(p, declared, err));
        if (status != AT_OK)
            return status;
        for (size_t k = 0; k < recording->trial_count; k++)
            recording->trials[k].places[i] = now[recording->trials[k].places[i]];
    }
    return AT_OK;
}

/* ---- one item ---- */

static at_status name_device(atx_fingerprint *out, const atx_import_file *file,
                             const atx_import_options *options, at_error *err)
{
    const char *slash = strrchr(file->path, '/'), *base = slash ? slash + 1 : file->path;
    const char *name = options->device ? options->device : file->device;
    const size_t len = name[0] ? strlen(name) : strcspn(base, ".");
    if (len >= sizeof out->device)
        return atx_fail(err, AT_ERR_INPUT,
                        "%s: found a device's name of %zu characters; expected at most %zu, with --device",
                        file->path, len, sizeof out->device - 1);
    memcpy(out->device, name[0] ? name : base, len);
    out->device[len] = '\0';
    snprintf(out->tool, sizeof out->tool, "%s", file->format->tool);
    return AT_OK;
}

static char *owned(atx_str *text)
{
    char *copy = text->failed ? NULL : atx_text_copy(atx_str_text(text), text->len);
    atx_str_clear(text);
    return copy;
}

static at_status fill_row(atx_trial_row *out, const atx_imported *item, const atx_import_file *file,
                          const atx_import_trial *trial, at_error *err)
{
    atx_str config_text = { 0 }, log = { 0 }, when = { 0 };
    at_error cause = { 0 };
    atx_config config;
    atx_import_config(&config, item->t, trial);
    atx_config_text(&config_text, item->t, &config);
    if (trial->failure)
        atx_json_add_text(&log, &file->json, trial->failure);
    atx_str_add(&when, trial->measured_at);
    *out = (atx_trial_row){ .template_name = item->t->name,
                            .template_hash = item->t->text.hash,
                            .config = owned(&config_text),
                            .outcome = trial->outcome,
                            .timing = trial->timing,
                            .resources = trial->resources,
                            .compile_s = trial->compile_s,
                            .log = owned(&log),
                            .measured_at = owned(&when) };
    if (!out->config || !out->log || !out->measured_at)
        return atx_no_memory(err);
    if (atx_trial_check(out, &cause) != AT_OK)
        return atx_json_fail(&file->json, trial->node, 0, err, "%s", cause.text);
    return AT_OK;
}

static at_status fill_rows(atx_imported *item, const atx_import_file *file, at_error *err)
{
    at_status status = AT_OK;
    item->rows = calloc(file->trial_count + 1, sizeof *item->rows);
    if (!item->rows)
        return atx_no_memory(err);
    for (size_t i = 0; i < file->trial_count && status == AT_OK; i++) {
        status = fill_row(&item->rows[i], item, file, &file->trials[i], err);
        item->outcomes[file->trials[i].outcome]++;
        item->count++;
    }
    return status;
}

static at_status fill_item(atx_imported *item, atx_import_file *file, atx_import_file *space,
                           const atx_import_options *options, at_error *err)
{
    *item = (atx_imported){ .path = file->path, .torn = file->json.torn, .number = file->number };
    if (space && space != file && !file->fixed)
        ATX_TRY(adopt_values(file, space, err));
    ATX_TRY(atx_import_declare(item, file, space, options, err));
    const atx_import_file *sized = file->size_count || !space ? file : space;
    ATX_TRY(atx_import_problem(&item->problem, item, sized, err));
    ATX_TRY(name_device(&item->fingerprint, file, options, err));
    return fill_rows(item, file, err);
}

static at_status add_item(atx_import *out, atx_import_file *file, atx_import_file *space,
                          const atx_import_options *options, at_error *err)
{
    if (!atx_grow(&out->items, &out->cap, out->count, sizeof *out->items))
        return atx_no_memory(err);
    return fill_item(&out->items[out->count++], file, space, options, err);
}

/* Recordings in their order, then the declarations that none of them took. */
static at_status add_items(atx_import *out, files *f, const atx_import_options *options, at_error *err)
{
    for (size_t i = 0; i < f->count; i++)
        if (!f->items[i].format->declares)
            ATX_TRY(add_item(out, &f->items[i], find_space(f, &f->items[i]), options, err));
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].format->declares && !f->items[i].used)
            ATX_TRY(add_item(out, &f->items[i], &f->items[i], options, err));
    return AT_OK;
}

/* The state of reading one file, with the rows that its trials become. */
static size_t bytes_of(const atx_import_file *file)
{
    size_t shared = file->shares ? 0 : file->text.cap + file->json.count * sizeof *file->json.nodes;
    return shared + file->trial_count * (sizeof *file->trials + sizeof(atx_trial_row) + 3 * 32);
}

/* A file, or another template of the one before it. */
static at_status read_one(files *f, const char *path, int number, size_t *bytes, at_error *err)
{
    if (!atx_grow(&f->items, &f->cap, f->count, sizeof *f->items))
        return atx_no_memory(err);
    atx_import_file *file = &f->items[f->count];
    ATX_TRY(number ? atx_import_file_read_template(file, file - 1, number, err)
                   : atx_import_file_read(file, path, err));
    f->count++;
    *bytes += bytes_of(file);
    return *bytes <= ATX_IMPORT_MAX_BYTES
               ? AT_OK
               : atx_fail(
                     err, AT_ERR_INPUT,
                     "%s: with the files before it, found more than %zu bytes of memory in use; expected "
                     "fewer files at once",
                     path, ATX_IMPORT_MAX_BYTES);
}

static at_status read_all(files *f, const char *const *paths, int count, at_error *err)
{
    at_status status = AT_OK;
    size_t bytes = 0;
    for (int i = 0; i < count && status == AT_OK; i++) {
        status = read_one(f, paths[i], 0, &bytes, err);
        int templates = status == AT_OK ? f->items[f->count - 1].template_count : 0;
        for (int k = 1; k < templates && status == AT_OK; k++)
            status = read_one(f, paths[i], k, &bytes, err);
    }
    return status;
}

at_status atx_import_read(atx_import *out, const char *const *paths, int count,
                          const atx_import_options *options, at_error *err)
{
    files f = { 0 };
    atx_import import = { 0 };
    at_status status = AT_OK;
    if (count > ATX_IMPORT_MAX_FILES)
        return atx_fail(err, AT_ERR_USAGE, "found %d files; expected at most %d at once", count,
                        ATX_IMPORT_MAX_FILES);
    status = read_all(&f, paths, count, err);
    ATX_THEN(status, add_items(&import, &f, options, err));
    if (status == AT_OK)
        *out = import;
    else
        atx_import_clear(&import);
    for (size_t i = 0; i < f.count; i++)
        atx_import_file_clear(&f.items[i]);
    free(f.items);
    return status;
}

void atx_import_clear(atx_import *import)
{
    for (size_t i = 0; i < import->count; i++) {
        atx_imported *item = &import->items[i];
        for (size_t k = 0; k < item->count; k++) {
            free((void *)item->rows[k].config);
            free((void *)item->rows[k].log);
            free((void *)item->rows[k].measured_at);
        }
        free(item->rows);
        atx_str_clear(&item->declaration);
        atx_template_close(item->t);
        atx_op_close(item->op);
    }
    free(import->items);
    *import = (atx_import){ 0 };
}

/* ---- storing ---- */

typedef struct looking {
    const atx_imported *item;
    const char *path;
    bool differs;
} looking;

static bool look(void *context, const char *path, const char *text, size_t len)
{
    looking *l = context;
    if (strcmp(path, l->path) == 0 &&
        (len != l->item->declaration.len || memcmp(text, l->item->declaration.data, len) != 0))
        l->differs = true;
    return !l->differs;
}

at_status atx_import_store(const atx_imported *item, atx_store *store, at_error *err)
{
    char path[sizeof ATX_RECORDED_PATH + 2 * ATX_MAX_NAME + 8];
    atx_problem_key key;
    ATX_LOCAL(atx_str) shape = { 0 };
    if (item->number == 0)
        snprintf(path, sizeof path, ATX_RECORDED_PATH "%s.cu", item->op->name);
    else
        snprintf(path, sizeof path, ATX_RECORDED_PATH "%s/%s.cu", item->op->name, item->t->name);
    looking l = { .item = item, .path = path };
    ATX_TRY(atx_store_each_recorded(store, look, &l, err));
    if (l.differs)
        return atx_fail(
            err, AT_ERR_INPUT,
            "%s: operation %s is in the database already, with other parameters, values or conditions; "
            "expected another --name or --db",
            item->path, item->op->name);
    ATX_TRY(atx_problem_key_of(&key, &shape, &item->problem, err));
    ATX_TRY(atx_store_put_source(store, item->t->text.hash, path, item->declaration.data,
                                 item->declaration.len, err));
    return atx_store_put_trials(store, 0, &key, &item->fingerprint, item->rows, item->count, err);
}
