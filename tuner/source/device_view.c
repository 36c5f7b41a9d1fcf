/*
 * device_view.c - words reach declarations and macros, whose words are reached in turn. A word behind a '.'
 * or
 * '->' names a member, and reaches nothing. What a conditional asks for is reached as a macro only.
 */
#include "source/device_view.h"

#include "source/device_headers.h"
#include "source/device_items.h"
#include "source/directives.h"

#include <stdlib.h>
#include <string.h>

enum { AS_MACRO = 1, WHOLLY = 2 };

/* Entries of one word, by their indices: of atx_items.names, or of lines. */
typedef struct chains {
    size_t *first; /* of each word; SIZE_MAX: none */
    size_t *next;
} chains;

typedef struct view {
    char *text;
    const atx_device_request *request;
    atx_items t;
    chains names, defines;
    uint8_t *reached; /* of each word */
    bool *replaced;   /* of each word */
    bool *global;     /* of each item: it is in no namespace */
    bool *namespaces; /* of each word: one that the text has */
    uint32_t *queue;  /* words whose entries are to be visited; each may be twice in it */
    size_t queued, visited;
    bool *kept; /* of each span */
} view;

/* ---- memory ---- */

static bool make_chains(chains *c, size_t words, size_t entries)
{
    c->first = malloc((words + 1) * sizeof *c->first);
    c->next = malloc((entries + 1) * sizeof *c->next);
    for (size_t i = 0; c->first && i < words; i++)
        c->first[i] = SIZE_MAX;
    return c->first && c->next;
}

static void chain(chains *c, uint32_t word, size_t entry)
{
    c->next[entry] = c->first[word];
    c->first[word] = entry;
}

static bool prepare(view *v)
{
    const size_t words = v->t.words.count;
    v->reached = calloc(words + 1, 1);
    v->replaced = calloc(words + 1, sizeof *v->replaced);
    v->global = calloc(v->t.count + 1, sizeof *v->global);
    v->namespaces = calloc(words + 1, sizeof *v->namespaces);
    v->queue = malloc((2 * words + 1) * sizeof *v->queue);
    v->kept = calloc(v->t.span_count + 1, sizeof *v->kept);
    if (!make_chains(&v->names, words, v->t.name_count) ||
        !make_chains(&v->defines, words, v->t.line_count) || !v->reached || !v->replaced || !v->namespaces ||
        !v->global || !v->queue || !v->kept)
        return false;
    for (size_t i = 0; i < v->t.name_count; i++)
        chain(&v->names, v->t.names[i].word, i);
    for (size_t i = 0; i < v->t.line_count; i++)
        if (v->t.lines[i].kind == ATX_DIRECTIVE_DEFINE && v->t.lines[i].name != ATX_NO_WORD)
            chain(&v->defines, v->t.lines[i].name, i);
    return true;
}

static void clear(view *v)
{
    free(v->reached);
    free(v->replaced);
    free(v->namespaces);
    free(v->global);
    free(v->queue);
    free(v->kept);
    free(v->names.first);
    free(v->names.next);
    free(v->defines.first);
    free(v->defines.next);
    atx_items_clear(&v->t);
}

/* ---- reaching ---- */

static void reach(view *v, uint32_t word, uint8_t how)
{
    if (v->reached[word] >= how)
        return;
    v->reached[word] = how;
    v->queue[v->queued++] = word;
}

static void reach_line(view *v, const atx_line *line, uint8_t how)
{
    for (size_t i = line->word; i < line->last; i++)
        reach(v, v->t.line_words[i], how);
}

static bool is(const view *v, size_t i, const char *what)
{
    return atx_tokens_is(&v->t.tokens, i, what);
}

static bool is_member(const view *v, size_t i)
{
    return i && (is(v, i - 1, ".") || is(v, i - 1, "->"));
}

static void reach_tokens(view *v, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const atx_token *token = &v->t.tokens.items[i];
        if (token->inactive)
            continue;
        if (token->kind == ATX_TOKEN_WORD && !is_member(v, i))
            reach(v, v->t.ids[i], WHOLLY);
        else if (token->kind == ATX_TOKEN_DIRECTIVE && v->t.lines[v->t.ids[i]].kind == ATX_DIRECTIVE_PRAGMA)
            reach_line(v, &v->t.lines[v->t.ids[i]], WHOLLY);
    }
}

static void keep(view *v, size_t span)
{
    if (v->kept[span])
        return;
    v->kept[span] = true;
    reach_tokens(v, v->t.spans[span].begin, v->t.spans[span].end);
}

/* Is every name that the item declares defined elsewhere? */
static bool is_replaced(const view *v, size_t item)
{
    size_t count = 0;
    for (size_t i = v->t.items[item].first_name; i < v->t.name_count && v->t.names[i].item == item;
         i++, count++)
        if (!v->replaced[v->t.names[i].word])
            return false;
    return count > 0;
}

/* Which items are in no namespace. An extern "C" block that closes may count one too few. */
static void mark_global(view *v)
{
    int depth = 0;
    for (size_t i = 0; i < v->t.count; i++) {
        const atx_item *item = &v->t.items[i];
        const bool closes = is(v, item->begin, "}");
        if (item->kind == ATX_ITEM_SCOPE && !is(v, item->begin, "extern"))
            depth += closes ? (depth > 0 ? -1 : 0) : 1;
        v->global[i] = depth == 0;
    }
}

/* Does the text declare what came with the program, too? */
static bool is_declared_again(const view *v, size_t item)
{
    const atx_item *it = &v->t.items[item];
    if (v->t.tokens.items[it->begin].begin >= v->request->given || !v->global[item])
        return false;
    for (size_t i = it->first_name; i < v->t.name_count && v->t.names[i].item == item; i++)
        for (size_t k = v->names.first[v->t.names[i].word]; k != SIZE_MAX; k = v->names.next[k]) {
            const size_t other = v->t.names[k].item;
            if (v->global[other] && v->t.items[other].kind == it->kind &&
                v->t.tokens.items[v->t.items[other].begin].begin >= v->request->given)
                return true;
        }
    return false;
}

/* May a kernel use it? */
static bool is_for_kernels(const view *v, size_t item)
{
    const atx_item *it = &v->t.items[item];
    if (is_declared_again(v, item))
        return false;
    switch (it->kind) {
    case ATX_ITEM_FUNCTION:
        return it->kernel ? it->body : it->device || it->unknown;
    case ATX_ITEM_VARIABLE:
        return (it->device || it->constant || it->unknown) && !(it->constant && is_replaced(v, item));
    case ATX_ITEM_TYPE:
        return !(it->plain_enum && is_replaced(v, item));
    case ATX_ITEM_CALL:
        return true;
    default:
        return false;
    }
}

static void visit(view *v, uint32_t word)
{
    for (size_t i = v->defines.first[word]; i != SIZE_MAX; i = v->defines.next[i])
        if (!v->replaced[word])
            reach_line(v, &v->t.lines[i], v->reached[word]);
    for (size_t i = v->names.first[word]; i != SIZE_MAX && v->reached[word] == WHOLLY; i = v->names.next[i])
        if (is_for_kernels(v, v->t.names[i].item))
            keep(v, v->t.items[v->t.names[i].item].span);
}

static void visit_all(view *v)
{
    while (v->visited < v->queued)
        visit(v, v->queue[v->visited++]);
}

/* ---- headers ---- */

/* Has a word been reached that is this, or that begins so ("curand*")? */
static bool is_reached(const view *v, const char *word, size_t len)
{
    const bool begins = len && word[len - 1] == '*';
    for (size_t i = 0; begins && i < v->t.words.slot_count; i++) {
        const struct atx_word *w = &v->t.words.slots[i];
        if (w->text && v->reached[w->id] && w->len >= len - 1 && memcmp(w->text, word, len - 1) == 0)
            return true;
    }
    const uint32_t id = begins ? ATX_NO_WORD : atx_words_find(&v->t.words, word, len);
    return id != ATX_NO_WORD && v->reached[id];
}

static bool is_any_reached(const view *v, const char *words)
{
    bool reached = !*words;
    for (size_t len; *words && !reached; words += len + (words[len] == ' ')) {
        len = strcspn(words, " ");
        reached = is_reached(v, words, len);
    }
    return reached;
}

/* What an #include names. */
typedef struct included {
    const char *at; /* in the text, behind the quote or angle */
    char name[512];
    atx_header_class kind;
    bool needed; /* it is for kernels, and these reach something of it */
} included;

/* false: a macro names it. */
static bool read_include(included *out, const view *v, const atx_line *line)
{
    const atx_token *directive = &v->t.tokens.items[line->token];
    atx_lexer inside = atx_lexer_inside(v->text, directive);
    atx_directive d;
    const char *words;
    if (!atx_directive_next(&d, &inside) || !d.name || d.len >= sizeof out->name || d.len == 0)
        return false;
    out->at = d.name;
    memcpy(out->name, d.name, d.len);
    out->name[d.len] = '\0';
    out->kind = atx_header_class_of(&words, d.name, d.len, directive->begin >= v->request->given);
    out->needed = out->kind == ATX_HEADER_DEVICE && is_any_reached(v, words);
    return true;
}

/* Is there a header of this library's that the kernels need? */
static bool has_library(const view *v, const char *library)
{
    included in;
    for (size_t i = 0; i < v->t.line_count; i++)
        if (v->t.lines[i].kind == ATX_DIRECTIVE_INCLUDE && read_include(&in, v, &v->t.lines[i]) &&
            in.needed && strncmp(in.name, library, strlen(library)) == 0)
            return true;
    return false;
}

/* ---- roots ---- */

static void for_words(view *v, const char *text, void (*take)(view *v, uint32_t word))
{
    atx_lexer lexer = { .text = text ? text : "", .len = text ? strlen(text) : 0 };
    for (atx_token t; atx_lexer_next(&t, &lexer);) {
        const uint32_t id = t.kind == ATX_TOKEN_WORD
                                ? atx_words_find(&v->t.words, lexer.text + t.begin, t.end - t.begin)
                                : ATX_NO_WORD;
        if (id != ATX_NO_WORD)
            take(v, id);
    }
}

static void take_root(view *v, uint32_t word)
{
    reach(v, word, WHOLLY);
}

static void take_replaced(view *v, uint32_t word)
{
    v->replaced[word] = true;
}

/* Is it one that the text has, or a library that the kernels use? */
static bool is_known_namespace(const view *v, size_t item)
{
    static const char *const KNOWN[] = { "std", "nvcuda", "cuda", NULL }, *const LIBRARIES[] = {
        "cooperative_groups", "cub", "thrust", NULL
    };
    const atx_item *use = &v->t.items[item];
    for (size_t i = use->first_name; i < v->t.name_count && v->t.names[i].item == item; i++)
        if (v->namespaces[v->t.names[i].word])
            return true;
    for (size_t i = use->begin; i < use->end; i++) {
        const atx_token *t = &v->t.tokens.items[i];
        if (t->kind == ATX_TOKEN_WORD && atx_token_is_one_of(v->t.tokens.text, t, KNOWN))
            return true;
        for (const char *const *library = LIBRARIES; *library; library++)
            if (is(v, i, *library))
                return has_library(v, *library);
    }
    return atx_headers_count(v->request->headers) > 0;
}

static void mark_namespaces(view *v, const atx_item *scope)
{
    for (size_t i = scope->begin; i < scope->end; i++)
        if (v->t.ids[i] != ATX_NO_WORD && v->t.tokens.items[i].kind == ATX_TOKEN_WORD)
            v->namespaces[v->t.ids[i]] = true;
}

/* An operator belongs to the types of the text among its parameters; to every kernel where there are none. */
static bool has_own_type(const view *v, const atx_item *op)
{
    for (size_t i = op->open; i < op->end && !is(v, i, "{"); i++)
        if (atx_tokens_is_word(&v->t.tokens, i))
            for (size_t k = v->names.first[v->t.ids[i]]; k != SIZE_MAX; k = v->names.next[k])
                if (v->t.items[v->t.names[k].item].kind == ATX_ITEM_TYPE)
                    return true;
    return false;
}

/* ... and its types are reached. */
static bool has_reached_type(const view *v, const atx_item *op)
{
    for (size_t i = op->open; i < op->end && !is(v, i, "{"); i++)
        if (atx_tokens_is_word(&v->t.tokens, i) && v->reached[v->t.ids[i]] == WHOLLY)
            for (size_t k = v->names.first[v->t.ids[i]]; k != SIZE_MAX; k = v->names.next[k])
                if (v->t.items[v->t.names[k].item].kind == ATX_ITEM_TYPE)
                    return true;
    return false;
}

/* A macro for whole functions of the device. */
static bool is_declaring(const view *v, size_t token)
{
    const unsigned flags = atx_items_flags(&v->t, token);
    return (flags & ATX_WORD_DEVICE) && !(flags & ATX_WORD_OPENS);
}

/* Its words may be macros that open or close it. */
static void keep_scope(view *v, const atx_item *scope)
{
    v->kept[scope->span] = true;
    for (size_t i = scope->begin; i < scope->end; i++)
        if (atx_tokens_is_word(&v->t.tokens, i))
            reach(v, v->t.ids[i], AS_MACRO);
}

/* What is there without being named. */
static void keep_unnamed(view *v)
{
    for (size_t i = 0; i < v->t.count; i++) {
        const atx_item *item = &v->t.items[i];
        if (item->kind == ATX_ITEM_SCOPE)
            mark_namespaces(v, item);
    }
    for (size_t i = 0; i < v->t.count; i++) {
        const atx_item *item = &v->t.items[i];
        if (item->kind == ATX_ITEM_SCOPE)
            keep_scope(v, item);
        else if ((item->kind == ATX_ITEM_CALL && is_declaring(v, item->begin)) ||
                 (item->operates && item->device && !has_own_type(v, item)))
            keep(v, item->span);
    }
}

/* Operators of types that are reached by now; true: there were new ones. */
static bool keep_operators(view *v)
{
    bool more = false;
    for (size_t i = 0; i < v->t.count; i++) {
        const atx_item *item = &v->t.items[i];
        if (!item->operates || !item->device || v->kept[item->span] || !has_reached_type(v, item))
            continue;
        keep(v, item->span);
        more = true;
    }
    return more;
}

static void keep_uses(view *v)
{
    for (size_t i = 0; i < v->t.count; i++)
        if (v->t.items[i].kind == ATX_ITEM_USE && is_known_namespace(v, i))
            keep(v, v->t.items[i].span);
}

static void find_reached(view *v)
{
    enum { MOST = 8 }; /* rounds: operators that reach types that have operators */
    mark_global(v);
    for_words(v, v->request->replaced, take_replaced);
    for_words(v, v->request->roots, take_root);
    for (size_t i = 0; i < v->t.line_count; i++)
        if (!v->t.lines[i].hidden &&
            (v->t.lines[i].kind == ATX_DIRECTIVE_IF || v->t.lines[i].kind == ATX_DIRECTIVE_ELSE))
            reach_line(v, &v->t.lines[i], AS_MACRO);
    keep_unnamed(v);
    visit_all(v);
    for (int i = 0; i < MOST && keep_operators(v); i++)
        visit_all(v);
    keep_uses(v);
    visit_all(v);
}

/* ---- blanking ---- */

static void blank(view *v, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (v->text[i] != '\n')
            v->text[i] = ' ';
}

static bool stays_in_span(const view *v, size_t token)
{
    if (v->t.tokens.items[token].kind != ATX_TOKEN_DIRECTIVE)
        return false;
    const atx_directive_kind kind = v->t.lines[v->t.ids[token]].kind;
    return kind != ATX_DIRECTIVE_PRAGMA &&
           (kind != ATX_DIRECTIVE_OTHER || v->t.lines[v->t.ids[token]].hidden);
}

/* Tokens, and the comments between them, but for directives, about which is decided by themselves. */
static void blank_tokens(view *v, size_t begin, size_t end)
{
    const atx_token *items = v->t.tokens.items;
    size_t at = items[begin].begin;
    for (size_t i = begin; i < end; i++)
        if (stays_in_span(v, i)) {
            blank(v, at, items[i].begin);
            at = items[i].end;
        }
    if (at < items[end - 1].end)
        blank(v, at, items[end - 1].end);
}

/* ---- directives ---- */

/* Macros that a text itself does not use may be for headers: those of libraries and compilers. */
static bool is_for_headers(const view *v, const atx_line *line)
{
    static const char *const BEGINS[] = {
        "_", "CUB_", "THRUST_", "CCCL_", "LIBCUDACXX_", "CUTLASS_", "CUTE_"
    };
    atx_lexer inside = atx_lexer_inside(v->text, &v->t.tokens.items[line->token]);
    atx_token word;
    if (!atx_lexer_next(&word, &inside) || !atx_lexer_next(&word, &inside))
        return false;
    for (size_t i = 0; i < sizeof BEGINS / sizeof *BEGINS; i++)
        if (strncmp(inside.text + word.begin, BEGINS[i], strlen(BEGINS[i])) == 0)
            return true;
    return false;
}

/* As it is spelled, from its '#' to its name, which becomes a comment: "//lacks " is as long as "#include".
 */
static void write_lacks(view *v, const atx_token *directive, const char *name, bool unknown)
{
    static const char LACKS[] = ATX_LACKS;
    const size_t n = sizeof LACKS - 1;
    char *at = v->text + directive->begin;
    if (!unknown || directive->spliced || name < at + n ||
        name - at > (ptrdiff_t)(directive->end - directive->begin) ||
        memchr(at, '\n', directive->end - directive->begin)) {
        blank(v, directive->begin, directive->end);
        return;
    }
    memcpy(at, LACKS, n);
    memset(at + n, ' ', (size_t)(name - at) - n);
}

static void decide_include(view *v, const atx_line *line)
{
    included in;
    if (!read_include(&in, v, line) || in.needed ||
        (in.kind != ATX_HEADER_HOST && atx_headers_offer(v->request->headers, in.name)))
        return;
    write_lacks(v, &v->t.tokens.items[line->token], in.at - 1, in.kind == ATX_HEADER_UNKNOWN);
}

static void decide_macro(view *v, const atx_line *line)
{
    const atx_token *directive = &v->t.tokens.items[line->token];
    const bool defines = line->kind == ATX_DIRECTIVE_DEFINE || line->kind == ATX_DIRECTIVE_UNDEF;
    if (defines && line->name != ATX_NO_WORD &&
        (v->replaced[line->name] || (!v->reached[line->name] && !is_for_headers(v, line))))
        blank(v, directive->begin, directive->end);
}

/* What NVRTC does not see, but for conditionals. */
static bool is_hidden(const view *v, size_t i)
{
    const atx_token *token = &v->t.tokens.items[i];
    return token->inactive && token->begin >= v->request->given &&
           (token->kind != ATX_TOKEN_DIRECTIVE || v->t.lines[v->t.ids[i]].kind == ATX_DIRECTIVE_OTHER);
}

static void blank_unreached(view *v)
{
    /* Words are read from the text: first what asks for them. */
    for (size_t i = 0; i < v->t.line_count; i++)
        if (v->t.lines[i].kind == ATX_DIRECTIVE_INCLUDE)
            decide_include(v, &v->t.lines[i]);
    for (size_t i = 0; i < v->t.line_count; i++)
        decide_macro(v, &v->t.lines[i]);
    for (size_t i = 0; i < v->t.tokens.count; i++)
        if (is_hidden(v, i))
            blank(v, v->t.tokens.items[i].begin, v->t.tokens.items[i].end);
    for (size_t i = 0; i < v->t.span_count; i++)
        if (!v->kept[i])
            blank_tokens(v, v->t.spans[i].begin, v->t.spans[i].end);
}

at_status atx_device_view(char *text, size_t len, const atx_device_request *request, at_error *err)
{
    view v = { .text = text, .request = request };
    at_status status = AT_OK;
    if (!atx_items_read(&v.t, text, len) || !prepare(&v)) {
        status = atx_no_memory(err);
    } else {
        find_reached(&v);
        blank_unreached(&v);
    }
    clear(&v);
    return status;
}

/* ---- of a view ---- */

void atx_device_blank_empty(char *text, size_t len)
{
    static const char *const CONDITIONS[] = { "if", "ifdef", "ifndef", "else", "elif", "endif", NULL };
    atx_lexer lexer = { .text = text,
                        .len = len,
                        .options = { .lines = true, .active = true, .defined = "__CUDACC_RTC__" } };
    for (atx_token t; atx_lexer_next(&t, &lexer);) {
        atx_token word = { 0 }, name = { 0 };
        if (t.kind != ATX_TOKEN_DIRECTIVE)
            return;
        atx_lexer inside = atx_lexer_inside(text, &t);
        if (!atx_lexer_next(&word, &inside) || !atx_lexer_next(&name, &inside))
            continue;
        const bool guard = atx_token_is(inside.text, &word, "define") && name.end - name.begin > 9 &&
                           memcmp(inside.text + name.begin, "AUTOTUNE_", 9) == 0;
        if (!guard && !atx_token_is_one_of(inside.text, &word, CONDITIONS))
            return;
    }
    for (size_t i = 0; i < len; i++)
        text[i] = text[i] == '\n' ? '\n' : ' ';
}

const char *atx_device_lacks(size_t *len, const char **at)
{
    const char *found;
    while ((found = strstr(*at, ATX_LACKS)) != NULL) {
        const char *name = found + sizeof ATX_LACKS - 1;
        name += strspn(name, " ");
        const char *close = *name == '"' ? strchr(name + 1, '"') : *name == '<' ? strchr(name, '>') : NULL;
        *at = name;
        if (!close || memchr(name, '\n', (size_t)(close - name)))
            continue;
        *len = (size_t)(close + 1 - name);
        *at = close + 1;
        return name;
    }
    return NULL;
}
