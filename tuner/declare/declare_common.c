/*
 * declare_common.c - shared device code: a library of files by name, and bundles made from it.
 *
 * The files of a bundle are found by walking the `use` lines depth first; a file is written after all files
 * that it uses. Files on the way down are marked, so that a cycle is found where it closes. The line before
 * each file gives its length in bytes, so no text inside a file can be mistaken for such a line. A stored
 * bundle is split into a library and made again by the same walk: if the bytes differ, it was no bundle, and
 * cannot have the hash that it is stored under.
 */
#include "declare/declare_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "declare/declare_gather.h"
#include "declare/declare_internal.h"
#include "source/part_line.h"
#include "source/paths.h"
#include "util/options.h"
#include "util/str.h"

static const char PART[] = ATX_PART_COMMON;
static const char PIECE[] = ATX_PART_SOURCE;
static const char NOTE[] = ATX_PART_HEADERS;
static const char DATA[] = ATX_PART_DATA;
static const atx_paths NO_PATHS = { 0 };

/* ---- one file ---- */

static void common_close(atx_common *c)
{
    if (!c)
        return;
    free(c->about);
    if (!c->borrowed)
        free(c->text);
    free(c->file);
    free(c);
}

/* The name, which the file has as well: an editor follows #include lines by it. */
static void read_common(atx_lines *lines, void *target)
{
    atx_common *c = target;
    char expected[ATX_MAX_NAME + 5];
    const char *at = atx_read_plain_name(c->name, lines), *slash = strrchr(c->file, '/');
    snprintf(expected, sizeof expected, "%s.cuh", c->name);
    if (strcmp(slash ? slash + 1 : c->file, expected) != 0)
        atx_lines_fail(lines, at, "found '%s'; expected the name of the file, which would be %s", c->name,
                       expected);
    c->about = atx_lines_comment(lines);
}

static void read_use(atx_lines *lines, void *target)
{
    atx_read_uses(lines, &((atx_common *)target)->uses);
}

/* The lines that a template reads where it uses this: only the template knows their names. */
static void pass_over(atx_lines *lines, void *target)
{
    (void)target;
    lines->at = lines->line_end;
}

static const atx_keyword KEYWORDS[] = {
    { .word = "common", .form = "common NAME", .once = true, .required = true, .read = read_common },
    { .word = "use", .after = "common", .read = read_use },
    { .word = "param", .after = "common", .read = pass_over },
    { .word = "each", .after = "common", .read = pass_over },
    { .word = "let", .after = "common", .read = pass_over },
    { .word = "const", .after = "common", .read = pass_over },
    { .word = "require", .after = "common", .read = pass_over },
    { .word = "prefer", .after = "common", .read = pass_over },
    { .word = "language", .once = true, .read = atx_read_language },
    { 0 },
};

static at_status read_file(atx_common *c, const char *text, size_t len, at_error *err)
{
    const bool recorded = false;
    atx_lines lines;
    ATX_TRY(atx_lines_open(&lines, text, len, c->file, "common", err));
    return atx_read_keywords(&lines, KEYWORDS, &recorded, c);
}

/* ---- a library of them ---- */

static const atx_common *find_here(const atx_commons *commons, const char *name)
{
    for (size_t i = 0; i < commons->count; i++)
        if (strcmp(commons->items[i]->name, name) == 0)
            return commons->items[i];
    return NULL;
}

const atx_common *atx_commons_find(const atx_commons *commons, const char *name)
{
    const atx_common *found = NULL;
    for (; commons && !found; commons = commons->next)
        found = find_here(commons, name);
    return found;
}

/* The text with the headers that lie beside it in place of their lines, where files may be read. */
static at_status keep_text(atx_common *c, const atx_commons *commons, const char *text, size_t len,
                           at_error *err)
{
    ATX_LOCAL(atx_gathered) whole = { 0 };
    if (commons->borrowed) {
        c->borrowed = true;
        c->len = len;
        c->text = (char *)(uintptr_t)text; /* never written to */
        return AT_OK;
    }
    const atx_gather_request request = { .file = c->file,
                                         .sources = &NO_PATHS,
                                         .includes = &NO_PATHS,
                                         .headers = commons->headers,
                                         .allowed = commons->allowed };
    at_status status = commons->allowed ? atx_gather_own(&whole, &request, text, len, err) : AT_OK;
    if (status == AT_OK) {
        bool as_it_is = whole.count <= 1;
        c->len = as_it_is ? len : whole.text.len;
        c->text = atx_text_copy(as_it_is ? text : whole.text.data, c->len);
        status = c->text ? AT_OK : atx_no_memory(err);
    }
    return status;
}

at_status atx_commons_add(atx_commons *commons, const char *text, size_t len, const char *file, at_error *err)
{
    at_status status = AT_OK;
    atx_common *c = calloc(1, sizeof *c);
    if (!c)
        return atx_no_memory(err);
    c->file = atx_text_copy(file, strlen(file));
    if (!c->file || !atx_grow(&commons->items, &commons->cap, commons->count, sizeof(void *))) {
        status = atx_no_memory(err);
        goto done;
    }
    if ((status = keep_text(c, commons, text, len, err)) != AT_OK ||
        (status = read_file(c, c->text, c->len, err)) != AT_OK)
        goto done;
    if (find_here(commons, c->name)) {
        status = atx_fail(err, AT_ERR_INPUT, "%s: found common code '%s' a second time; expected a new name",
                          file, c->name);
        goto done;
    }
    commons->items[commons->count++] = c;
    c = NULL;
done:
    common_close(c);
    return status;
}

void atx_commons_clear(atx_commons *commons)
{
    for (size_t i = 0; i < commons->count; i++)
        common_close(commons->items[i]);
    free(commons->items);
    *commons = (atx_commons){ 0 };
}

/* ---- taking a bundle apart ---- */

_Static_assert(ATX_MAX_NAME == 64, "the width in atx_part_line_read");

const char *atx_bundle_own(size_t *own_len, const char *source, size_t len)
{
    const char *end = source + len;
    atx_part_line part;
    while (source < end && atx_part_line_read(&part, source, end))
        source = part.text + part.len;
    *own_len = (size_t)(end - source);
    return source;
}

bool atx_declares(const char *source, size_t len, const char *kind)
{
    size_t own_len;
    const char *own = atx_bundle_own(&own_len, source, len);
    return atx_lines_declare(own, own_len, kind);
}

at_status atx_commons_of_bundle(atx_commons *out, const char *source, const char *own, at_error *err)
{
    char file[ATX_MAX_NAME + 20];
    atx_part_line part;
    while (source < own && atx_part_line_read(&part, source, own)) {
        snprintf(file, sizeof file, "common/%.63s.cuh", part.name);
        if (!part.line)
            ATX_TRY(atx_commons_add(out, part.text, part.len, file, err));
        source = part.text + part.len;
    }
    return AT_OK;
}

/* The pieces of sources in a stored bundle. */
static at_status gather_stored(atx_gathered *out, const char *source, const char *own, at_error *err)
{
    atx_part_line part;
    for (; source < own && atx_part_line_read(&part, source, own); source = part.text + part.len)
        if (part.line > 0)
            ATX_TRY(atx_gathered_add(
                out, &(atx_part){ .file = part.name, .line = part.line, .len = part.len }, part.text, err));
    return atx_str_status(&out->text, err);
}

/* ---- making a bundle ---- */

enum { MAX_PARTS = 64 };

typedef struct walk {
    const atx_commons *commons;
    const atx_common *done[MAX_PARTS]; /* in the order in which they are written */
    int done_count;
    const atx_common *open[MAX_PARTS]; /* from the first file to the one that is looked at */
    int depth;
    at_error *err;
} walk;

static bool holds(const atx_common *const *list, int count, const atx_common *c)
{
    for (int i = 0; i < count; i++)
        if (list[i] == c)
            return true;
    return false;
}

static at_status fail_unknown(const walk *w, const char *name, const atx_where *at)
{
    const char *names[MAX_PARTS + 1];
    int count = 0;
    for (const atx_commons *c = w->commons; c; c = c->next)
        for (size_t i = 0; i < c->count && count < MAX_PARTS; i++)
            names[count++] = c->items[i]->name;
    names[count] = NULL;
    const char *near = strlen(name) > 2 ? atx_nearest(name, names) : NULL;
    return near ? atx_fail_at(w->err, *at, "found '%s', which is no common code; did you mean '%s'?", name,
                              near)
                : atx_fail_at(w->err, *at,
                              "found '%s'; expected the name of common code, a file common/%s.cuh in the "
                              "folder that --templates names",
                              name, name);
}

static at_status visit(walk *w, const atx_used *uses);

/* A file, behind those that it uses. */
static at_status visit_one(walk *w, const char *name, const atx_where *at)
{
    const atx_common *c = atx_commons_find(w->commons, name);
    if (!c)
        return fail_unknown(w, name, at);
    if (holds(w->open, w->depth, c))
        return atx_fail_at(w->err, *at, "found '%s', which needs this file itself; expected no circle", name);
    if (holds(w->done, w->done_count, c))
        return AT_OK;
    if (w->done_count + w->depth == MAX_PARTS)
        return atx_fail_at(w->err, *at, "found '%s', one file of common code too many; expected at most 64",
                           name);
    w->open[w->depth++] = c;
    at_status status = visit(w, &c->uses);
    w->depth--;
    w->done[w->done_count++] = c;
    return status;
}

static at_status visit(walk *w, const atx_used *uses)
{
    for (int i = 0; i < uses->count; i++)
        ATX_TRY(visit_one(w, uses->names[i], &uses->where[i]));
    return AT_OK;
}

/* Adds a file's text behind the others. The array of parts has room for it. */
static at_status add_part(atx_bundle *out, atx_str *text, const char *bytes, size_t len, const char *file,
                          int line, at_error *err)
{
    atx_part part = {
        .file = atx_text_copy(file, strlen(file)), .line = line, .begin = text->len, .len = len
    };
    if (!part.file)
        return atx_no_memory(err);
    out->parts[out->part_count++] = part;
    atx_str_add_bytes(text, bytes, len);
    return AT_OK;
}

/* The pieces of sources, each behind its line. Messages name a file from where the template is seen. */
static at_status write_pieces(atx_bundle *out, atx_str *text, const atx_gathered *sources, const char *file,
                              at_error *err)
{
    ATX_LOCAL(atx_str) shown = { 0 };
    for (size_t i = 0; i < sources->count; i++) {
        const atx_part *p = &sources->parts[i];
        atx_str_addf(text, "%s%zu %d %s\n", PIECE, p->len, p->line, p->file);
        atx_str_reset(&shown);
        atx_beside(&shown, file, p->file);
        ATX_TRY(atx_str_status(&shown, err));
        ATX_TRY(
            add_part(out, text, sources->text.data + p->begin, p->len, atx_str_text(&shown), p->line, err));
    }
    return AT_OK;
}

/* The file itself, in the pieces between which headers were put in. One text when it is stored. */
static at_status write_own(atx_bundle *out, atx_str *text, const atx_gathered *own, const char *file,
                           at_error *err)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    ATX_LOCAL(atx_str) shown = { 0 };
    for (size_t i = 0; i < own->count; i++) {
        const atx_part *p = &own->parts[i];
        const char *bytes = own->text.data + p->begin;
        size_t mark = i && p->len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        atx_str_reset(&shown);
        atx_beside(&shown, file, p->file);
        bool itself = strcmp(p->file, name) == 0;
        ATX_TRY(add_part(out, text, bytes + mark, p->len - mark, itself ? file : atx_str_text(&shown),
                         p->line, err));
        if (i + 1 < own->count && bytes[p->len - 1] != '\n') {
            atx_str_add(text, "\n");
            out->parts[out->part_count - 1].len++;
        }
    }
    return atx_str_status(&shown, err);
}

const char *atx_bundle_note(size_t *len, const char **rest, const char *source)
{
    const size_t word = sizeof NOTE - 1;
    const char *stop = strncmp(source, NOTE, word) == 0 ? strchr(source, '\n') : NULL;
    *len = stop ? (size_t)(stop - source) - word : 0;
    *rest = stop ? stop + 1 : source;
    return source + (stop ? word : 0);
}

const char *atx_bundle_data(size_t *len, const char **behind, const char *rest)
{
    const char *end = rest, *stop;
    while (strncmp(end, DATA, sizeof DATA - 1) == 0 && (stop = strchr(end, '\n')) != NULL)
        end = stop + 1;
    *len = (size_t)(end - rest);
    *behind = end;
    return rest;
}

/* Puts the note, if there is one, before a bundle that is written. */
static at_status put_note(atx_bundle *b, const atx_str *note, at_error *err)
{
    atx_str text = { 0 };
    if (!note->len)
        return atx_str_status(note, err);
    atx_str_addf(&text, "%s%s\n", NOTE, note->data);
    const size_t moved = text.len;
    atx_str_add_bytes(&text, b->source, b->len);
    b->headers = atx_text_copy(note->data, note->len);
    if (text.failed || !b->headers) {
        atx_str_clear(&text);
        return atx_no_memory(err);
    }
    free(b->source);
    b->source = text.data;
    b->len = text.len;
    for (int i = 0; i < b->part_count; i++)
        b->parts[i].begin += moved;
    return AT_OK;
}

/* The input of a bundle; `own` is the file itself, `gathered` the text made of it, if any. */
typedef struct made_of {
    const atx_gathered *sources, *gathered;
    const char *own, *file, *data;
    size_t own_len, data_len;
} made_of;

static at_status write_bundle(atx_bundle *out, const walk *w, const made_of *m, at_error *err)
{
    atx_str text = { 0 };
    at_status status = AT_OK;
    const atx_gathered *sources = m->sources, *gathered = m->gathered;
    out->parts = calloc((size_t)w->done_count + sources->count + gathered->count + 1, sizeof *out->parts);
    if (!out->parts)
        return atx_no_memory(err);
    atx_str_add_bytes(&text, m->data, m->data_len);
    if (m->data_len && !(out->data = atx_text_copy(m->data, m->data_len)))
        status = atx_no_memory(err);
    for (int i = 0; i < w->done_count && status == AT_OK; i++) {
        const atx_common *c = w->done[i];
        atx_str_addf(&text, "%s%s %zu\n", PART, c->name, c->len);
        status = add_part(out, &text, c->text, c->len, c->file, 1, err);
    }
    ATX_THEN(status, write_pieces(out, &text, sources, m->file, err));
    ATX_THEN(status, gathered->count > 1 ? write_own(out, &text, gathered, m->file, err)
                                         : add_part(out, &text, m->own, m->own_len, m->file, 1, err));
    ATX_THEN(status, atx_str_status(&text, err));
    if (status == AT_OK && text.len > ATX_MAX_SOURCE)
        status =
            atx_fail(err, AT_ERR_INPUT, "%s: found %zu bytes with the code it uses; expected at most %zu",
                     m->file, text.len, ATX_MAX_SOURCE);
    if (status != AT_OK) {
        atx_str_clear(&text);
        return status;
    }
    out->source = text.data;
    out->len = text.len;
    return AT_OK;
}

/* Files are read for a template that is read from one; a text that came from elsewhere brings them along. */
static at_status gather_fresh(atx_gathered *out, const atx_gather_request *request, at_error *err)
{
    const atx_paths *sources = request->sources;
    if (sources->count == 0)
        return AT_OK;
    if (!request->allowed)
        return atx_fail_at(err, sources->where[0], "found the source '%s' without its text",
                           sources->items[0]);
    return atx_gather(out, request, err);
}

/* The files that the lines of a file name, read now. */
static at_status make_fresh(atx_bundle *made, const walk *w, const atx_bundle_request *r,
                            const atx_commons *commons, at_error *err)
{
    ATX_LOCAL(atx_gathered) pieces = { 0 }, gathered = { 0 };
    ATX_LOCAL(atx_str) note = { 0 };
    const atx_gather_request request = { r->file,
                                         r->sources ? r->sources : &NO_PATHS,
                                         r->includes ? r->includes : &NO_PATHS,
                                         commons ? commons->headers : NULL,
                                         commons ? commons->allowed : NULL,
                                         r->reached,
                                         r->replaced,
                                         false };
    const char *data = r->data ? r->data : "";
    ATX_TRY(gather_fresh(&pieces, &request, err));
    if (request.allowed)
        ATX_TRY(atx_gather_own(&gathered, &request, r->source, r->len, err));
    const made_of m = { &pieces, &gathered, r->source, r->file, data, r->len, strlen(data) };
    ATX_TRY(write_bundle(made, w, &m, err));
    if (request.allowed)
        ATX_TRY(atx_headers_note(&note, commons->headers, made->source, err));
    return put_note(made, &note, err);
}

/* Writes a stored bundle again: the text must be the same. */
static at_status make_again(atx_bundle *made, const walk *w, const atx_bundle_request *r, const char *own,
                            at_error *err)
{
    atx_gathered pieces = { 0 }, gathered = { 0 };
    ATX_LOCAL(atx_str) note = { 0 };
    size_t note_len, data_len;
    const char *rest, *behind, *known = atx_bundle_note(&note_len, &rest, r->source);
    const char *data = atx_bundle_data(&data_len, &behind, rest);
    const made_of m = {
        &pieces, &gathered, own, r->file, data, r->len - (size_t)(own - r->source), data_len
    };
    at_status status = r->sources && r->sources->count ? gather_stored(&pieces, r->source, own, err) : AT_OK;
    ATX_THEN(status, write_bundle(made, w, &m, err));
    atx_str_add_bytes(&note, known, note_len);
    ATX_THEN(status, put_note(made, &note, err));
    if (status == AT_OK &&
        (!made->source || made->len != r->len || memcmp(made->source, r->source, r->len) != 0))
        status = atx_fail(
            err, AT_ERR_INPUT,
            "%s: found other common code before the file than its `use` and `source` lines ask for", r->file);
    atx_gathered_clear(&pieces);
    return status;
}

at_status atx_bundle_make(atx_bundle *out, const atx_bundle_request *request, const atx_commons *commons,
                          at_error *err)
{
    size_t own_len;
    const char *own = atx_bundle_own(&own_len, request->source, request->len);
    const bool stored = own != request->source;
    ATX_LOCAL(atx_commons) within = { 0 };
    atx_bundle made = { 0 };
    walk w = { .commons = stored ? &within : commons, .err = err };

    at_status status = atx_commons_of_bundle(&within, request->source, own, err);
    ATX_THEN(status, visit(&w, request->uses));
    ATX_THEN(status, stored ? make_again(&made, &w, request, own, err)
                            : make_fresh(&made, &w, request, commons, err));
    if (status == AT_OK) {
        *out = made;
        made = (atx_bundle){ 0 };
    }
    atx_parts_close(made.parts, made.part_count);
    free(made.source);
    free(made.headers);
    free(made.data);
    return status;
}

const atx_part *atx_own_part(const atx_part *parts, int count, const char *file)
{
    for (int i = 0; i < count; i++)
        if (strcmp(parts[i].file, file) == 0)
            return &parts[i];
    return &parts[count - 1];
}

void atx_parts_close(atx_part *parts, int count)
{
    for (int i = 0; i < count; i++)
        free(parts[i].file);
    free(parts);
}
