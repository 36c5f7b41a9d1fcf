/*
 * headers_note.c - notes of headers.h: made from a text, and compared with the current files. The hash of a
 * note is that of a list of files, so a list from any source is known by its hash, and the difference of two
 * lists are the files that have changed.
 */
#include "source/headers_internal.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_NAMES = 2, SHOWN_FOLDERS = 240, SHOWN_NAME = 120 }; /* bytes, but for the first */

/* A name that a note can hold, and that leads nowhere else. */
static bool may_be_noted(const char *name)
{
    return !strpbrk(name, "<>") && !strstr(name, "..");
}

/* ---- lists that are known ---- */

static bool has_hash(const char *list, const char *note)
{
    char hash[ATX_HASH_TEXT];
    atx_hash_text(hash, list, strlen(list));
    return strncmp(hash, note, ATX_HASH_TEXT - 1) == 0;
}

const char *atx_headers_list(const atx_headers *headers, const char *note)
{
    for (int i = 0; headers && i < ATX_HEADER_LISTS && headers->lists[i]; i++)
        if (has_hash(headers->lists[i], note))
            return headers->lists[i];
    return NULL;
}

void atx_headers_know(atx_headers *headers, const char *list)
{
    for (int i = 0; headers && i < ATX_HEADER_LISTS && headers->lists[i]; i++)
        if (strcmp(headers->lists[i], list) == 0)
            return;
    char *copy = headers ? atx_text_copy(list, strlen(list)) : NULL;
    if (!copy)
        return;
    char **place = &headers->lists[headers->list_next++ % ATX_HEADER_LISTS];
    free(*place);
    *place = copy;
}

/* ---- what two lists do not have in common ---- */

/* Of a line "NAME HASH". */
typedef struct listed {
    const char *name, *hash;
    size_t len;
} listed;

static int by_name(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    size_t least = x->len < y->len ? x->len : y->len;
    int order = memcmp(x->name, y->name, least);
    if (order == 0 && x->len != y->len)
        order = x->len < y->len ? -1 : 1;
    return order ? order : strncmp(x->hash, y->hash, ATX_HASH_TEXT - 1);
}

/* The lines of a list, by their names. NULL: out of memory. */
static listed *lines_of(size_t *count, const char *list)
{
    size_t lines = 0;
    for (const char *at = strchr(list, '\n'); at; at = strchr(at + 1, '\n'))
        lines++;
    listed *out = calloc(lines + 1, sizeof *out);
    *count = 0;
    for (const char *at = list, *end; out && (end = strchr(at, '\n')) != NULL; at = end + 1)
        if (end - at >= ATX_HASH_TEXT)
            out[(*count)++] = (listed){ .name = at,
                                        .hash = end - (ATX_HASH_TEXT - 1),
                                        .len = (size_t)(end - at) - ATX_HASH_TEXT };
    if (out)
        qsort(out, *count, sizeof *out, by_name);
    return out;
}

/* A few names, and how many there are besides. */
typedef struct named {
    atx_str text;
    size_t count;
} named;

static void add_name(named *out, const listed *line)
{
    int len = line->len < SHOWN_NAME ? (int)line->len : SHOWN_NAME;
    if (out->count++ < SHOWN_NAMES)
        atx_str_addf(&out->text, "%s%.*s", out->count > 1 ? ", " : "", len, line->name);
}

static void add_named(atx_str *out, named *part, const char *one, const char *several)
{
    if (part->count)
        atx_str_addf(out, "%s%s", out->len ? ", " : "", atx_str_text(&part->text));
    if (part->count > SHOWN_NAMES)
        atx_str_addf(out, " and %zu more", part->count - SHOWN_NAMES);
    if (part->count)
        atx_str_add(out, part->count > 1 ? several : one);
    out->failed |= part->text.failed;
    atx_str_clear(&part->text);
}

static void compare(atx_str *out, const listed *a, size_t a_count, const listed *b, size_t b_count)
{
    named changed = { .count = 0 }, gone = { .count = 0 }, new = { .count = 0 };
    for (size_t i = 0, k = 0; i < a_count || k < b_count;) {
        bool first = k == b_count, second = i == a_count, same = false;
        if (!first && !second) {
            const listed x = { a[i].name, "", a[i].len }, y = { b[k].name, "", b[k].len };
            int order = by_name(&x, &y);
            first = order < 0;
            second = order > 0;
            same = strncmp(a[i].hash, b[k].hash, ATX_HASH_TEXT - 1) == 0;
        }
        if (first)
            add_name(&gone, &a[i]);
        else if (second)
            add_name(&new, &b[k]);
        else if (!same)
            add_name(&changed, &a[i]);
        i += !second;
        k += !first;
    }
    add_named(out, &changed, " has changed", " have changed");
    add_named(out, &gone, " is not found any more", " are not found any more");
    add_named(out, &new, " is included now", " are included now");
}

/* "lib/a.h has changed, lib/b.h is not found any more". */
static at_status add_difference(atx_str *out, const char *before, const char *now, at_error *err)
{
    size_t before_count, now_count;
    ATX_FREED listed *a = lines_of(&before_count, before), *b = lines_of(&now_count, now);
    if (a && b)
        compare(out, a, before_count, b, now_count);
    const bool failed = !a || !b;
    if (failed) {
        atx_no_memory(err);
        return AT_ERR_MEMORY;
    }
    return atx_str_status(out, err);
}

/* ---- notes ---- */

/* Meets what a directive of the text names, and adds it to the names. */
static at_status note_directive(atx_header_walk *w, atx_str *names, atx_headers *headers, atx_lexer inside,
                                at_error *err)
{
    at_status status = AT_OK;
    for (atx_directive d; status == AT_OK && atx_directive_next(&d, &inside);) {
        char name[ATX_HEADER_NAME];
        size_t index = 0, before = w->count;
        bool found = false;
        if (atx_headers_copy_name(name, &d) && may_be_noted(name))
            status = atx_headers_find(&index, &found, headers, NULL, name, false, err);
        if (status == AT_OK && found)
            status = atx_headers_meet(w, headers, index, err);
        if (w->count > before)
            atx_str_addf(names, " <%s>", name);
    }
    return status;
}

at_status atx_headers_note(atx_str *out, atx_headers *headers, const char *text, at_error *err)
{
    char hash[ATX_HASH_TEXT];
    ATX_LOCAL(atx_str) names = { 0 }, list = { 0 };
    size_t bytes;
    atx_header_walk w = { 0 };
    atx_lexer lexer = { .text = text, .len = strlen(text), .options = { .lines = true } };
    at_status status = AT_OK;
    if (!headers || !headers->folders.count)
        return AT_OK;
    for (atx_token t; status == AT_OK && atx_lexer_next(&t, &lexer);)
        if (t.kind == ATX_TOKEN_DIRECTIVE)
            status = note_directive(&w, &names, headers, atx_lexer_inside(text, &t), err);
    bool any = w.count > 0;
    at_status ended = atx_headers_walk(&list, &bytes, &w, headers, status == AT_OK ? err : NULL);
    status = status == AT_OK ? ended : status;
    if (status == AT_OK && any) {
        atx_hash_text(hash, atx_str_text(&list), list.len);
        atx_str_addf(out, "%s%s", hash, atx_str_text(&names));
        atx_headers_know(headers, atx_str_text(&list));
    }
    ATX_THEN(status, atx_str_status(&names, err));
    return status == AT_OK ? atx_str_status(out, err) : status;
}

const char *atx_headers_name(size_t *len, const char *at)
{
    const char *open = strchr(at, '<'), *close = open ? strchr(open, '>') : NULL;
    *len = close ? (size_t)(close + 1 - open) : 0;
    return close ? open : NULL;
}

/* ---- what has become of a note ---- */

static at_status missing(const atx_headers *h, const char *name, at_error *err)
{
    if (!atx_headers_count(h))
        return atx_fail(
            err, AT_ERR_INPUT,
            "found a kernel that includes <%s> from a folder that was named before, and none is now; "
            "expected --headers DIR (`headers` in a program, or " ATX_HEADERS_ENV
            "=DIR) with that file in DIR",
            name);
    return atx_fail(err, AT_ERR_INPUT,
                    "found no <%s>, which a kernel includes, in %.*s; expected --headers DIR (`headers` in a "
                    "program, or " ATX_HEADERS_ENV "=DIR) with that file in DIR",
                    name, SHOWN_FOLDERS, atx_headers_text(h));
}

/* `first`: "<NAME>" of the note. */
static at_status changed(const atx_headers *h, const char *note, const char *first, size_t first_len,
                         const char *list, at_error *err)
{
    ATX_LOCAL(atx_str) difference = { 0 };
    const char *before = atx_headers_list(h, note);
    at_status status = before ? add_difference(&difference, before, list, err) : AT_OK;
    ATX_THEN(
        status,
        atx_fail(err, AT_ERR_INPUT,
                 "found other headers behind %.*s in %.*s than the kernel was read or measured with%s%s; "
                 "expected those, or a new run",
                 (int)first_len, first, SHOWN_FOLDERS, atx_headers_text(h), difference.len ? ": " : "",
                 atx_str_text(&difference)));
    return status;
}

/* The files that a note names, into *w; ends with the first that is missing. */
static at_status meet_names(atx_header_walk *w, atx_headers *headers, const char *note, at_error *err)
{
    char name[ATX_HEADER_NAME];
    size_t len;
    for (const char *at = atx_headers_name(&len, note); at; at = atx_headers_name(&len, at + len)) {
        size_t index = 0;
        bool found = false;
        const atx_directive d = { .name = at + 1, .len = len - 2 };
        if (!atx_headers_copy_name(name, &d) || !may_be_noted(name))
            return atx_fail(err, AT_ERR_INPUT, "found a header's name that no text has: %.*s", (int)len, at);
        else if (headers)
            ATX_TRY(atx_headers_find(&index, &found, headers, NULL, name, false, err));
        ATX_TRY(found ? atx_headers_meet(w, headers, index, err) : missing(headers, name, err));
    }
    return AT_OK;
}

at_status atx_headers_check(size_t *bytes, atx_headers *headers, const char *note, at_error *err)
{
    ATX_LOCAL(atx_str) list = { 0 };
    size_t len;
    atx_header_walk w = { 0 };
    const char *first = atx_headers_name(&len, note);
    at_status status = meet_names(&w, headers, note, err);
    if (!headers)
        return status;
    at_status ended = atx_headers_walk(&list, bytes, &w, headers, status == AT_OK ? err : NULL);
    status = status == AT_OK ? ended : status;
    if (status == AT_OK && !has_hash(atx_str_text(&list), note))
        status = changed(headers, note, first ? first : "", len, atx_str_text(&list), err);
    else if (status == AT_OK)
        atx_headers_know(headers, atx_str_text(&list));
    return status;
}

/* ---- for compilers ---- */

static void add_place(atx_str *out, int count, const char *name, size_t len)
{
    atx_str_addf(out, "%s-I DIR", count ? ", " : "");
    if (count)
        atx_str_addf(out, "%d", count + 1);
    atx_str_addf(out, ", which has <%.*s>", (int)len, name);
}

/* Of the files from `first` on, which the note names; or of all of them, the first by its name. */
static bool add_folder(atx_str *out, int count, const atx_headers *h, const atx_header_walk *w, int folder,
                       size_t own)
{
    const atx_header *least = NULL;
    bool any = false;
    for (size_t i = 0; i < w->count; i++) {
        const atx_header *f = &h->files[w->files[i]];
        if (f->folder != folder)
            continue;
        if (i < own && any)
            atx_str_addf(out, " <%s>", f->shown);
        else if (i < own)
            add_place(out, count, f->shown, strlen(f->shown));
        any = any || i < own;
        if (!least || strcmp(f->shown, least->shown) < 0)
            least = f;
    }
    if (!any && least)
        add_place(out, count, least->shown, strlen(least->shown));
    return least;
}

at_status atx_headers_places(atx_str *out, atx_headers *headers, const char *note, at_error *err)
{
    size_t len, bytes, own = 0;
    atx_header_walk w = { 0 };
    atx_str list = { 0 };
    int count = 0;
    if (atx_headers_check(&bytes, headers, note, NULL) == AT_OK) {
        at_status status = meet_names(&w, headers, note, err);
        own = w.count;
        ATX_THEN(status, atx_headers_follow(&w, headers, err));
        for (int i = 0; i < headers->folders.count && status == AT_OK; i++)
            count += add_folder(out, count, headers, &w, i, own);
        at_status ended = atx_headers_walk(&list, &bytes, &w, headers, status == AT_OK ? err : NULL);
        atx_str_clear(&list);
        return status == AT_OK ? ended : status;
    }
    for (const char *at = atx_headers_name(&len, note); at; at = atx_headers_name(&len, at + len))
        if (count++)
            atx_str_addf(out, " %.*s", (int)len, at);
        else
            add_place(out, 0, at + 1, len - 2);
    return atx_str_status(out, err);
}
