/*
 * catalog_built_in.c - the catalog's look-ups, and reading built-in files at their first use: a program that
 * asks for one problem needs one op and some of its templates, and reading all of them takes milliseconds.
 *
 * The names of built-in files give their contents: FOLDER/op.cu declares the op FOLDER, FOLDER/NAME.cu its
 * template NAME; a file that does not is refused when it is read. Invariant: the result is the same, in the
 * same order, as that of reading all at once.
 *
 * Built-in files can be wrong only during development, so reading them fails only for lack of memory. The
 * look-ups have no error result; the failure is kept for atx_catalog_failure.
 */
#include "lang/catalog_internal.h"

#include "util/str.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static atx_catalog *writable(const atx_catalog *c)
{
    return (atx_catalog *)(uintptr_t)c; /* every catalog is made by malloc */
}

/* ---- listing ---- */

/* "templates/FOLDER/NAME.cu" as its two words; false: it is no such path. */
static bool split_path(char folder[ATX_MAX_NAME], char name[ATX_MAX_NAME], const char *path)
{
    const char *last = strrchr(path, '/'), *first = last, *dot = last ? strrchr(last, '.') : NULL;
    while (first && first > path && first[-1] != '/')
        first--;
    if (!dot || last - first >= ATX_MAX_NAME || dot - last > ATX_MAX_NAME)
        return false;
    snprintf(folder, ATX_MAX_NAME, "%.*s", (int)(last - first), first);
    snprintf(name, ATX_MAX_NAME, "%.*s", (int)(dot - last - 1), last + 1);
    return true;
}

static at_status list_op(atx_catalog *c, const atx_embedded *file, const char *folder, at_error *err)
{
    if (!atx_grow(&c->ops, &c->op_cap, c->op_count, sizeof *c->ops))
        return atx_no_memory(err);
    atx_held_op *held = &c->ops[c->op_count++];
    *held = (atx_held_op){ .file = file };
    atomic_init(&held->op, NULL);
    strcpy(held->name, folder);
    return AT_OK;
}

static at_status list_template(atx_catalog *c, const atx_embedded *file, size_t of, const char *name,
                               at_error *err)
{
    if (!atx_grow(&c->templates, &c->template_cap, c->template_count, sizeof *c->templates))
        return atx_no_memory(err);
    atx_held_template *held = &c->templates[c->template_count++];
    *held = (atx_held_template){ .of = of, .file = file };
    atomic_init(&held->t, NULL);
    strcpy(held->name, name);
    return AT_OK;
}

static size_t find_name(const atx_catalog *c, const char *name)
{
    size_t i = 0;
    while (i < c->op_count && strcmp(c->ops[i].name, name) != 0)
        i++;
    return i;
}

/* Ops first: a folder's templates are sorted in among them. */
static at_status list_files(atx_catalog *c, bool ops, at_error *err)
{
    char folder[ATX_MAX_NAME], name[ATX_MAX_NAME];
    for (const atx_embedded *e = atx_embedded_files; e->path; e++) {
        if (!split_path(folder, name, e->path))
            return atx_fail(err, AT_ERR_INPUT, "%s: found another path than FOLDER/NAME.cu", e->path);
        bool is_op = strcmp(name, "op") == 0;
        size_t of = find_name(c, folder);
        if (is_op && ops)
            ATX_TRY(list_op(c, e, folder, err));
        else if (!is_op && !ops && of == c->op_count)
            return atx_fail(err, AT_ERR_INPUT, "%s: found no op.cu beside it", e->path);
        else if (!is_op && !ops)
            ATX_TRY(list_template(c, e, of, name, err));
    }
    return AT_OK;
}

at_status atx_catalog_list_built_in(atx_catalog *c, at_error *err)
{
    c->built_in_commons.borrowed = true;
    for (const atx_embedded *e = atx_embedded_commons; e->path; e++)
        ATX_TRY(atx_commons_add(&c->built_in_commons, (const char *)e->data, e->len, e->path, err));
    ATX_TRY(list_files(c, true, err));
    return list_files(c, false, err);
}

/* ---- reading ---- */

void atx_catalog_no_default(atx_held_op *held)
{
    atx_op *op = atomic_load(&held->op);
    if (op)
        op->by_default = false;
}

static at_status check_name(const char *path, const char *what, const char *found, const char *expected,
                            at_error *err)
{
    return strcmp(found, expected) == 0
               ? AT_OK
               : atx_fail(err, AT_ERR_INPUT, "%s: found the %s '%s'; expected '%s', as its path says", path,
                          what, found, expected);
}

static at_status read_op(atx_catalog *c, atx_held_op *held, at_error *err)
{
    atx_op *op = NULL;
    const atx_embedded *e = held->file;
    at_status status =
        atx_op_read_with(&op, &c->built_in_commons, (const char *)e->data, e->len, e->path, err);
    ATX_THEN(status, check_name(e->path, "op", op->name, held->name, err));
    if (status != AT_OK) {
        atx_op_close(op);
        return status;
    }
    op->by_default = op->by_default && !c->has_default;
    atomic_store(&held->op, op);
    return AT_OK;
}

static at_status read_template(atx_catalog *c, atx_held_template *held, const atx_op *op, at_error *err)
{
    atx_template *t = NULL;
    const atx_embedded *e = held->file;
    size_t i = (size_t)(e - atx_embedded_files);
    at_status status = atx_embedded_images.count
                           ? atx_image_load(&t, op, &atx_embedded_images, i, err)
                           : atx_template_read_with(&t, op, &c->built_in_commons, (const char *)e->data,
                                                    e->len, e->path, err);
    ATX_THEN(status, check_name(e->path, "template", t->name, held->name, err));
    if (status != AT_OK) {
        atx_template_close(t);
        return status;
    }
    atomic_store(&held->t, t);
    return AT_OK;
}

/* One thread reads, others that need it wait. */
static at_status get_op(atx_op **out, atx_catalog *c, size_t i, at_error *err)
{
    atx_held_op *held = &c->ops[i];
    at_status status = AT_OK;
    if (!(*out = atomic_load(&held->op))) {
        pthread_mutex_lock(&c->reading);
        if (!atomic_load(&held->op))
            status = read_op(c, held, err);
        pthread_mutex_unlock(&c->reading);
        *out = atomic_load(&held->op);
    }
    return status;
}

static at_status get_template(atx_template **out, atx_catalog *c, size_t i, at_error *err)
{
    atx_held_template *held = &c->templates[i];
    atx_op *op = NULL;
    if ((*out = atomic_load(&held->t)) != NULL)
        return AT_OK;
    at_status status = get_op(&op, c, held->of, err);
    if (status != AT_OK)
        return status;
    pthread_mutex_lock(&c->reading);
    if (!atomic_load(&held->t))
        status = read_template(c, held, op, err);
    pthread_mutex_unlock(&c->reading);
    *out = atomic_load(&held->t);
    return status;
}

at_status atx_catalog_read_all(atx_catalog *c, at_error *err)
{
    atx_op *op;
    atx_template *t;
    for (size_t i = 0; i < c->op_count; i++)
        ATX_TRY(get_op(&op, c, i, err));
    for (size_t i = 0; i < c->template_count; i++)
        ATX_TRY(get_template(&t, c, i, err));
    return AT_OK;
}

at_status atx_catalog_read(const atx_catalog *catalog, const atx_op *op, at_error *err)
{
    atx_template *t;
    size_t of = atx_catalog_op_index(catalog, op);
    for (size_t i = 0; i < catalog->template_count; i++)
        if (catalog->templates[i].of == of)
            ATX_TRY(get_template(&t, writable(catalog), i, err));
    return AT_OK;
}

/* ---- failures ---- */

static void keep_failure(atx_catalog *c, const at_error *cause)
{
    pthread_mutex_lock(&c->reading);
    c->failure = *cause;
    pthread_mutex_unlock(&c->reading);
}

at_status atx_catalog_failure(const atx_catalog *catalog, at_error *err)
{
    atx_catalog *c = writable(catalog);
    pthread_mutex_lock(&c->reading);
    const at_error failure = c->failure;
    c->failure = (at_error){ .status = AT_OK };
    pthread_mutex_unlock(&c->reading);
    return failure.status == AT_OK ? AT_OK : atx_fail(err, failure.status, "%s", failure.text);
}

static atx_op *op_at(const atx_catalog *c, size_t i)
{
    at_error cause = { 0 };
    atx_op *op = NULL;
    if (get_op(&op, writable(c), i, &cause) != AT_OK)
        keep_failure(writable(c), &cause);
    return op;
}

static atx_template *template_at(const atx_catalog *c, size_t i)
{
    at_error cause = { 0 };
    atx_template *t = NULL;
    if (get_template(&t, writable(c), i, &cause) != AT_OK)
        keep_failure(writable(c), &cause);
    return t;
}

/* ---- ops ---- */

int atx_catalog_op_count(const atx_catalog *catalog)
{
    return (int)catalog->op_count;
}

const char *atx_catalog_op_name(const atx_catalog *catalog, int i)
{
    return catalog->ops[i].name;
}

const atx_op *atx_catalog_op(const atx_catalog *catalog, int i)
{
    return op_at(catalog, (size_t)i);
}

at_status atx_catalog_get_op(const atx_op **out, const atx_catalog *c, const char *name, at_error *err)
{
    atx_op *op = NULL;
    size_t i = find_name(c, name);
    at_status status = i < c->op_count ? get_op(&op, writable(c), i, err) : AT_OK;
    *out = op;
    return status;
}

const atx_op *atx_catalog_find_op(const atx_catalog *catalog, const char *name)
{
    size_t i = find_name(catalog, name);
    return i < catalog->op_count ? op_at(catalog, i) : NULL;
}

bool atx_catalog_is_added(const atx_catalog *catalog, const atx_template *t)
{
    const size_t i = atx_catalog_index(catalog, t->op, t->name);
    return i < catalog->template_count && !catalog->templates[i].file;
}

bool atx_catalog_has_added(const atx_catalog *catalog, const atx_op *op)
{
    const size_t of = atx_catalog_op_index(catalog, op);
    bool added = of < catalog->op_count && !catalog->ops[of].file;
    for (size_t i = 0; i < catalog->template_count; i++)
        added = added || (catalog->templates[i].of == of && !catalog->templates[i].file);
    return added;
}

/* Does the file of an op have a line `default op`? */
static bool may_be_default(const atx_embedded *e)
{
    static const char LINE[] = "\ndefault";
    const char *text = (const char *)e->data, *end = text + e->len;
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), LINE, sizeof LINE - 1)) != NULL;) {
        at += sizeof LINE - 1;
        const char *word = at;
        while (*word == ' ' || *word == '\t')
            word++;
        if (word > at && strncmp(word, "op", 2) == 0 && !isalnum((unsigned char)word[2]))
            return true;
    }
    return false;
}

const atx_op *atx_catalog_default_op(const atx_catalog *catalog)
{
    for (size_t i = 0; i < catalog->op_count; i++) {
        const atx_held_op *held = &catalog->ops[i];
        const atx_op *op = held->file && !may_be_default(held->file) ? NULL : op_at(catalog, i);
        if (op && op->by_default)
            return op;
    }
    return NULL;
}

void atx_catalog_default_name(char out[ATX_MAX_NAME])
{
    out[0] = '\0';
    for (const atx_embedded *e = atx_embedded_files; e->path; e++) {
        const char *text = (const char *)e->data;
        atx_op *op = NULL;
        if (may_be_default(e) && atx_declares(text, e->len, "op") &&
            atx_op_read(&op, text, e->len, e->path, NULL) == AT_OK && op->by_default)
            strcpy(out, op->name);
        atx_op_close(op);
    }
}

/* ---- templates ---- */

size_t atx_catalog_op_index(const atx_catalog *c, const atx_op *op)
{
    size_t i = 0;
    while (i < c->op_count && (!op || atomic_load(&c->ops[i].op) != op))
        i++;
    return i;
}

size_t atx_catalog_index(const atx_catalog *c, const atx_op *op, const char *name)
{
    size_t i = 0, of = atx_catalog_op_index(c, op);
    while (i < c->template_count && (c->templates[i].of != of || strcmp(c->templates[i].name, name) != 0))
        i++;
    return i;
}

int atx_catalog_template_count(const atx_catalog *catalog, const atx_op *op)
{
    int count = 0;
    size_t of = atx_catalog_op_index(catalog, op);
    for (size_t i = 0; i < catalog->template_count; i++)
        count += catalog->templates[i].of == of;
    return count;
}

const atx_template *atx_catalog_template(const atx_catalog *catalog, const atx_op *op, int i)
{
    size_t of = atx_catalog_op_index(catalog, op);
    for (size_t k = 0; k < catalog->template_count; k++)
        if (catalog->templates[k].of == of && i-- == 0)
            return template_at(catalog, k);
    return NULL;
}

const atx_template *atx_catalog_find_template(const atx_catalog *catalog, const atx_op *op, const char *name)
{
    size_t i = atx_catalog_index(catalog, op, name);
    return i < catalog->template_count ? template_at(catalog, i) : NULL;
}

/* The op's template whose name comes next after `last`; the count of all: there is none. */
static size_t next_by_name(const atx_catalog *c, size_t of, const char *last)
{
    size_t next = c->template_count;
    for (size_t i = 0; i < c->template_count; i++) {
        const char *name = c->templates[i].name;
        if (c->templates[i].of == of && strcmp(name, last) > 0 &&
            (next == c->template_count || strcmp(name, c->templates[next].name) < 0))
            next = i;
    }
    return next;
}

/* In the order of names, so that it does not matter in which order files were read. */
void atx_catalog_op_hash(char out[ATX_HASH_TEXT], const atx_catalog *catalog, const atx_op *op)
{
    atx_sha256 h;
    const char *last = "";
    size_t of = atx_catalog_op_index(catalog, op), next;

    atx_sha256_init(&h);
    atx_sha256_add(&h, op->text.hash, sizeof op->text.hash);
    while ((next = next_by_name(catalog, of, last)) < catalog->template_count) {
        const atx_template *t = template_at(catalog, next);
        last = catalog->templates[next].name;
        if (t && t->replace_count) /* for packs alone: no search tries it */
            continue;
        atx_sha256_add(&h, last, strlen(last) + 1);
        if (t)
            atx_sha256_add(&h, t->text.hash, sizeof t->text.hash);
    }
    atx_sha256_text(&h, out);
}

bool atx_catalog_has_op_hash(const atx_catalog *catalog, const atx_op *op, const char *hash)
{
    char now[ATX_HASH_TEXT];
    atx_catalog_op_hash(now, catalog, op);
    return strcmp(now, hash) == 0;
}
