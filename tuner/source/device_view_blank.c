/*
 * device_view_blank.c - removed parts of a text become blanks, in place. Words are compared in the text, so
 * their users run first. A comment is removed with the text that it precedes.
 */
#include "source/device_headers.h"
#include "source/device_view_internal.h"
#include "source/directives.h"

#include <string.h>

/* ---- headers ---- */

/* Has a word been reached that is this, or that begins so ("curand*")? */
static bool is_reached(const atx_view *v, const char *word, size_t len)
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

static bool is_any_reached(const atx_view *v, const char *words)
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
static bool read_include(included *out, const atx_view *v, const atx_line *line)
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

bool atx_view_has_library(const atx_view *v, const char *library)
{
    included in;
    for (size_t i = 0; i < v->t.line_count; i++)
        if (v->t.lines[i].kind == ATX_DIRECTIVE_INCLUDE && read_include(&in, v, &v->t.lines[i]) &&
            in.needed && strncmp(in.name, library, strlen(library)) == 0)
            return true;
    return false;
}

/* ---- blanking ---- */

static void blank(atx_view *v, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (v->text[i] != '\n')
            v->text[i] = ' ';
}

static bool stays_in_span(const atx_view *v, size_t token)
{
    if (v->t.tokens.items[token].kind != ATX_TOKEN_DIRECTIVE)
        return false;
    const atx_directive_kind kind = v->t.lines[v->t.ids[token]].kind;
    return kind != ATX_DIRECTIVE_PRAGMA &&
           (kind != ATX_DIRECTIVE_OTHER || v->t.lines[v->t.ids[token]].hidden);
}

/* Tokens, and the comments between them, but for directives, about which is decided by themselves. */
static void blank_tokens(atx_view *v, size_t begin, size_t end)
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
static bool is_for_headers(const atx_view *v, const atx_line *line)
{
    static const char *const BEGINS[] = {
        "_", "CUB_", "THRUST_", "CCCL_", "LIBCUDACXX_", "CUTLASS_", "CUTE_"
    };
    atx_lexer inside = atx_lexer_inside(v->text, &v->t.tokens.items[line->token]);
    atx_token word;
    if (!atx_lexer_next(&word, &inside) || !atx_lexer_next(&word, &inside) ||
        v->t.tokens.items[line->token].begin < v->request->given)
        return false;
    for (size_t i = 0; i < sizeof BEGINS / sizeof *BEGINS; i++)
        if (strncmp(inside.text + word.begin, BEGINS[i], strlen(BEGINS[i])) == 0)
            return true;
    return false;
}

/* As it is spelled, from its '#' to its name, which becomes a comment: "//lacks " is as long as "#include".
 */
static void write_lacks(atx_view *v, const atx_token *directive, const char *name, bool unknown)
{
    static const char LACKS[] = ATX_LACKS;
    static const char HIP[] = "#define __HIPCC__ 1"; /* as its header has it where nvcc compiles */
    const size_t n = sizeof LACKS - 1;
    char *at = v->text + directive->begin;
    if (!unknown || directive->spliced || name < at + n ||
        name - at > (ptrdiff_t)(directive->end - directive->begin) ||
        memchr(at, '\n', directive->end - directive->begin)) {
        blank(v, directive->begin, directive->end);
        return;
    }
    if (strncmp(name + 1, "hip/", 4) == 0 && directive->end - directive->begin >= sizeof HIP - 1) {
        blank(v, directive->begin, directive->end);
        memcpy(at, HIP, sizeof HIP - 1);
        return;
    }
    memcpy(at, LACKS, n);
    memset(at + n, ' ', (size_t)(name - at) - n);
}

static void decide_include(atx_view *v, const atx_line *line)
{
    included in;
    if (!read_include(&in, v, line) || in.needed ||
        (in.kind != ATX_HEADER_HOST && atx_headers_offer(v->request->headers, in.name)))
        return;
    write_lacks(v, &v->t.tokens.items[line->token], in.at - 1, in.kind == ATX_HEADER_UNKNOWN);
}

static void decide_macro(atx_view *v, const atx_line *line)
{
    const atx_token *directive = &v->t.tokens.items[line->token];
    const bool defines = line->kind == ATX_DIRECTIVE_DEFINE || line->kind == ATX_DIRECTIVE_UNDEF;
    if (defines && line->name != ATX_NO_WORD &&
        (v->replaced[line->name] || (!v->reached[line->name] && !is_for_headers(v, line))))
        blank(v, directive->begin, directive->end);
}

/* Does the text define the macro at a token of a directive? One that begins with '_' is the compiler's, or of
 * CUDA's headers. */
static bool is_defined(const atx_view *v, const char *text, const atx_token *word)
{
    static const char *const OPERATORS[] = { "defined", "not",   "and",   "or", "xor",
                                             "bitand",  "bitor", "compl", NULL };
    const uint32_t id = atx_words_find(&v->t.words, text + word->begin, word->end - word->begin);
    return text[word->begin] == '_' || atx_token_is_one_of(text, word, OPERATORS) ||
           (id != ATX_NO_WORD && v->defines.first[id] != SIZE_MAX);
}

/* #if VERSION_AT_LEAST(3, 4), of a header that was left out: no other name that is unknown there is an error,
 * but 0. So is this one. */
static void blank_calls(atx_view *v, const atx_line *line)
{
    const atx_token *directive = &v->t.tokens.items[line->token];
    atx_lexer inside = atx_lexer_inside(v->text, directive);
    atx_token word, next;
    size_t begin = SIZE_MAX;
    int depth = 0;
    if (line->hidden || directive->spliced || atx_headers_count(v->request->headers) > 0 ||
        directive->begin < v->request->given || !atx_lexer_next(&word, &inside) ||
        !atx_lexer_next(&word, &inside))
        return;
    for (; atx_lexer_next(&next, &inside); word = next) {
        if (begin == SIZE_MAX && word.kind == ATX_TOKEN_WORD && atx_token_is(inside.text, &next, "(") &&
            !is_defined(v, inside.text, &word))
            begin = directive->begin + word.begin;
        else if (begin == SIZE_MAX)
            continue;
        depth += atx_token_is(inside.text, &next, "(") - atx_token_is(inside.text, &next, ")");
        if (depth)
            continue;
        blank(v, begin, directive->begin + next.end);
        v->text[begin] = '0';
        begin = SIZE_MAX;
    }
}

/* PROJECT_WITH_CUDA and its kin, which only a build defines. */
static bool is_of_build(const atx_view *v, const char *text, const atx_token *word)
{
    static const char *const ENDS[] = { "_WITH_CUDA", "_USE_CUDA", "_HAVE_CUDA", "_ENABLE_CUDA" };
    const size_t len = word->end - word->begin;
    bool ends = false;
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        const size_t n = strlen(ENDS[i]);
        ends = ends || (len > n && memcmp(text + word->end - n, ENDS[i], n) == 0);
    }
    return ends && !is_defined(v, text, word);
}

/* In place: #ifdef X as #if 1, #ifndef X as #if 0, defined(X) and X as 1. */
static void set_build(atx_view *v, const atx_line *line)
{
    const atx_token *directive = &v->t.tokens.items[line->token];
    atx_lexer inside = atx_lexer_inside(v->text, directive);
    atx_token first, before[2] = { 0 }, word;
    if (line->hidden || directive->spliced || directive->begin < v->request->given ||
        !atx_lexer_next(&first, &inside))
        return;
    const bool denies = atx_token_is(inside.text, &first, "ifndef");
    const bool asks = denies || atx_token_is(inside.text, &first, "ifdef");
    for (; atx_lexer_next(&word, &inside); before[0] = before[1], before[1] = word) {
        atx_token begin = word, end = word;
        if (word.kind != ATX_TOKEN_WORD || !is_of_build(v, inside.text, &word))
            continue;
        const bool bracket = before[1].end && atx_token_is(inside.text, &before[1], "(") &&
                             atx_token_is(inside.text, &before[0], "defined");
        if (bracket && atx_lexer_next(&end, &inside))
            begin = before[0];
        else if (before[1].end && atx_token_is(inside.text, &before[1], "defined"))
            begin = before[1];
        if (asks)
            blank(v, directive->begin + first.begin + 2, directive->begin + first.end);
        blank(v, directive->begin + begin.begin, directive->begin + end.end);
        v->text[directive->begin + begin.begin] = denies ? '0' : '1';
        word = end;
    }
}

/* Does a condition ask for what the kernels use, or for the device that they are compiled for? */
static bool concerns_kernels(const atx_view *v, const atx_line *line)
{
    const uint32_t arch = atx_words_find(&v->t.words, "__CUDA_ARCH__", strlen("__CUDA_ARCH__"));
    for (size_t i = line->word; i < line->last; i++)
        if (v->reached[v->t.line_words[i]] == ATX_WHOLLY || v->t.line_words[i] == arch)
            return true;
    return false;
}

static bool is_error(const atx_view *v, const atx_line *line)
{
    atx_lexer inside = atx_lexer_inside(v->text, &v->t.tokens.items[line->token]);
    atx_token word;
    return line->kind == ATX_DIRECTIVE_OTHER && atx_lexer_next(&word, &inside) &&
           atx_token_is(inside.text, &word, "error");
}

/* An #error of a condition about the host, its compiler and its headers: whether kernels need what is missing
 * is seen by what they then lack. */
static void blank_errors(atx_view *v)
{
    enum { MOST = 64 };
    bool concerns[MOST] = { false };
    int depth = 0;
    for (size_t i = 0; i < v->t.line_count; i++) {
        const atx_line *line = &v->t.lines[i];
        const atx_token *directive = &v->t.tokens.items[line->token];
        if (line->kind == ATX_DIRECTIVE_IF && ++depth < MOST)
            concerns[depth] = concerns[depth - 1] || concerns_kernels(v, line);
        else if (line->kind == ATX_DIRECTIVE_ELSE && depth > 0 && depth < MOST)
            concerns[depth] = concerns[depth] || concerns_kernels(v, line);
        else if (line->kind == ATX_DIRECTIVE_ENDIF && depth > 0)
            depth--;
        else if (depth > 0 && depth < MOST && !concerns[depth] && is_error(v, line))
            blank(v, directive->begin, directive->end);
    }
}

/* What NVRTC does not see, but for conditionals. */
static bool is_hidden(const atx_view *v, size_t i)
{
    const atx_token *token = &v->t.tokens.items[i];
    return token->inactive && token->begin >= v->request->given &&
           (token->kind != ATX_TOKEN_DIRECTIVE || v->t.lines[v->t.ids[i]].kind == ATX_DIRECTIVE_OTHER);
}

/* Comments stay in what is kept, and right before it. */
static void blank_comments(atx_view *v)
{
    atx_lexer lexer = { .text = v->text,
                        .len = v->t.tokens.len,
                        .options = { .comments = true, .lines = true } };
    size_t token = 0, span = 0;
    for (atx_token t; atx_lexer_next(&t, &lexer); token += t.kind != ATX_TOKEN_COMMENT) {
        while (span < v->t.span_count && v->t.spans[span].end <= token)
            span++;
        if (t.kind == ATX_TOKEN_COMMENT && strncmp(v->text + t.begin, ATX_LACKS, sizeof ATX_LACKS - 1) != 0 &&
            !(span < v->t.span_count && v->kept[span] && v->t.spans[span].begin <= token))
            blank(v, t.begin, t.end);
    }
}

void atx_view_blank(atx_view *v)
{
    blank_comments(v); /* while all tokens are there */
    blank_errors(v);
    for (size_t i = 0; i < v->t.line_count; i++)
        if (v->t.lines[i].kind == ATX_DIRECTIVE_INCLUDE)
            decide_include(v, &v->t.lines[i]);
    for (size_t i = 0; i < v->t.line_count; i++)
        decide_macro(v, &v->t.lines[i]);
    for (size_t i = 0; i < v->t.line_count; i++)
        if (v->t.lines[i].kind == ATX_DIRECTIVE_IF || v->t.lines[i].kind == ATX_DIRECTIVE_ELSE) {
            set_build(v, &v->t.lines[i]);
            blank_calls(v, &v->t.lines[i]);
        }
    for (size_t i = 0; i < v->t.tokens.count; i++)
        if (is_hidden(v, i))
            blank(v, v->t.tokens.items[i].begin, v->t.tokens.items[i].end);
    for (size_t i = 0; i < v->t.span_count; i++)
        if (!v->kept[i])
            blank_tokens(v, v->t.spans[i].begin, v->t.spans[i].end);
    for (size_t i = 0, end; i < v->t.tokens.count; i = end) {
        for (end = i; v->host[end]; end++)
            ;
        if (end > i)
            blank_tokens(v, i, end);
        end += end == i;
    }
}

/* ---- of a view ---- */

/* A guard, or a condition. */
static bool is_framing(const char *text, const atx_token *directive)
{
    static const char *const CONDITIONS[] = { "if", "ifdef", "ifndef", "else", "elif", "endif", NULL };
    atx_token word = { 0 }, name = { 0 };
    atx_lexer inside = atx_lexer_inside(text, directive);
    if (!atx_lexer_next(&word, &inside) || !atx_lexer_next(&name, &inside))
        return true;
    const bool guard = atx_token_is(inside.text, &word, "define") && name.end - name.begin > 9 &&
                       memcmp(inside.text + name.begin, "AUTOTUNE_", 9) == 0;
    return guard || atx_token_is_one_of(inside.text, &word, CONDITIONS);
}

void atx_device_blank_empty(char *text, size_t len)
{
    atx_lexer lexer = { .text = text,
                        .len = len,
                        .options = { .lines = true, .active = true, .defined = "__CUDACC_RTC__" } };
    bool name = false; /* of a namespace, up to its '{', or the ';' of using namespace */
    for (atx_token t; atx_lexer_next(&t, &lexer);) {
        const bool ends = atx_token_is(text, &t, "{") || atx_token_is(text, &t, ";");
        if (t.kind == ATX_TOKEN_DIRECTIVE ? !is_framing(text, &t)
                                          : !(name || atx_token_is(text, &t, "namespace") ||
                                              atx_token_is(text, &t, "}") || atx_token_is(text, &t, "using")))
            return;
        name = !ends && (name || atx_token_is(text, &t, "namespace"));
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
