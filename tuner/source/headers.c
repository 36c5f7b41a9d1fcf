/*
 * headers.c - files are found as a compiler finds them (beside the including file if the name is quoted, then
 * in the folders) and read once: the hash of a file and its includes are kept as long as its size and time do
 * not change. The files that a walk reaches are a list whose hash does not depend on the order of that walk.
 * headers_note.c uses the list.
 */
#include "source/headers_internal.h"

#include "source/paths.h"
#include "util/regular.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILE_BYTES = 256 << 20, USED_BITS = 1 << 23 };

static at_status out_of_memory(at_error *err)
{
    return atx_no_memory(err);
}

/* ---- folders ---- */

at_status atx_headers_open(atx_headers **out, const char *folders, at_error *err)
{
    atx_headers *h = calloc(1, sizeof *h);
    if (!h)
        return out_of_memory(err);
    at_status status = atx_folders_read(&h->folders, "headers", folders, err);
    if (status == AT_OK)
        *out = h;
    else
        atx_headers_close(h);
    return status;
}

void atx_headers_close(atx_headers *headers)
{
    if (!headers)
        return;
    atx_folders_clear(&headers->folders);
    for (size_t i = 0; i < headers->file_count; i++) {
        free(headers->files[i].path);
        free(headers->files[i].shown);
        free(headers->files[i].includes);
    }
    for (int i = 0; i < ATX_HEADER_LISTS; i++)
        free(headers->lists[i]);
    free(headers->files);
    free(headers->used);
    free(headers);
}

const char *atx_headers_text(const atx_headers *headers)
{
    return headers ? atx_str_text(&headers->folders.text) : "";
}

int atx_headers_count(const atx_headers *headers)
{
    return headers ? headers->folders.count : 0;
}

const char *atx_headers_folder(const atx_headers *headers, int i)
{
    return headers->folders.items[i];
}

/* ---- finding files ---- */

static bool is_file(const atx_str *path)
{
    struct stat info;
    return !path->failed && path->len && stat(path->data, &info) == 0 && S_ISREG(info.st_mode);
}

/* The file of this name in the folders. */
static bool find_in_folders(atx_str *path, const atx_headers *h, const char *name)
{
    bool found = false;
    for (int i = 0; i < h->folders.count && !found && !path->failed; i++) {
        ATX_LOCAL(atx_str) inside = { 0 };
        atx_str_addf(&inside, "%s/%s", h->folders.items[i], name);
        path->len = 0;
        atx_beside(path, atx_str_text(&inside), atx_str_text(&inside));
        path->failed = path->failed || inside.failed;
        found = is_file(path);
    }
    return found;
}

bool atx_headers_have(const atx_headers *headers, const char *path, const char *name)
{
    ATX_LOCAL(atx_str) found = { 0 };
    struct stat a, b;
    return headers && find_in_folders(&found, headers, name) && stat(found.data, &a) == 0 &&
           stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool atx_headers_offer(const atx_headers *headers, const char *name)
{
    ATX_LOCAL(atx_str) found = { 0 };
    return headers && name[0] != '/' && find_in_folders(&found, headers, name);
}

/* The folder that a path is below; -1: none. */
static int folder_of(const atx_headers *h, const char *path)
{
    for (int i = 0; i < h->folders.count; i++)
        if (atx_is_below(path, h->folders.items[i]))
            return i;
    return -1;
}

static at_status add_file(size_t *index, atx_headers *h, const atx_str *path, const char *name, at_error *err)
{
    for (size_t i = 0; i < h->file_count; i++)
        if (h->files[i].path_len == path->len && memcmp(h->files[i].path, path->data, path->len) == 0) {
            *index = i;
            return AT_OK;
        }
    /* The path behind its folder, which may be elsewhere tomorrow; outside of them the name that asked for
     * it. */
    const int folder = folder_of(h, path->data);
    const char *shown = folder >= 0 ? path->data + strlen(h->folders.items[folder]) + 1 : name;
    atx_header file = { .path = atx_text_copy(path->data, path->len),
                        .shown = atx_text_copy(shown, strlen(shown)),
                        .path_len = path->len,
                        .folder = folder };
    if (!file.path || !file.shown || !atx_grow(&h->files, &h->file_cap, h->file_count, sizeof *h->files)) {
        free(file.path);
        free(file.shown);
        return out_of_memory(err);
    }
    *index = h->file_count;
    h->files[h->file_count++] = file;
    return AT_OK;
}

at_status atx_headers_find(size_t *index, bool *found, atx_headers *h, const char *includer, const char *name,
                           bool quoted, at_error *err)
{
    ATX_LOCAL(atx_str) path = { 0 };
    if (includer && quoted)
        atx_beside(&path, includer, name);
    *found = is_file(&path) || (!path.failed && find_in_folders(&path, h, name));
    if (path.failed)
        ATX_TRY(out_of_memory(err));
    else if (*found)
        ATX_TRY(add_file(index, h, &path, name, err));
    return AT_OK;
}

/* ---- names ---- */

static uint32_t bit_of(const char *name, size_t len)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u;
    return (uint32_t)(hash >> 32) % USED_BITS;
}

static void read_name(atx_headers *h, const char *text, const atx_token *t)
{
    uint32_t bit = bit_of(text + t->begin, t->end - t->begin);
    if (t->kind == ATX_TOKEN_WORD)
        h->used[bit / 8] = (uint8_t)(h->used[bit / 8] | 1u << bit % 8);
}

bool atx_headers_may_use(const atx_headers *headers, const char *name, size_t len)
{
    uint32_t bit = bit_of(name, len);
    return !headers || !headers->used || headers->used[bit / 8] >> bit % 8 & 1;
}

/* ---- what a file includes ---- */

bool atx_headers_copy_name(char name[ATX_HEADER_NAME], const atx_directive *d)
{
    if (!d->name || d->len == 0 || d->len >= ATX_HEADER_NAME || d->name[0] == '/')
        return false;
    memcpy(name, d->name, d->len);
    name[d->len] = '\0';
    return true;
}

static at_status add_include(atx_headers *h, size_t includer, size_t included, at_error *err)
{
    atx_header *f = &h->files[includer];
    for (size_t i = 0; i < f->include_count; i++)
        if (f->includes[i] == included)
            return AT_OK;
    if (!atx_grow(&f->includes, &f->include_cap, f->include_count, sizeof *f->includes))
        return out_of_memory(err);
    f->includes[f->include_count++] = included;
    return AT_OK;
}

static at_status follow_name(atx_headers *h, size_t file, const atx_directive *d, at_error *err)
{
    char name[ATX_HEADER_NAME];
    size_t index = 0;
    bool found = false;
    at_status status = AT_OK;
    if (atx_headers_copy_name(name, d))
        status = atx_headers_find(&index, &found, h, h->files[file].path, name, d->quoted, err);
    return status == AT_OK && found ? add_include(h, file, index, err) : status;
}

/* All that the text may mean by it: behind which #if its definitions stand is not looked at. */
static at_status follow_macro(atx_headers *h, size_t file, const atx_str *text, const atx_directive *macro,
                              at_error *err)
{
    atx_directive d;
    atx_lexer lexer = { .text = text->data, .len = text->len, .options = { .lines = true } };
    for (atx_token t; atx_lexer_next(&t, &lexer);)
        if (t.kind == ATX_TOKEN_DIRECTIVE &&
            atx_directive_defines(&d, atx_lexer_inside(text->data, &t), macro->macro, macro->macro_len))
            ATX_TRY(follow_name(h, file, &d, err));
    return AT_OK;
}

static at_status read_directive(atx_headers *h, size_t file, const atx_str *text, const atx_token *directive,
                                at_error *err)
{
    atx_lexer words = atx_lexer_inside(text->data, directive), inside = words;
    for (atx_token t; atx_lexer_next(&t, &words);)
        read_name(h, words.text, &t);
    for (atx_directive d; atx_directive_next(&d, &inside);)
        ATX_TRY(d.macro ? follow_macro(h, file, text, &d, err) : follow_name(h, file, &d, err));
    return AT_OK;
}

static at_status read_includes(atx_headers *h, size_t file, const atx_str *text, at_error *err)
{
    atx_lexer lexer = { .text = atx_str_text(text), .len = text->len, .options = { .lines = true } };
    if (!h->used && !(h->used = calloc(USED_BITS / 8, 1)))
        return out_of_memory(err);
    h->files[file].include_count = 0;
    for (atx_token t; atx_lexer_next(&t, &lexer);)
        if (t.kind == ATX_TOKEN_DIRECTIVE)
            ATX_TRY(read_directive(h, file, text, &t, err));
        else
            read_name(h, lexer.text, &t);
    return AT_OK;
}

/* ---- reading ---- */

/* Hash and includes of a file, as it is now. */
static at_status read_file(atx_headers *h, size_t file, at_error *err)
{
    struct stat now;
    ATX_LOCAL(atx_str) text = { 0 };
    if (stat(h->files[file].path, &now) != 0)
        return atx_read_failed(h->files[file].path, errno, err);
    if (atx_same_contents(&h->files[file].seen, &now))
        return AT_OK;
    ATX_TRY(atx_regular_read(&text, h->files[file].path, MAX_FILE_BYTES, err));
    atx_hash_text(h->files[file].hash, atx_str_text(&text), text.len);
    ATX_TRY(read_includes(h, file, &text, err));
    h->files[file].seen = now;
    return AT_OK;
}

/* ---- walking ---- */

at_status atx_headers_meet(atx_header_walk *w, atx_headers *h, size_t file, at_error *err)
{
    if (h->files[file].reached)
        return AT_OK;
    if (!atx_grow(&w->files, &w->cap, w->count, sizeof *w->files))
        return out_of_memory(err);
    h->files[file].reached = true;
    w->files[w->count++] = file;
    return AT_OK;
}

at_status atx_headers_follow(atx_header_walk *w, atx_headers *h, at_error *err)
{
    for (size_t i = 0; i < w->count; i++) {
        size_t file = w->files[i];
        ATX_TRY(read_file(h, file, err));
        for (size_t k = 0; k < h->files[file].include_count; k++)
            ATX_TRY(atx_headers_meet(w, h, h->files[file].includes[k], err));
    }
    return AT_OK;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static at_status list_walk(atx_str *list, const atx_header_walk *w, const atx_headers *h, at_error *err)
{
    char **lines = calloc(w->count + 1, sizeof *lines);
    at_status status = AT_OK;
    if (!lines)
        return atx_no_memory(err);
    for (size_t i = 0; i < w->count && status == AT_OK; i++) {
        const atx_header *f = &h->files[w->files[i]];
        atx_str line = { 0 };
        atx_str_addf(&line, "%s %s\n", f->shown, f->hash);
        status = atx_str_status(&line, err);
        lines[i] = line.data;
    }
    if (status == AT_OK)
        qsort(lines, w->count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < w->count; i++) {
        if (status == AT_OK)
            atx_str_add(list, lines[i]);
        free(lines[i]);
    }
    free(lines);
    return status == AT_OK ? atx_str_status(list, err) : status;
}

at_status atx_headers_walk(atx_str *list, size_t *bytes, atx_header_walk *w, atx_headers *h, at_error *err)
{
    at_status status = atx_headers_follow(w, h, err);
    ATX_THEN(status, list_walk(list, w, h, err));
    *bytes = 0;
    for (size_t i = 0; i < w->count; i++) {
        *bytes += (size_t)h->files[w->files[i]].seen.st_size;
        h->files[w->files[i]].reached = false;
    }
    free(w->files);
    *w = (atx_header_walk){ 0 };
    return status;
}
