/*
 * declare_gather.c - an #include is replaced inside any #if that is not certain to leave it out: the
 * condition then holds for the replacement. `#pragma once` becomes a guard named by the file's contents,
 * since it has no meaning in a single file. A guarded file that is already open would be empty and is left
 * out, so cycles end where the preprocessor would end them.
 */
#include "declare/declare_gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "declare/declare_lines.h" /* ATX_MAX_SOURCE */
#include "source/device_view.h"
#include "source/lex.h"
#include "source/paths.h"
#include "util/chars.h"
#include "util/embedded.h"
#include "util/regular.h"

enum { MAX_DEPTH = 32, MAX_CONDITIONS = 256, MAX_VIEWED = 32 << 20 /* bytes of which a view is made */ };

static const char HOST[] = "autotune/host.h"; /* bundled with the program; no file has this name */

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
    size_t read;  /* bytes of all files so far; a file that is included twice counts twice */
    size_t limit; /* of them */
    struct once { /* files that would be empty from now on, in sources for the device */
        dev_t device;
        ino_t inode;
        int branch; /* as long as this one is open; 0: always */
    } * once;
    size_t once_count, once_cap;
    bool view;                    /* a source for the device is read, or a text that is not compiled */
    int branches[MAX_CONDITIONS]; /* of #if that are open, less the guards of files: numbers */
    int conditions;               /* how many; more than there is room for are counted alone */
    int branch_count;             /* so many there were */
    open_file stack[MAX_DEPTH];
    int depth;
    at_error *err;
} gathering;

/* ---- messages ---- */

static at_status fail(const gathering *g, atx_where a, const char *what, const char *path, const char *why)
{
    return atx_fail_at(g->err, a, "%s %s: %s", what, path, why);
}

static at_status check_allowed(const gathering *g, const char *path, atx_where a)
{
    at_error cause = { 0 };
    if (atx_allowed_check(g->allowed, path, &cause) == AT_OK)
        return AT_OK;
    return atx_fail_at(g->err, a, "%s", cause.text);
}

static at_status too_much(const gathering *g)
{
    return atx_fail(
        g->err, AT_ERR_INPUT,
        "%s: found more than %zu bytes in its sources, where a file counts as often as it is included; "
        "expected fewer, or a folder of headers that --headers DIR names and no line does",
        g->file, g->limit);
}

/* ---- lines of the preprocessor ---- */

typedef struct line {
    size_t begin, end;         /* end: past its newline */
    int number, next;          /* of the line, and of the one behind it */
    bool opens, turns, closes; /* #if and its kin; #else and its kin; #endif */
    bool conditional;          /* #if, #ifndef: the beginning of a guard */
    bool once;
    char name[512]; /* the included file; "": none, or one that a macro names */
    bool quoted;
} line;

/* "NAME" or <NAME>, but for an absolute one. */
static void read_name(line *l, const char *text, const atx_token *t)
{
    char name[sizeof l->name + 2];
    const size_t len = atx_token_copy(name, sizeof name, text, t);
    if (t->kind != ATX_TOKEN_TEXT || t->raw || len < 3 || len >= sizeof name || name[1] == '/')
        return;
    l->quoted = name[0] == '"';
    memcpy(l->name, name + 1, len - 2);
    l->name[len - 2] = '\0';
}

static void read_line(line *l, const char *text, const atx_token *t)
{
    atx_lexer inner = atx_lexer_inside(text, t);
    atx_token word, what;
    if (!atx_lexer_next(&word, &inner))
        return;
    l->conditional = atx_token_is(inner.text, &word, "if") || atx_token_is(inner.text, &word, "ifndef");
    l->opens = l->conditional || atx_token_is(inner.text, &word, "ifdef");
    l->turns = atx_token_is(inner.text, &word, "else") || atx_token_is(inner.text, &word, "elif");
    l->closes = atx_token_is(inner.text, &word, "endif");
    if (!atx_lexer_next(&what, &inner))
        return;
    l->once = atx_token_is(inner.text, &word, "pragma") && atx_token_is(inner.text, &what, "once");
    if (atx_token_is(inner.text, &word, "include"))
        read_name(l, inner.text, &what);
}

/* For editors and nvcc is what stands behind `#ifndef AUTOTUNE_RENDERED`: its headers reach the kernel by
 * other ways. */
static atx_lexer lines_of(const char *text, size_t len)
{
    return (atx_lexer){ .text = text,
                        .len = len,
                        .options = { .lines = true, .active = true, .defined = "AUTOTUNE_RENDERED" } };
}

/* The host's stand-ins say the version in a view. */
static atx_lexer lines_for(const gathering *g, const char *text, size_t len)
{
    atx_lexer lexer = lines_of(text, len);
    lexer.options.version = g->view;
    return lexer;
}

static bool next_line(line *l, atx_lexer *lexer)
{
    const char *text = lexer->text;
    atx_token t;
    do
        if (!atx_lexer_next(&t, lexer))
            return false;
    while (t.kind != ATX_TOKEN_DIRECTIVE);
    *l = (line){ .begin = t.begin, .end = t.end + (t.end < lexer->len), .number = t.line, .next = t.line };
    while (l->begin && atx_is_blank(text[l->begin - 1]))
        l->begin--;
    if (l->begin && text[l->begin - 1] != '\n')
        l->begin = t.begin; /* behind a comment */
    for (size_t at = t.begin; at < l->end; at++)
        l->next += text[at] == '\n';
    read_line(l, text, &t);
    return true;
}

typedef enum guard { NO_GUARD, BY_PRAGMA, BY_MACRO } guard;

/* A guard against a second inclusion: a pragma, or a first directive that asks for a macro. */
static guard guard_of(const char *text, size_t len)
{
    atx_lexer lexer = lines_of(text, len);
    bool first = true, macro = false;
    for (line l; next_line(&l, &lexer); first = false) {
        if (l.once)
            return BY_PRAGMA;
        macro = macro || (first && l.conditional);
    }
    return macro ? BY_MACRO : NO_GUARD;
}

/* Does a text begin with #ifndef X and #define X, and end with the #endif of these? */
static bool is_guarded_whole(const char *text, size_t len)
{
    atx_lexer lexer = { .text = text, .len = len };
    atx_token t[5] = { { 0 } }, more;
    for (int i = 0; i < 5; i++) /* # ifndef X # define, then X */
        if (!atx_lexer_next(&t[i], &lexer))
            return false;
    if (!atx_token_is(text, &t[1], "ifndef") || !atx_token_is(text, &t[4], "define") ||
        !atx_lexer_next(&more, &lexer) || more.end - more.begin != t[2].end - t[2].begin ||
        memcmp(text + more.begin, text + t[2].begin, more.end - more.begin) != 0)
        return false;
    bool inside = true;
    while (inside && atx_lexer_next(&more, &lexer))
        inside = lexer.depth > 0 || more.directive;
    return inside && lexer.depth == 0 && !atx_lexer_next(&more, &lexer);
}

/* ---- pieces ---- */

at_status atx_gathered_add(atx_gathered *out, const atx_part *piece, const char *text, at_error *err)
{
    atx_part part = *piece;
    part.begin = out->text.len;
    part.file = atx_text_copy(piece->file, strlen(piece->file));
    if (!part.file || !atx_grow(&out->parts, &out->cap, out->count, sizeof *out->parts)) {
        free(part.file);
        return atx_no_memory(err);
    }
    out->parts[out->count++] = part;
    atx_str_add_bytes(&out->text, text, part.len);
    return AT_OK;
}

static at_status add_piece(gathering *g, const char *name, int number, const char *text, size_t len)
{
    const atx_part piece = { .file = (char *)(uintptr_t)name, .line = number, .len = len };
    if (g->out->text.len + len > g->limit)
        return too_much(g);
    return len ? atx_gathered_add(g->out, &piece, text, g->err) : AT_OK;
}

static at_status gather_file(gathering *g, const char *name, atx_where from);

static bool is_file(const atx_str *path)
{
    struct stat info;
    return !path->failed && stat(atx_str_text(path), &info) == 0 && S_ISREG(info.st_mode);
}

/* The file that an #include means, relative to the template; *found false: it is not ours. */
static at_status find_include(atx_str *name, bool *found, const gathering *g, const char *includer,
                              const char *wanted, bool quoted, atx_where from)
{
    ATX_LOCAL(atx_str) path = { 0 };
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
        ATX_TRY(check_allowed(g, atx_str_text(&path), from));
    return AT_OK;
}

/* Follows the conditions that are open. `around`: those outside of the file and its guard. */
static void follow_condition(gathering *g, const line *l, int around)
{
    if (l->opens)
        g->conditions++;
    if ((l->opens || l->turns) && g->conditions > 0 && g->conditions <= MAX_CONDITIONS)
        g->branches[g->conditions - 1] = ++g->branch_count;
    if (l->closes && g->conditions > around)
        g->conditions--;
}

/* The pieces of a text between the lines that are replaced. */
static at_status add_lines(gathering *g, const char *name, const char *text, size_t len, bool once)
{
    at_status status = AT_OK;
    const int around = g->conditions;
    bool own_guard = is_guarded_whole(text, len); /* its #ifndef is still to come */
    ATX_LOCAL(atx_str) included = { 0 }, shown = { 0 };
    atx_lexer lexer = lines_for(g, text, len);
    size_t from = 0;
    int from_number = 1;

    atx_beside(&shown, g->file, name);
    for (line l; status == AT_OK && next_line(&l, &lexer);) {
        const atx_where from_here = { atx_str_text(&shown), l.number, 1 };
        bool found = false;
        if (!own_guard)
            follow_condition(g, &l, around);
        own_guard = false;
        if (l.name[0])
            status = find_include(&included, &found, g, name, l.name, l.quoted, from_here);
        if (status != AT_OK || (!found && !(once && l.once)))
            continue;
        status = add_piece(g, name, from_number, text + from, l.begin - from);
        if (status == AT_OK && found)
            status = gather_file(g, atx_str_text(&included), from_here);
        from = l.end;
        from_number = l.next;
    }
    ATX_THEN(status, add_piece(g, name, from_number, text + from, len - from));
    g->conditions = around;
    return status;
}

static at_status add_guarded(gathering *g, const char *name, const atx_str *text, bool once)
{
    char hash[ATX_HASH_TEXT], lines[200];
    int n = 0;
    if (once) {
        atx_hash_text(hash, text->data, text->len);
        n = snprintf(lines, sizeof lines, "#ifndef AUTOTUNE_ONCE_%.24s\n#define AUTOTUNE_ONCE_%.24s\n", hash,
                     hash);
        ATX_TRY(add_piece(g, name, 1, lines, (size_t)n));
    }
    ATX_TRY(add_lines(g, name, atx_str_text(text), text->len, once));
    if (once)
        ATX_TRY(add_piece(g, name, 1, "#endif\n", 7));
    return AT_OK;
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

static bool is_open_branch(const gathering *g, int branch)
{
    for (int i = 0; i < g->conditions && i < MAX_CONDITIONS; i++)
        if (g->branches[i] == branch)
            return true;
    return branch == 0;
}

/* Was it read in a branch that is still open, and has it guards? A text of many megabytes comes of not
 * asking. */
static bool is_over(const gathering *g, const struct stat *info)
{
    for (size_t i = 0; i < g->once_count; i++)
        if (g->once[i].device == info->st_dev && g->once[i].inode == info->st_ino &&
            is_open_branch(g, g->once[i].branch))
            return true;
    return false;
}

static at_status note_over(gathering *g, const struct stat *info)
{
    if (!g->view || g->conditions > MAX_CONDITIONS)
        return AT_OK;
    if (!atx_grow(&g->once, &g->once_cap, g->once_count, sizeof *g->once))
        return atx_no_memory(g->err);
    const int branch = g->conditions ? g->branches[g->conditions - 1] : 0;
    g->once[g->once_count++] = (struct once){ info->st_dev, info->st_ino, branch };
    return AT_OK;
}

static at_status read_text(atx_str *text, const gathering *g, const char *path, atx_where from)
{
    at_error cause = { 0 };
    if (atx_regular_read(text, path, g->limit, &cause) != AT_OK)
        return atx_fail_at(g->err, from, "%s", cause.text);
    const char *what, *unfit = atx_lines_unfit(&what, atx_str_text(text), text->len);
    if (!unfit)
        return AT_OK;
    const atx_where begin = { path, 1, 1 };
    atx_where place = atx_where_after(begin, text->data, (size_t)(unfit - text->data));
    return atx_fail_at(g->err, from, "%s:%d:%d: found %s; expected text", path, place.line, place.column,
                       what);
}

static at_status gather_file(gathering *g, const char *name, atx_where from)
{
    atx_str path = { 0 }, text = { 0 };
    struct stat info;
    bool leave_out = false;
    at_status status = AT_OK;

    atx_join_path(&path, g->file, name);
    if (path.failed) {
        status = atx_no_memory(g->err);
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
    if (is_over(g, &info))
        goto done;
    if (is_open(g, &info, &leave_out)) {
        if (!leave_out)
            status = fail(g, from, "found", atx_str_text(&path), "it includes itself; expected no circle");
        goto done;
    }
    if (g->depth == MAX_DEPTH) {
        status = fail(g, from, "found", atx_str_text(&path), "it is included too deep; expected 32 levels");
        goto done;
    }
    if (g->read > g->limit || (uintmax_t)info.st_size > g->limit - g->read) {
        status = too_much(g);
        goto done;
    }
    if ((status = read_text(&text, g, atx_str_text(&path), from)) != AT_OK)
        goto done;
    if (text.len && text.data[text.len - 1] != '\n')
        atx_str_add(&text, "\n"); /* the next text begins a line */
    if ((status = atx_str_status(&text, g->err)) != AT_OK)
        goto done;
    g->read += text.len;
    guard by = guard_of(atx_str_text(&text), text.len);
    g->stack[g->depth++] = (open_file){ info.st_dev, info.st_ino, by != NO_GUARD };
    status = add_guarded(g, name, &text, by == BY_PRAGMA);
    g->depth--;
    if (status == AT_OK && (by == BY_PRAGMA || is_guarded_whole(atx_str_text(&text), text.len)))
        status = note_over(g, &info);
done:
    atx_str_clear(&path);
    atx_str_clear(&text);
    return status;
}

static gathering begin(atx_gathered *out, const atx_gather_request *r, at_error *err)
{
    return (gathering){ .out = out,
                        .file = r->file,
                        .limit = r->large ? MAX_VIEWED : ATX_MAX_SOURCE,
                        .view = r->large,
                        .includes = r->includes,
                        .headers = r->headers,
                        .allowed = r->allowed,
                        .err = err };
}

/* Folders, before a file in them is asked for. */
static at_status check_includes(const gathering *g)
{
    ATX_LOCAL(atx_str) path = { 0 };
    for (int i = 0; i < g->includes->count; i++) {
        atx_join_path(&path, g->file, g->includes->items[i]);
        ATX_TRY(path.failed ? atx_no_memory(g->err) : check_allowed(g, path.data, g->includes->where[i]));
    }
    return AT_OK;
}

/* ---- views of the device ---- */

static at_status add_host_headers(gathering *g)
{
    for (const atx_embedded *e = atx_embedded_host; e->path; e++)
        ATX_TRY(add_piece(g, HOST, 1, (const char *)e->data, e->len));
    return AT_OK;
}

static int newlines(const char *at, const char *end)
{
    int count = 0;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL && at < end) {
        count++;
        at++;
    }
    return count;
}

/* The part of `piece` between two lines, without blank lines around it. */
static at_status keep_lines(atx_gathered *to, const atx_part *piece, const char *text, size_t begin,
                            size_t end, at_error *err)
{
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    while (end < piece->len && (text[end - 1] != '\n' || (end > 1 && text[end - 2] == '\\')))
        end++; /* with the line that a backslash joins to it */
    const atx_part part = { .file = atx_text_copy(piece->file, strlen(piece->file)),
                            .line = piece->line + newlines(text, text + begin),
                            .begin = piece->begin + begin,
                            .len = end - begin };
    if (!part.file || !atx_grow(&to->parts, &to->cap, to->count, sizeof *to->parts)) {
        free(part.file);
        return atx_no_memory(err);
    }
    to->parts[to->count++] = part;
    return AT_OK;
}

/* Adds the rest of a piece: the lines between long blank stretches. */
static at_status keep_rest(atx_gathered *to, const atx_part *piece, const char *text, at_error *err)
{
    enum { STRETCH = 8 }; /* lines */
    atx_lexer lexer = { .text = text, .len = piece->len, .options = { .comments = true, .lines = true } };
    size_t from = SIZE_MAX, end = 0;
    at_status status = AT_OK;
    for (atx_token t; status == AT_OK && atx_lexer_next(&t, &lexer); end = t.end) {
        if (from != SIZE_MAX && newlines(text + end, text + t.begin) >= STRETCH) {
            status = keep_lines(to, piece, text, from, end, err);
            from = SIZE_MAX;
        }
        from = from == SIZE_MAX ? t.begin : from;
    }
    return status == AT_OK && from != SIZE_MAX ? keep_lines(to, piece, text, from, end, err) : status;
}

/* Takes out pieces that are blank now; the text stays as it is. */
static at_status drop_blank(atx_gathered *out, size_t first, at_error *err)
{
    atx_gathered kept = { 0 };
    at_status status = AT_OK;
    for (size_t i = 0; i < out->count && status == AT_OK; i++) {
        const atx_part *p = &out->parts[i];
        char *text = out->text.data + p->begin;
        if (strcmp(p->file, HOST) == 0)
            atx_device_blank_empty(text, p->len);
        status = i < first ? keep_lines(&kept, p, text, 0, p->len, err) : keep_rest(&kept, p, text, err);
    }
    if (status != AT_OK) {
        atx_gathered_clear(&kept);
        return status;
    }
    kept.text = out->text;
    out->text = (atx_str){ 0 };
    atx_gathered_clear(out);
    *out = kept;
    return AT_OK;
}

/* Of the pieces from `first` on, behind which there is no text yet. */
static at_status view_pieces(gathering *g, const atx_gather_request *request, size_t first)
{
    ATX_LOCAL(atx_str) roots = { 0 };
    atx_gathered *out = g->out;
    at_status status = atx_str_status(&out->text, g->err);
    if (status != AT_OK || first == out->count)
        return status;
    size_t begin = out->parts[first].begin, given = 0;
    for (size_t i = first; i < out->count && strcmp(out->parts[i].file, HOST) == 0;)
        given += out->parts[i++].len;
    atx_str_addf(&roots, "%s\n", request->reached ? request->reached : "");
    atx_str_add_bytes(&roots, out->text.data, begin); /* what other files use of them */
    const atx_device_request view = { .roots = atx_str_text(&roots),
                                      .replaced = request->replaced,
                                      .given = given,
                                      .headers = request->headers };
    status = atx_str_status(&roots, g->err);
    ATX_THEN(status, atx_device_view(out->text.data + begin, out->text.len - begin, &view, g->err));
    ATX_THEN(status, drop_blank(out, first, g->err));
    return status;
}

at_status atx_gather(atx_gathered *out, const atx_gather_request *request, at_error *err)
{
    gathering g = begin(out, request, err);
    const atx_paths *sources = request->sources;
    at_status status = check_includes(&g);
    size_t first = SIZE_MAX; /* piece of a view that is open */
    for (int i = 0; i < sources->count && status == AT_OK; i++) {
        if (sources->device[i] && first == SIZE_MAX) {
            first = out->count;
            g.view = true;
            g.limit = MAX_VIEWED;
            status = add_host_headers(&g);
        }
        ATX_THEN(status, gather_file(&g, sources->items[i], sources->where[i]));
        if (status != AT_OK || first == SIZE_MAX || (i + 1 < sources->count && sources->device[i + 1]))
            continue;
        status = view_pieces(&g, request, first);
        first = SIZE_MAX;
        g.view = request->large;
        g.limit = ATX_MAX_SOURCE + g.read;
    }
    free(g.once);
    return status == AT_OK ? atx_str_status(&out->text, err) : status;
}

at_status atx_gather_own(atx_gathered *out, const atx_gather_request *request, const char *text, size_t len,
                         at_error *err)
{
    gathering g = begin(out, request, err);
    struct stat info;
    if (stat(request->file, &info) == 0) /* the inclusion is circular */
        g.stack[g.depth++] = (open_file){ info.st_dev, info.st_ino, false };
    ATX_TRY(check_includes(&g));
    ATX_TRY(add_lines(&g, request->file + atx_folder_len(request->file), text, len, false));
    return atx_str_status(&out->text, err);
}

void atx_gathered_clear(atx_gathered *gathered)
{
    for (size_t i = 0; i < gathered->count; i++)
        free(gathered->parts[i].file);
    free(gathered->parts);
    atx_str_clear(&gathered->text);
    *gathered = (atx_gathered){ 0 };
}
