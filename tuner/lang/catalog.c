/*
 * catalog.c - reads files into ops and templates. Built-in files come first, then those of --templates: the
 * later one of two templates with one name wins, and a folder without an op adds to the built-in op of its
 * name. The last op that declares itself the default is the default. catalog_built_in.c lists the built-in
 * ones by the names of their files, and reads them at their first use, or all at once.
 *
 * The common code of all folders is read before the files that may use it; the user's takes precedence over
 * the built-in for the user's files only, so that a built-in template has the same text and the same hash
 * with every folder. In each folder the op is read first, since its templates are parsed against it; names
 * are sorted by byte value, so every machine has one order. Invariant: a template's op is in the catalog for
 * as long as the template is; nothing is removed from an open catalog.
 */
#include "lang/catalog.h"

#include "lang/catalog_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "declare/declare_common.h"
#include "declare/declare_lines.h" /* ATX_MAX_SOURCE */
#include "util/regular.h"

/* A file that was read into memory. Both are owned by the folder that holds it, unless built in. */
typedef struct source_file {
    char *path;
    const char *text;
    size_t len;
    char *owned; /* NULL when built in */
} source_file;

typedef struct folder {
    char name[ATX_MAX_NAME]; /* cut when longer: then it is no op's name anyway */
    source_file *files;
    size_t count, cap;
} folder;

/* ---- folders ---- */

static void folder_clear(folder *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->files[i].path);
        free(f->files[i].owned);
    }
    free(f->files);
    *f = (folder){ 0 };
}

/* Takes `owned`. */
static at_status add_file(folder *f, const char *path, const char *text, size_t len, char *owned,
                          at_error *err)
{
    source_file file = {
        .path = atx_text_copy(path, strlen(path)), .text = text, .len = len, .owned = owned
    };
    if (!file.path || !atx_grow(&f->files, &f->cap, f->count, sizeof *f->files)) {
        free(file.path);
        free(owned);
        return atx_no_memory(err);
    }
    f->files[f->count++] = file;
    return AT_OK;
}

/* The last part of a path, without slashes at its end. */
static void name_folder(folder *f, const char *path, size_t len)
{
    while (len && path[len - 1] == '/')
        len--;
    size_t begin = len;
    while (begin && path[begin - 1] != '/')
        begin--;
    size_t n = len - begin < ATX_MAX_NAME - 1 ? len - begin : ATX_MAX_NAME - 1;
    memcpy(f->name, path + begin, n);
    f->name[n] = '\0';
}

/* ---- ops and templates of one folder ---- */

static at_status add_op(atx_catalog *c, const source_file *file, const atx_op **out, at_error *err)
{
    atx_op *op = NULL;
    const atx_op *known = NULL;
    at_status status = atx_op_read_with(&op, &c->commons, file->text, file->len, file->path, err);
    ATX_THEN(status, atx_catalog_get_op(&known, c, op->name, err));
    if (status != AT_OK)
        goto done;
    if (known && strcmp(known->text.hash, op->text.hash) == 0) { /* a copy of a built-in folder */
        *out = known;
        goto done;
    }
    if (known) {
        status = atx_fail(err, AT_ERR_INPUT,
                          "%s: found op '%s', which %s declares differently; expected another name",
                          file->path, op->name, known->text.file);
        goto done;
    }
    if (!atx_grow(&c->ops, &c->op_cap, c->op_count, sizeof *c->ops)) {
        status = atx_no_memory(err);
        goto done;
    }
    for (size_t i = 0; op->by_default && i < c->op_count; i++)
        atx_catalog_no_default(&c->ops[i]); /* the user's goes before ours */
    c->has_default = c->has_default || op->by_default;
    atx_held_op *held = &c->ops[c->op_count++];
    *held = (atx_held_op){ .file = NULL };
    strcpy(held->name, op->name);
    atomic_init(&held->op, op);
    *out = op;
    op = NULL;
done:
    atx_op_close(op);
    return status;
}

/* The op that the folder's templates belong to: declared there, or known by the folder's name. */
static at_status find_folder_op(atx_catalog *c, const folder *f, const atx_op **out, at_error *err)
{
    const source_file *declared = NULL;
    for (size_t i = 0; i < f->count; i++) {
        if (!atx_declares(f->files[i].text, f->files[i].len, "op"))
            continue;
        if (declared)
            return atx_fail(err, AT_ERR_INPUT, "%s: found a second op in this folder, after %s; expected one",
                            f->files[i].path, declared->path);
        declared = &f->files[i];
    }
    return declared ? add_op(c, declared, out, err) : atx_catalog_get_op(out, c, f->name, err);
}

/* Takes the template. One of the user's replaces a built-in one of that name. */
static at_status place_template(atx_catalog *c, atx_template *t, at_error *err)
{
    size_t i = atx_catalog_index(c, t->op, t->name);
    at_status status = AT_OK;
    atx_held_template placed = { .of = atx_catalog_op_index(c, t->op) };
    strcpy(placed.name, t->name);
    atomic_init(&placed.t, t);

    if (i < c->template_count && !c->templates[i].file) {
        status =
            atx_fail(err, AT_ERR_INPUT, "%s: found template '%s', which is also in %s; expected another name",
                     t->text.file, t->name, atomic_load(&c->templates[i].t)->text.file);
    } else if (i < c->template_count) {
        atx_template_close(atomic_load(&c->templates[i].t));
        c->templates[i] = placed;
        t = NULL;
    } else if (!atx_grow(&c->templates, &c->template_cap, c->template_count, sizeof *c->templates)) {
        status = atx_no_memory(err);
    } else {
        c->templates[c->template_count++] = placed;
        t = NULL;
    }
    atx_template_close(t);
    return status;
}

static at_status add_template(atx_catalog *c, const atx_op *op, const folder *f, const source_file *file,
                              at_error *err)
{
    atx_template *t = NULL;
    if (!op)
        return atx_fail(err, AT_ERR_INPUT,
                        "%s: found a template, but no op in its folder and none called '%s'; "
                        "expected a file that declares the op, or the folder of a known op",
                        file->path, f->name);
    ATX_TRY(atx_template_read_with(&t, op, &c->commons, file->text, file->len, file->path, err));
    return place_template(c, t, err);
}

/* A file without any declaration is left alone; one whose declaration is of no known kind is an error. */
static at_status check_kind(const source_file *file, at_error *err)
{
    atx_lines lines;
    if (!memmem(file->text, file->len, "!autotune", 9))
        return AT_OK;
    return atx_lines_open(&lines, file->text, file->len, file->path, "op", err);
}

static at_status add_declared(atx_catalog *c, const atx_op *op, const folder *f, const source_file *file,
                              at_error *err)
{
    if (atx_declares(file->text, file->len, "template"))
        return add_template(c, op, f, file, err);
    return atx_declares(file->text, file->len, "op") ? AT_OK : check_kind(file, err);
}

/* Reports an error in the user's input, which is left out; the rest is used. */
static at_status leave_out(const atx_catalog *c, at_status status, const char *what, const at_error *cause,
                           at_error *err)
{
    if (status != AT_ERR_INPUT || !c->broken)
        return status == AT_OK ? AT_OK : atx_fail(err, status, "%s", cause->text);
    at_error told;
    atx_fail(&told, status, "%s; %s", cause->text, what);
    c->broken(c->context, told.text);
    return AT_OK;
}

static at_status add_folder(atx_catalog *c, const folder *f, at_error *err)
{
    const atx_op *op = NULL;
    at_error cause = { 0 };
    at_status status = find_folder_op(c, f, &op, &cause);

    if (status != AT_OK)
        return leave_out(c, status, "this folder is left out", &cause, err);
    for (size_t i = 0; status == AT_OK && i < f->count; i++)
        status =
            leave_out(c, add_declared(c, op, f, &f->files[i], &cause), "this file is left out", &cause, err);
    return status;
}

/* ---- --templates DIR ---- */

typedef struct name_list {
    char **names;
    size_t count, cap;
} name_list;

static void names_clear(name_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (name_list){ 0 };
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static at_status add_name(name_list *list, const char *name, at_error *err)
{
    if (!atx_grow(&list->names, &list->cap, list->count, sizeof *list->names))
        return atx_no_memory(err);
    if (!(list->names[list->count] = atx_text_copy(name, strlen(name))))
        return atx_no_memory(err);
    list->count++;
    return AT_OK;
}

/* Names in a folder, sorted by byte value so that every machine has one order; hidden ones are left out. */
static at_status list_names(name_list *out, const char *path, at_error *err)
{
    at_status status = AT_OK;
    struct dirent *entry;
    DIR *dir = opendir(path);
    if (!dir)
        return atx_fail(err, AT_ERR_INPUT, "templates: %s: %s; expected a folder that can be read", path,
                        strerror(errno));
    for (errno = 0; status == AT_OK && (entry = readdir(dir)) != NULL; errno = 0)
        if (entry->d_name[0] != '.')
            status = add_name(out, entry->d_name, err);
    if (status == AT_OK && errno)
        status = atx_fail(err, AT_ERR_INPUT, "%s: %s", path, strerror(errno));
    closedir(dir);
    if (status == AT_OK && out->count)
        qsort(out->names, out->count, sizeof *out->names, compare_names);
    return status;
}

static void join_path(atx_str *out, const char *folder_path, const char *name)
{
    size_t len = strlen(folder_path);
    atx_str_reset(out);
    atx_str_addf(out, "%s%s%s", folder_path, len && folder_path[len - 1] == '/' ? "" : "/", name);
}

static bool ends_in(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

static at_status read_source(folder *f, const char *path, const atx_allowed *allowed, at_error *err)
{
    atx_str text = { 0 };
    at_status status = atx_allowed_check(allowed, path, err);
    ATX_THEN(status, atx_regular_read(&text, path, ATX_MAX_SOURCE, err));
    if (status != AT_OK)
        return status;
    /* The folder takes the text; an empty file has none. */
    return add_file(f, path, atx_str_text(&text), text.len, text.data, err);
}

/* What bears a template's name and is no file would otherwise be passed over in silence. */
static at_status refuse_kind(const char *path, mode_t mode, at_error *err)
{
    return atx_fail(err, AT_ERR_INPUT, "%s: found %s; expected a file", path, atx_file_kind(mode));
}

/* The regular files of one folder whose names end so, and, when asked for, the sub-folders' names. */
static at_status read_folder(folder *f, name_list *sub, const char *path, const char *ending,
                             const atx_allowed *allowed, at_error *err)
{
    name_list list = { 0 };
    ATX_LOCAL(atx_str) full = { 0 };
    struct stat info;

    name_folder(f, path, strlen(path));
    at_status status = list_names(&list, path, err);
    for (size_t i = 0; status == AT_OK && i < list.count; i++) {
        join_path(&full, path, list.names[i]);
        bool source = ends_in(list.names[i], ending);
        if ((status = atx_str_status(&full, err)) != AT_OK)
            break;
        if (stat(full.data, &info) != 0) { /* a dangling link, or a loop of them */
            status = source ? atx_fail(err, AT_ERR_INPUT, "%s: %s", full.data, strerror(errno)) : AT_OK;
            continue;
        }
        if (source && !S_ISREG(info.st_mode))
            status = refuse_kind(full.data, info.st_mode, err);
        else if (source)
            status = read_source(f, full.data, allowed, err);
        else if (S_ISDIR(info.st_mode) && sub)
            status = add_name(sub, full.data, err);
    }
    names_clear(&list);
    return status;
}

static at_status add_path(atx_catalog *c, name_list *sub, const char *path, size_t *files, at_error *err)
{
    ATX_LOCAL(folder) f = { 0 };
    at_status status = read_folder(&f, sub, path, ".cu", c->allowed, err);
    ATX_THEN(status, add_folder(c, &f, err));
    *files += f.count;
    return status;
}

/* DIR/common/NAME.cuh, if there is such a folder. */
static at_status add_commons(atx_catalog *c, const char *dir, at_error *err)
{
    ATX_LOCAL(folder) f = { 0 };
    ATX_LOCAL(atx_str) path = { 0 };
    struct stat info;

    join_path(&path, dir, "common");
    at_status status = atx_str_status(&path, err);
    if (status == AT_OK && stat(path.data, &info) == 0 && S_ISDIR(info.st_mode))
        status = read_folder(&f, NULL, path.data, ".cuh", c->allowed, err);
    for (size_t i = 0; i < f.count && status == AT_OK; i++)
        status = atx_commons_add(&c->commons, f.files[i].text, f.files[i].len, f.files[i].path, err);
    return status;
}

static at_status add_directory(atx_catalog *c, const char *dir, at_error *err)
{
    name_list sub = { 0 };
    size_t files = 0;
    c->commons.allowed = c->allowed;
    at_status status = add_commons(c, dir, err);
    ATX_THEN(status, add_path(c, &sub, dir, &files, err));
    for (size_t i = 0; status == AT_OK && i < sub.count; i++)
        status = add_path(c, NULL, sub.names[i], &files, err);
    if (status == AT_OK && files == 0)
        status = atx_fail(err, AT_ERR_INPUT,
                          "%s: found no .cu file in it or its sub-folders; expected templates", dir);
    c->commons.allowed = NULL; /* declarations of a recording are text, whatever they name */
    names_clear(&sub);
    return status;
}

/* ---- the whole ---- */

/* What names others is right when all are there. Of the built-in ones those that were read: where the user
 * added to one, it was, and else a test has proven that they are right. */
static at_status check_ops(const atx_catalog *c, at_error *err)
{
    for (size_t i = 0; i < c->op_count; i++) {
        atx_op *op = atomic_load(&c->ops[i].op);
        at_error cause = { 0 };
        if (!op)
            continue;
        at_status found = atx_check_ceiling(c, op, &cause);
        if (found != AT_OK)
            op->goal.ceiling_op[0] = '\0';
        ATX_TRY(leave_out(c, found, "its ceiling is left out", &cause, err));
        ATX_TRY(leave_out(c, atx_check_metrics(c, op, &cause), "it has no value", &cause, err));
        ATX_TRY(leave_out(c, atx_check_replaces(c, op, &cause), "in packs it is ignored", &cause, err));
    }
    return AT_OK;
}

at_status atx_catalog_open(atx_catalog **out, const char *dir, at_error *err)
{
    const atx_catalog_options options = { .dir = dir };
    return atx_catalog_open_with(out, &options, err);
}

at_status atx_catalog_open_with(atx_catalog **out, const atx_catalog_options *options, at_error *err)
{
    atx_catalog *c = calloc(1, sizeof *c);
    if (!c || pthread_mutex_init(&c->reading, NULL) != 0) {
        free(c);
        return atx_no_memory(err);
    }
    c->broken = options->broken;
    c->context = options->context;
    c->commons.next = &c->built_in_commons;
    at_status status = atx_headers_open(&c->headers, options->headers, err);
    c->commons.headers = c->headers;
    if (status == AT_OK && options->dir)
        status = atx_allowed_open(&c->allowed, options->dir, options->allow, c->headers, err);
    ATX_THEN(status, atx_catalog_list_built_in(c, err));
    if (status == AT_OK && options->dir)
        status = add_directory(c, options->dir, err);
    if (status == AT_OK && !options->lazily)
        status = atx_catalog_read_all(c, err);
    ATX_THEN(status, check_ops(c, err));
    c->broken = NULL; /* later additions are whole or refused */
    if (status == AT_OK)
        *out = c;
    else
        atx_catalog_close(c);
    return status;
}

at_status atx_catalog_add(atx_catalog *catalog, const char *path, const char *text, size_t len, at_error *err)
{
    ATX_LOCAL(folder) f = { 0 };
    const char *slash = strrchr(path, '/');
    name_folder(&f, path, slash ? (size_t)(slash - path) : 0);
    ATX_TRY(add_file(&f, path, text, len, NULL, err));
    ATX_TRY(add_folder(catalog, &f, err));
    return check_ops(catalog, err);
}

at_status atx_catalog_check_headers(const atx_catalog *catalog, const char *note, const char *list,
                                    at_error *err)
{
    size_t bytes;
    atx_catalog *c = (atx_catalog *)(uintptr_t)catalog; /* only its headers change */
    pthread_mutex_lock(&c->reading);
    if (list)
        atx_headers_know(c->headers, list);
    at_status status = atx_headers_check(&bytes, c->headers, note, err);
    pthread_mutex_unlock(&c->reading);
    return status;
}

at_status atx_catalog_header_list(atx_str *out, const atx_catalog *catalog, const char *note, at_error *err)
{
    atx_catalog *c = (atx_catalog *)(uintptr_t)catalog;
    pthread_mutex_lock(&c->reading);
    const char *list = atx_headers_list(c->headers, note);
    atx_str_reset(out);
    atx_str_add(out, list ? list : "");
    pthread_mutex_unlock(&c->reading);
    return atx_str_status(out, err);
}

void atx_catalog_close(atx_catalog *catalog)
{
    if (!catalog)
        return;
    for (size_t i = 0; i < catalog->template_count; i++)
        atx_template_close(atomic_load(&catalog->templates[i].t));
    for (size_t i = 0; i < catalog->op_count; i++)
        atx_op_close(atomic_load(&catalog->ops[i].op));
    atx_allowed_close(catalog->allowed);
    atx_headers_close(catalog->headers);
    atx_commons_clear(&catalog->commons);
    atx_commons_clear(&catalog->built_in_commons);
    free(catalog->templates);
    free(catalog->ops);
    pthread_mutex_destroy(&catalog->reading);
    free(catalog);
}
