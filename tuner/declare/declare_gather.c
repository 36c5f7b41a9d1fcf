/*
 * declare_gather.c - #include lines are found line by line, outside of comments, and replaced whatever #if
 * they stand in: the condition then holds for what replaced them. `#pragma once` becomes a guard named by the
 * file's contents, as it means nothing where there is one file. A guarded file that is open already would be
 * empty: it is left out, so circles end where the preprocessor would end them.
 */
#include "declare/declare_gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "declare/declare_lines.h" /* ATX_MAX_SOURCE */
#include "source/paths.h"
#include "util/regular.h"

enum { MAX_DEPTH = 32 };

typedef struct open_file {
    dev_t device;
    ino_t inode;
    bool guarded;
} open_file;

typedef struct gathering {
    atx_gathered *out;
    const char *file; /* the template's */
    const atx_paths *includes;
    const atx_headers *headers; /* NULL: none */
    const atx_allowed *allowed;
    size_t read; /* bytes of all files so far: what is included twice counts twice */
    open_file stack[MAX_DEPTH];
    int depth;
    at_error *err;
} gathering;

/* ---- messages ---- */

/* Where a file is asked for: a line of the template, or of a file that is gathered. */
typedef struct asker {
    const char *file;
    int line, column;
} asker;

static at_status fail(const gathering *g, const asker *a, const char *what, const char *path, const char *why)
{
    return at_fail(g->err, AT_ERR_INPUT, "%s:%d:%d: %s %s: %s", a->file, a->line, a->column, what, path, why);
}

static at_status check_allowed(const gathering *g, const char *path, const asker *a)
{
    at_error cause = { 0 };
    if (atx_allowed_check(g->allowed, path, &cause) == AT_OK)
        return AT_OK;
    return at_fail(g->err, AT_ERR_INPUT, "%s:%d:%d: %s", a->file, a->line, a->column, cause.text);
}

static at_status out_of_memory(const gathering *g)
{
    return at_fail(g->err, AT_ERR_MEMORY, "out of memory");
}

static at_status too_much(const gathering *g)
{
    return at_fail(
        g->err, AT_ERR_INPUT,
        "%s: found more than %zu bytes in its sources, where a file counts as often as it is included; "
        "expected fewer, or a folder of headers that --headers DIR names and no line does",
        g->file, ATX_MAX_SOURCE);
}

/* ---- lines ---- */

typedef struct line {
    const char *begin, *end; /* end: past its newline */
    int number;
    bool in_comment; /* where it begins */
} line;

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

static bool is_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Past a string or character; a quote within a number (1'000) is none. */
static const char *skip_quoted(const char *at, const line *l)
{
    char quote = *at;
    if (quote == '\'' && at > l->begin && is_part(at[-1]))
        return at + 1;
    for (at++; at < l->end && *at != quote && *at != '\n'; at++)
        at += *at == '\\' && at + 1 < l->end;
    return at < l->end ? at + 1 : at;
}

/* Whether the next line begins within a comment. */
static bool ends_in_comment(const line *l)
{
    bool inside = l->in_comment;
    const char *at = l->begin;
    while (at < l->end) {
        bool two = at + 1 < l->end;
        if (inside) {
            inside = !(two && at[0] == '*' && at[1] == '/');
            at += inside ? 1 : 2;
        } else if (two && at[0] == '/' && at[1] == '/') {
            break;
        } else if (two && at[0] == '/' && at[1] == '*') {
            inside = true;
            at += 2;
        } else {
            at = *at == '"' || *at == '\'' ? skip_quoted(at, l) : at + 1;
        }
    }
    return inside;
}

/* The line at `at`; what follows `l`, if anything was there before. */
static void next_line(line *l, const char *text, size_t len)
{
    bool first = !l->begin;
    l->in_comment = !first && ends_in_comment(l);
    l->number = first ? 1 : l->number + 1;
    l->begin = first ? text : l->end;
    const char *newline = memchr(l->begin, '\n', (size_t)(text + len - l->begin));
    l->end = newline ? newline + 1 : text + len;
}

/* What follows the `#` of a directive; NULL: the line is none. */
static const char *directive(const line *l)
{
    const char *at = skip_blanks(l->begin, l->end);
    return l->in_comment || at == l->end || *at != '#' ? NULL : skip_blanks(at + 1, l->end);
}

static const char *after_word(const char *at, const line *l, const char *word)
{
    size_t n = strlen(word);
    if (!at || (size_t)(l->end - at) < n || memcmp(at, word, n) != 0 || (at + n < l->end && is_part(at[n])))
        return NULL;
    return skip_blanks(at + n, l->end);
}

static bool is_once(const line *l)
{
    return after_word(after_word(directive(l), l, "pragma"), l, "once") != NULL;
}

/* #include "NAME" or <NAME>: where the name stands. false: something else, or a macro. */
static bool read_include(const line *l, char name[512], bool *quoted)
{
    const char *at = after_word(directive(l), l, "include");
    if (!at || at == l->end || (*at != '"' && *at != '<'))
        return false;
    const char *close = memchr(at + 1, *at == '"' ? '"' : '>', (size_t)(l->end - at - 1));
    if (!close || close == at + 1 || close - at - 1 >= 512 || at[1] == '/')
        return false;
    *quoted = *at == '"';
    memcpy(name, at + 1, (size_t)(close - at - 1));
    name[close - at - 1] = '\0';
    return true;
}

typedef enum guard { NO_GUARD, BY_PRAGMA, BY_MACRO } guard;

/* What keeps a file from being seen twice: a pragma, or a first directive that asks for a macro. */
static guard guard_of(const char *text, size_t len)
{
    line l = { 0 };
    bool first = true, macro = false;
    while (l.end < text + len) {
        next_line(&l, text, len);
        const char *what = directive(&l);
        if (is_once(&l))
            return BY_PRAGMA;
        if (what && first)
            macro = after_word(what, &l, "ifndef") || after_word(what, &l, "if");
        first = first && !what;
    }
    return macro ? BY_MACRO : NO_GUARD;
}

/* ---- pieces ---- */

static at_status add_piece(gathering *g, const char *name, int number, const char *text, size_t len)
{
    atx_gathered *out = g->out;
    if (len == 0)
        return AT_OK;
    if (out->text.len + len > ATX_MAX_SOURCE)
        return too_much(g);
    atx_part part = { .line = number, .begin = out->text.len, .len = len };
    part.file = atx_text_copy(name, strlen(name));
    if (!part.file || !atx_grow(&out->parts, &out->cap, out->count, sizeof *out->parts)) {
        free(part.file);
        return out_of_memory(g);
    }
    out->parts[out->count++] = part;
    atx_str_add_bytes(&out->text, text, len);
    return AT_OK;
}

static at_status gather_file(gathering *g, const char *name, const asker *from);

static bool is_file(const atx_str *path)
{
    struct stat info;
    return !path->failed && stat(atx_str_text(path), &info) == 0 && S_ISREG(info.st_mode);
}

/* The file that an #include means, relative to the template; *found false: it is not ours. */
static at_status find_include(atx_str *name, bool *found, const gathering *g, const char *includer,
                              const char *wanted, bool quoted, const asker *from)
{
    atx_str path = { 0 };
    at_status status = AT_OK;
    *found = false;
    if (quoted) {
        atx_join_path(name, includer, wanted);
        atx_join_path(&path, g->file, atx_str_text(name));
        *found = is_file(&path);
    }
    for (int i = 0; i < g->includes->count && !*found; i++) {
        atx_str_reset(name);
        atx_str_addf(name, "%s/%s", g->includes->items[i], wanted);
        atx_join_path(&path, g->file, atx_str_text(name));
        *found = is_file(&path);
    }
    *found = *found && !atx_headers_have(g->headers, atx_str_text(&path), wanted);
    if (*found)
        status = check_allowed(g, atx_str_text(&path), from);
    atx_str_clear(&path);
    return status;
}

/*
 * The depth of #if within what only editors and nvcc see, `#ifndef AUTOTUNE_RENDERED`; 0: outside. Headers
 * that stand there reach the kernel by other ways.
 */
static int hidden_depth(int depth, const line *l)
{
    static const char NAME[] = "AUTOTUNE_RENDERED";
    const char *what = directive(l), *asked = after_word(what, l, "ifndef");
    if (depth == 0)
        return asked && after_word(asked, l, NAME) ? 1 : 0;
    if (asked || after_word(what, l, "if") || after_word(what, l, "ifdef"))
        return depth + 1;
    if (after_word(what, l, "endif"))
        return depth - 1;
    return depth == 1 && (after_word(what, l, "else") || after_word(what, l, "elif")) ? 0 : depth;
}

/* The pieces of a text between the lines that are replaced. */
static at_status add_lines(gathering *g, const char *name, const char *text, size_t len, bool once)
{
    at_status status = AT_OK;
    atx_str included = { 0 }, shown = { 0 };
    const char *from = text;
    int from_number = 1, hidden = 0;
    line l = { 0 };

    atx_beside(&shown, g->file, name);
    while (l.end < text + len && status == AT_OK) {
        char wanted[512];
        bool quoted = false;
        next_line(&l, text, len);
        hidden = hidden_depth(hidden, &l);
        bool found = false;
        const asker from_here = { atx_str_text(&shown), l.number, 1 };
        if (!hidden && read_include(&l, wanted, &quoted))
            status = find_include(&included, &found, g, name, wanted, quoted, &from_here);
        if (status != AT_OK || (!found && !(once && is_once(&l))))
            continue;
        status = add_piece(g, name, from_number, from, (size_t)(l.begin - from));
        if (status == AT_OK && found)
            status = gather_file(g, atx_str_text(&included), &from_here);
        from = l.end;
        from_number = l.number + 1;
    }
    if (status == AT_OK)
        status = add_piece(g, name, from_number, from, (size_t)(text + len - from));
    atx_str_clear(&included);
    atx_str_clear(&shown);
    return status;
}

static at_status add_guarded(gathering *g, const char *name, const atx_str *text, bool once)
{
    char hash[ATX_HASH_TEXT], lines[200];
    at_status status = AT_OK;
    int n = 0;
    if (once) {
        atx_hash_text(hash, text->data, text->len);
        n = snprintf(lines, sizeof lines, "#ifndef AUTOTUNE_ONCE_%.24s\n#define AUTOTUNE_ONCE_%.24s\n", hash,
                     hash);
        status = add_piece(g, name, 1, lines, (size_t)n);
    }
    if (status == AT_OK)
        status = add_lines(g, name, atx_str_text(text), text->len, once);
    if (status == AT_OK && once)
        status = add_piece(g, name, 1, "#endif\n", 7);
    return status;
}

/* Is it open already? *leave_out: and guarded, so that it would be empty here. */
static bool is_open(const gathering *g, const struct stat *info, bool *leave_out)
{
    for (int i = 0; i < g->depth; i++)
        if (g->stack[i].device == info->st_dev && g->stack[i].inode == info->st_ino) {
            *leave_out = g->stack[i].guarded;
            return true;
        }
    return false;
}

static at_status read_text(atx_str *text, const gathering *g, const char *path, const asker *from)
{
    at_error cause = { 0 };
    if (atx_regular_read(text, path, ATX_MAX_SOURCE, &cause) != AT_OK)
        return at_fail(g->err, AT_ERR_INPUT, "%s:%d:%d: %s", from->file, from->line, from->column,
                       cause.text);
    const char *what, *unfit = atx_lines_unfit(&what, atx_str_text(text), text->len);
    if (!unfit)
        return AT_OK;
    const atx_where begin = { path, 1, 1 };
    atx_where place = atx_where_after(begin, text->data, (size_t)(unfit - text->data));
    return at_fail(g->err, AT_ERR_INPUT, "%s:%d:%d: %s:%d:%d: found %s; expected text", from->file,
                   from->line, from->column, path, place.line, place.column, what);
}

static at_status gather_file(gathering *g, const char *name, const asker *from)
{
    atx_str path = { 0 }, text = { 0 };
    struct stat info;
    bool leave_out = false;
    at_status status = AT_OK;

    atx_join_path(&path, g->file, name);
    if (path.failed) {
        status = out_of_memory(g);
        goto done;
    }
    if ((status = check_allowed(g, atx_str_text(&path), from)) != AT_OK)
        goto done;
    if (stat(atx_str_text(&path), &info) != 0) {
        status = fail(g, from, "cannot read", atx_str_text(&path), strerror(errno));
        goto done;
    }
    if (!S_ISREG(info.st_mode)) {
        status = fail(g, from, "cannot read", atx_str_text(&path), "expected a file");
        goto done;
    }
    if (is_open(g, &info, &leave_out)) {
        if (!leave_out)
            status = fail(g, from, "found", atx_str_text(&path), "it includes itself; expected no circle");
        goto done;
    }
    if (g->depth == MAX_DEPTH) {
        status = fail(g, from, "found", atx_str_text(&path), "it is included too deep; expected 32 levels");
        goto done;
    }
    if (g->read > ATX_MAX_SOURCE || (uintmax_t)info.st_size > ATX_MAX_SOURCE - g->read) {
        status = too_much(g);
        goto done;
    }
    if ((status = read_text(&text, g, atx_str_text(&path), from)) != AT_OK)
        goto done;
    g->read += text.len;
    guard by = guard_of(atx_str_text(&text), text.len);
    g->stack[g->depth++] = (open_file){ info.st_dev, info.st_ino, by != NO_GUARD };
    status = add_guarded(g, name, &text, by == BY_PRAGMA);
    g->depth--;
done:
    atx_str_clear(&path);
    atx_str_clear(&text);
    return status;
}

static gathering begin(atx_gathered *out, const atx_gather_request *r, at_error *err)
{
    return (gathering){ .out = out,
                        .file = r->file,
                        .includes = r->includes,
                        .headers = r->headers,
                        .allowed = r->allowed,
                        .err = err };
}

/* Folders, before a file in them is asked for. */
static at_status check_includes(const gathering *g)
{
    atx_str path = { 0 };
    at_status status = AT_OK;
    for (int i = 0; i < g->includes->count && status == AT_OK; i++) {
        const atx_where *w = &g->includes->where[i];
        atx_join_path(&path, g->file, g->includes->items[i]);
        status = path.failed ? out_of_memory(g)
                             : check_allowed(g, path.data, &(asker){ w->file, w->line, w->column });
    }
    atx_str_clear(&path);
    return status;
}

at_status atx_gather(atx_gathered *out, const atx_gather_request *request, at_error *err)
{
    gathering g = begin(out, request, err);
    at_status status = check_includes(&g);
    for (int i = 0; i < request->sources->count && status == AT_OK; i++) {
        const atx_where *w = &request->sources->where[i];
        status = gather_file(&g, request->sources->items[i], &(asker){ w->file, w->line, w->column });
    }
    return status == AT_OK ? atx_str_status(&out->text, err) : status;
}

at_status atx_gather_own(atx_gathered *out, const atx_gather_request *request, const char *text, size_t len,
                         at_error *err)
{
    gathering g = begin(out, request, err);
    struct stat info;
    if (stat(request->file, &info) == 0) /* what includes it runs in a circle */
        g.stack[g.depth++] = (open_file){ info.st_dev, info.st_ino, false };
    at_status status = check_includes(&g);
    if (status == AT_OK)
        status = add_lines(&g, request->file + atx_folder_len(request->file), text, len, false);
    return status == AT_OK ? atx_str_status(&out->text, err) : status;
}

void atx_gathered_clear(atx_gathered *gathered)
{
    for (size_t i = 0; i < gathered->count; i++)
        free(gathered->parts[i].file);
    free(gathered->parts);
    atx_str_clear(&gathered->text);
    *gathered = (atx_gathered){ 0 };
}
