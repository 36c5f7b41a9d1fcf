/*
 * device_items.c - tokens, directives, and where declarations begin and end. A declaration ends at a ';'
 * outside of brackets, or at the '}' of a function. Angles count only behind `template`.
 */
#include "source/device_items.h"

#include "util/str.h"

#include <stdlib.h>
#include <string.h>

/* ---- directives ---- */

static atx_directive_kind kind_of(const char *text, const atx_token *word)
{
    static const char *const IF[] = { "if", "ifdef", "ifndef", NULL }, *const ELSE[] = { "elif", "else",
                                                                                         "elifdef",
                                                                                         "elifndef", NULL };
    return atx_token_is_one_of(text, word, IF)     ? ATX_DIRECTIVE_IF
           : atx_token_is_one_of(text, word, ELSE) ? ATX_DIRECTIVE_ELSE
           : atx_token_is(text, word, "endif")     ? ATX_DIRECTIVE_ENDIF
           : atx_token_is(text, word, "define")    ? ATX_DIRECTIVE_DEFINE
           : atx_token_is(text, word, "undef")     ? ATX_DIRECTIVE_UNDEF
           : atx_token_is(text, word, "include")   ? ATX_DIRECTIVE_INCLUDE
           : atx_token_is(text, word, "pragma")    ? ATX_DIRECTIVE_PRAGMA
                                                   : ATX_DIRECTIVE_OTHER;
}

static bool is_condition(atx_directive_kind kind)
{
    return kind == ATX_DIRECTIVE_IF || kind == ATX_DIRECTIVE_ELSE || kind == ATX_DIRECTIVE_ENDIF;
}

static bool add_line_word(atx_items *t, const char *text, const atx_token *word)
{
    const uint32_t id = atx_words_add_token(&t->words, text, word);
    if (id == ATX_NO_WORD ||
        !atx_grow(&t->line_words, &t->line_word_cap, t->line_word_count, sizeof *t->line_words))
        return false;
    t->line_words[t->line_word_count++] = id;
    return true;
}

static bool read_line(atx_items *t, size_t token)
{
    atx_lexer inside = atx_lexer_inside(t->tokens.text, &t->tokens.items[token]);
    atx_line line = { .token = token, .name = ATX_NO_WORD, .word = t->line_word_count };
    bool first = true, ok = true;
    for (atx_token word; ok && atx_lexer_next(&word, &inside); first = false) {
        if (first)
            line.kind = kind_of(inside.text, &word);
        else if (word.kind != ATX_TOKEN_WORD)
            continue;
        else if ((line.kind == ATX_DIRECTIVE_DEFINE || line.kind == ATX_DIRECTIVE_UNDEF) &&
                 line.name == ATX_NO_WORD)
            ok = (line.name = atx_words_add_token(&t->words, inside.text, &word)) != ATX_NO_WORD;
        else
            ok = add_line_word(t, inside.text, &word);
    }
    line.last = t->line_word_count;
    line.hidden = t->tokens.items[token].inactive;
    if (line.hidden && !is_condition(line.kind))
        line.kind = ATX_DIRECTIVE_OTHER;
    if (!ok || !atx_grow(&t->lines, &t->line_cap, t->line_count, sizeof *t->lines))
        return false;
    t->ids[token] = (uint32_t)t->line_count;
    t->lines[t->line_count++] = line;
    return true;
}

/* What the body of a macro says by its signs: whole declarations, or a part of a block. */
static unsigned signs_of(const atx_items *t, const atx_line *line)
{
    atx_lexer inside = atx_lexer_inside(t->tokens.text, &t->tokens.items[line->token]);
    int open = 0;
    bool declares = false, scope = false, generic = false, type = false;
    for (atx_token sign; atx_lexer_next(&sign, &inside);) {
        const char c = inside.text[sign.begin];
        generic = generic || atx_token_is(inside.text, &sign, "template");
        type = type || (generic && atx_token_is(inside.text, &sign, "struct"));
        declares = declares || (sign.kind == ATX_TOKEN_SIGN && strchr("{};", c));
        open += atx_token_is(inside.text, &sign, "{") - atx_token_is(inside.text, &sign, "}");
        scope = scope || atx_token_is(inside.text, &sign, "namespace") ||
                atx_token_is(inside.text, &sign, "extern");
    }
    return (declares ? ATX_WORD_DECLARES : 0u) | (open > 0 ? ATX_WORD_OPENS : 0u) |
           (open < 0 ? ATX_WORD_CLOSES : 0u) | (open > 0 && scope ? ATX_WORD_SCOPE : 0u) |
           (declares && type ? ATX_WORD_TYPE : 0u);
}

static void flag(atx_items *t, const char *word, unsigned flags)
{
    const uint32_t id = atx_words_find(&t->words, word, strlen(word));
    if (id != ATX_NO_WORD)
        t->flags[id] |= (uint8_t)flags;
}

/* A macro is an attribute where its body names one, or another macro that does. */
static bool pass_flags(atx_items *t)
{
    const unsigned passed = ATX_WORD_DEVICE | ATX_WORD_KERNEL;
    bool more = false;
    for (size_t i = 0; i < t->line_count; i++) {
        const atx_line *line = &t->lines[i];
        unsigned flags = 0;
        if (line->kind != ATX_DIRECTIVE_DEFINE || line->name == ATX_NO_WORD)
            continue;
        for (size_t k = line->word; k < line->last; k++)
            flags |= t->flags[t->line_words[k]] & passed;
        more = more || (flags & ~t->flags[line->name]);
        t->flags[line->name] |= (uint8_t)flags;
    }
    return more;
}

static bool flag_words(atx_items *t)
{
    static const char *const DEVICE[] = { "__device__",  "__constant__", "__shared__",
                                          "__managed__", "constexpr",    "consteval" };
    enum { MOST = 16 }; /* macros in macros */
    if (!(t->flags = calloc(t->words.count + 1, 1)))
        return false;
    for (size_t i = 0; i < sizeof DEVICE / sizeof *DEVICE; i++)
        flag(t, DEVICE[i], ATX_WORD_DEVICE);
    flag(t, "__global__", ATX_WORD_DEVICE | ATX_WORD_KERNEL);
    for (size_t i = 0; i < t->line_count; i++)
        if (t->lines[i].kind == ATX_DIRECTIVE_DEFINE && t->lines[i].name != ATX_NO_WORD)
            t->flags[t->lines[i].name] |= (uint8_t)(ATX_WORD_MACRO | signs_of(t, &t->lines[i]));
    for (int i = 0; i < MOST && pass_flags(t); i++)
        ;
    return true;
}

static bool read_lines(atx_items *t)
{
    if (!(t->ids = malloc((t->tokens.count + 1) * sizeof *t->ids)))
        return false;
    for (size_t i = 0; i < t->tokens.count; i++) {
        const atx_token *token = &t->tokens.items[i];
        t->ids[i] = ATX_NO_WORD;
        if (token->kind == ATX_TOKEN_DIRECTIVE && !read_line(t, i))
            return false;
        if (token->kind == ATX_TOKEN_WORD &&
            (t->ids[i] = atx_words_add_token(&t->words, t->tokens.text, token)) == ATX_NO_WORD)
            return false;
    }
    return flag_words(t);
}

/* ---- where items begin and end ---- */

/* Of the declaration that is read. */
typedef struct state {
    size_t begin;              /* its first token; SIZE_MAX: none has begun */
    int brace, bracket, angle; /* open ones; the latter two outside of braces */
    bool arguments;            /* a bracket of parameters was met */
    bool value;                /* and an '=' */
    bool type;                 /* struct, class, union or enum, before any parameters */
    bool list;                 /* a ':' behind the parameters, as of a constructor */
} state;

static const state NONE = { .begin = SIZE_MAX };

/* An #if: the states before it and at the end of its first branch. */
typedef struct branch {
    state before, first;
    bool turned; /* an #else or the like was met */
} branch;

typedef struct splitter {
    atx_items *t;
    state now;
    branch saved[ATX_LEX_LEVELS]; /* of each open #if */
    int depth;
    bool failed;
} splitter;

static void emit(splitter *s, atx_item_kind kind, size_t begin, size_t end)
{
    atx_items *t = s->t;
    size_t span = t->span_count;
    while (span && t->spans[span - 1].end > begin)
        span--;
    s->failed = s->failed || !atx_grow(&t->items, &t->cap, t->count, sizeof *t->items) ||
                !atx_grow(&t->spans, &t->span_cap, t->span_count, sizeof *t->spans);
    if (s->failed)
        return;
    if (span == t->span_count)
        t->spans[span] = (atx_span){ begin, end };
    t->spans[span].begin = begin < t->spans[span].begin ? begin : t->spans[span].begin;
    t->spans[span].end = end;
    t->span_count = span + 1;
    for (size_t i = t->count; i > 0 && t->items[i - 1].span > span; i--)
        t->items[i - 1].span = span;
    t->items[t->count++] = (atx_item){ .kind = kind, .begin = begin, .end = end, .span = span };
    s->now = NONE;
}

/* Branches end in the same state, or it is the first that counts, unless another one alone has begun
 * something.
 */
static void follow_condition(splitter *s, atx_directive_kind kind)
{
    branch *open = s->depth > 0 && s->depth <= ATX_LEX_LEVELS ? &s->saved[s->depth - 1] : NULL;
    if (kind == ATX_DIRECTIVE_IF) {
        if (s->depth < ATX_LEX_LEVELS)
            s->saved[s->depth] = (branch){ .before = s->now };
        s->depth++;
    } else if (kind == ATX_DIRECTIVE_ELSE && open) {
        open->first = open->turned ? open->first : s->now;
        open->turned = true;
        s->now = open->before;
    } else if (kind == ATX_DIRECTIVE_ENDIF && s->depth > 0) {
        if (open && open->turned && open->first.begin != SIZE_MAX && open->first.begin <= s->now.begin)
            s->now = open->first;
        s->depth--;
    }
}

/* The next token of code behind i. */
static size_t next_code(const atx_items *t, size_t i)
{
    for (i++; i < t->tokens.count && !atx_items_code(t, i); i++)
        ;
    return i;
}

/* Does this '{' open a namespace, or a block of extern "C"? */
static bool opens_scope(const splitter *s, size_t i)
{
    const atx_items *t = s->t;
    const size_t first = s->now.begin, second = next_code(t, first);
    if (atx_tokens_is(&t->tokens, first, "inline") || atx_tokens_is(&t->tokens, first, "export"))
        return atx_tokens_is(&t->tokens, second, "namespace");
    return atx_tokens_is(&t->tokens, first, "namespace") ||
           (atx_tokens_is(&t->tokens, first, "extern") && second + 1 == i &&
            t->tokens.items[second].kind == ATX_TOKEN_TEXT);
}

/* Whether each #if between two tokens ends there. */
static bool is_balanced(const atx_items *t, size_t begin, size_t end)
{
    int depth = 0;
    for (size_t i = begin; i < end && depth >= 0; i++) {
        if (t->tokens.items[i].kind != ATX_TOKEN_DIRECTIVE)
            continue;
        const atx_directive_kind kind = t->lines[t->ids[i]].kind;
        depth += (kind == ATX_DIRECTIVE_IF) - (kind == ATX_DIRECTIVE_ENDIF);
        if (!is_condition(kind) || (kind == ATX_DIRECTIVE_ELSE && !depth))
            return false;
    }
    return depth == 0;
}

/* The last token of a macro's name and arguments. */
static size_t call_end(const atx_items *t, size_t i)
{
    const size_t next = next_code(t, i);
    const bool arguments = atx_tokens_is(&t->tokens, next, "(") && t->tokens.items[next].pair != SIZE_MAX;
    const size_t end = arguments ? t->tokens.items[next].pair : i;
    return is_balanced(t, i, end) ? end : i;
}

/* A macro where a declaration could begin. *i moves to its last token. false: it is none that ends here. */
static bool take_call(splitter *s, size_t *i)
{
    const unsigned flags = atx_items_flags(s->t, *i), scope = ATX_WORD_SCOPE | ATX_WORD_CLOSES;
    const size_t begin = *i;
    if (!(flags & ATX_WORD_DECLARES) || ((flags & ATX_WORD_OPENS) && !(flags & ATX_WORD_SCOPE)))
        return false;
    *i = call_end(s->t, begin);
    emit(s, flags & scope ? ATX_ITEM_SCOPE : ATX_ITEM_CALL, begin, *i + 1);
    return true;
}

/* A macro in a declaration that opens its braces, or closes them. */
static bool take_braces(splitter *s, size_t *i)
{
    const unsigned flags = atx_items_flags(s->t, *i);
    if (s->now.bracket || !(flags & (ATX_WORD_OPENS | ATX_WORD_CLOSES)))
        return false;
    *i = call_end(s->t, *i);
    if (flags & ATX_WORD_OPENS)
        s->now.brace++;
    else if (s->now.brace > 0 && --s->now.brace == 0)
        emit(s, ATX_ITEM_OTHER, s->now.begin, *i + 1);
    return true;
}

static void take_angle(state *now, const atx_token *token, char c)
{
    const int n = (int)(token->end - token->begin);
    if (c == '<' && n == 1)
        now->angle++;
    else if (c == '>')
        now->angle -= n == 1 ? 1 : 2;
    now->angle = now->angle < 0 ? 0 : now->angle;
}

/* struct NAME(16) X: a bracket of an attribute, not of parameters. */
static bool is_attribute_bracket(const splitter *s, size_t i)
{
    const atx_items *t = s->t;
    const size_t close = t->tokens.items[i].pair;
    if (i == 0 || atx_items_is_attribute(t, i - 1))
        return true;
    return s->now.type && close != SIZE_MAX && close + 1 < t->tokens.count &&
           (atx_tokens_is_word(&t->tokens, close + 1) || atx_tokens_is(&t->tokens, close + 1, "{"));
}

static bool ends_at_brace(const splitter *s, size_t i)
{
    const atx_items *t = s->t;
    const size_t next = next_code(t, i);
    if (atx_tokens_is(&t->tokens, next, ";") || s->now.value || (s->now.type && !s->now.arguments))
        return false;
    return !(s->now.list && (atx_tokens_is(&t->tokens, next, ",") || atx_tokens_is(&t->tokens, next, "{")));
}

static void take_close(splitter *s, size_t i)
{
    if (s->now.brace == 0 && s->now.bracket == 0) { /* of a namespace, behind a macro without ';' */
        emit(s, ATX_ITEM_OTHER, s->now.begin, i);
        emit(s, ATX_ITEM_SCOPE, i, i + 1);
        return;
    }
    if (s->now.brace)
        s->now.brace--;
    if (s->now.brace == 0 && s->now.bracket == 0 && ends_at_brace(s, i))
        emit(s, ATX_ITEM_OTHER, s->now.begin, i + 1);
}

/* Outside of braces. */
static void take_outside(splitter *s, size_t i)
{
    static const char *const TYPES[] = { "struct", "class", "union", "enum", NULL };
    const atx_tokens *t = &s->t->tokens;
    const atx_token *token = &t->items[i];
    const char c = t->text[token->begin];
    const size_t n = token->end - token->begin;
    state *now = &s->now;
    if (c == ';' && n == 1) {
        emit(s, ATX_ITEM_OTHER, now->begin, i + 1);
    } else if (c == '(' || c == '[') {
        now->arguments = now->arguments || (c == '(' && !now->bracket && !now->angle && !now->value &&
                                            !is_attribute_bracket(s, i));
        now->bracket++;
    } else if (c == ')' || c == ']') {
        now->bracket -= now->bracket > 0;
    } else if (now->bracket) {
        return;
    } else if (now->angle || (c == '<' && i && atx_tokens_is(t, i - 1, "template"))) {
        take_angle(now, token, c);
    } else if (token->kind == ATX_TOKEN_WORD) {
        now->type = now->type || (!now->arguments && atx_token_is_one_of(t->text, token, TYPES));
    } else if (c == '=' && n == 1) {
        now->value = now->value || !(i && atx_tokens_is(t, i - 1, "operator"));
    } else if (c == ':' && n == 1) {
        now->list = now->list || now->arguments;
    }
}

static void take_brace(splitter *s, size_t i)
{
    if (s->now.brace == 0 && s->now.bracket == 0 && opens_scope(s, i)) {
        emit(s, ATX_ITEM_SCOPE, s->now.begin, i + 1);
        return;
    }
    s->now.brace++;
    s->now.angle = 0;
}

static void take_token(splitter *s, size_t *at)
{
    const atx_tokens *t = &s->t->tokens;
    const size_t i = *at;
    const bool open = atx_tokens_is(t, i, "{"), close = atx_tokens_is(t, i, "}");
    if (s->now.begin == SIZE_MAX) {
        if (close)
            emit(s, ATX_ITEM_SCOPE, i, i + 1);
        if (close || atx_tokens_is(t, i, ";") || take_call(s, at))
            return;
        s->now.begin = i;
    }
    if (take_braces(s, at))
        return;
    if (open)
        take_brace(s, i);
    else if (close)
        take_close(s, i);
    else if (s->now.brace == 0)
        take_outside(s, i);
}

static bool split_items(atx_items *t)
{
    splitter s = { .t = t, .now = NONE };
    for (size_t i = 0; i < t->tokens.count && !s.failed; i++)
        if (t->tokens.items[i].kind == ATX_TOKEN_DIRECTIVE)
            follow_condition(&s, t->lines[t->ids[i]].kind);
        else if (atx_items_code(t, i))
            take_token(&s, &i);
    if (s.now.begin != SIZE_MAX)
        emit(&s, ATX_ITEM_OTHER, s.now.begin, t->tokens.count);
    return !s.failed;
}

/* ---- all of it ---- */

bool atx_items_read(atx_items *out, const char *text, size_t len)
{
    *out = (atx_items){ .ids = NULL };
    return atx_tokens_read(
               &out->tokens, text, len,
               &(atx_lex_options){ .lines = true, .version = true, .defined = "__CUDACC_RTC__" }) &&
           read_lines(out) && split_items(out) && atx_items_name(out);
}

void atx_items_clear(atx_items *t)
{
    atx_tokens_clear(&t->tokens);
    atx_words_clear(&t->words);
    free(t->ids);
    free(t->flags);
    free(t->lines);
    free(t->line_words);
    free(t->items);
    free(t->spans);
    free(t->names);
    *t = (atx_items){ .ids = NULL };
}
