/*
 * adopt_branches.c - what #if, #ifdef and their kin leave out of a file is blanked, so that what is read of
 * it is what its author compiles. A macro that the file does not define has no value, as for the
 * preprocessor; a device of compute capability 9.0 and NVRTC are taken for granted. Where that leaves out the
 * kernel, or ends in an #error, the file's build defines the macro: a value is assumed that a condition has.
 */
#include "exchange/adopt_draft.h"

#include <stdlib.h>
#include <string.h>

typedef struct macro {
    size_t name; /* a token; SIZE_MAX: undefined again */
    size_t body, end;
} macro;

enum { LEVELS = 64, MOST_DEPTH = 16 };

typedef struct level {
    bool taking; /* this branch, and all around it */
    bool taken;  /* one of its branches */
    bool around;
    atx_span condition; /* the first one, a directive's tokens */
} level;

typedef struct branches {
    atx_tokens t;
    macro *macros;
    size_t count, cap;
    level levels[LEVELS];
    int depth;
    bool failed;
    bool hip;      /* it includes a header of HIP's */
    bool hip_once; /* anywhere */
    atx_draft_assumed *assumed;
} branches;

/* An expression of a directive: tokens at..end of the same text. */
typedef struct condition {
    const branches *b;
    size_t at, end;
    int depth; /* of macros in macros */
} condition;

static const macro *find_macro(const branches *b, size_t name)
{
    for (size_t i = b->count; i > 0; i--)
        if (atx_code_same(&b->t, b->macros[i - 1].name, name))
            return b->macros[i - 1].body == SIZE_MAX ? NULL : &b->macros[i - 1];
    return NULL;
}

/* PROJECT_WITH_CUDA and its kin, which only a build defines. */
static bool is_of_build(const branches *b, size_t i)
{
    static const char *const ENDS[] = { "_WITH_CUDA", "_USE_CUDA", "_HAVE_CUDA", "_ENABLE_CUDA" };
    const atx_token *t = &b->t.items[i];
    bool ends = false;
    for (size_t k = 0; k < sizeof ENDS / sizeof *ENDS; k++) {
        const size_t n = strlen(ENDS[k]);
        ends = ends || (t->end - t->begin > n && memcmp(b->t.text + t->end - n, ENDS[k], n) == 0);
    }
    return ends;
}

/* What a macro is that the file does not define; -1: it is none. */
static long built_in(const branches *b, size_t i)
{
    const atx_tokens *t = &b->t;
    static const struct {
        const char *name;
        long value;
    } KNOWN[] = { { "__CUDA_ARCH__", 900 },    { "__CUDACC__", 1 },       { "__CUDACC_RTC__", 1 },
                  { "__NVCC__", 1 },           { "__cplusplus", 201703 }, { "__CUDACC_VER_MAJOR__", 13 },
                  { "CUDART_VERSION", 13000 }, { "CUDA_VERSION", 13000 }, { "__CUDACC_VER_MINOR__", 0 },
                  { "WITH_CUDA", 1 },          { "USE_CUDA", 1 },         { "HAVE_CUDA", 1 },
                  { "ENABLE_CUDA", 1 } };
    for (size_t k = 0; k < sizeof KNOWN / sizeof *KNOWN; k++)
        if (atx_tokens_is(t, i, KNOWN[k].name))
            return KNOWN[k].value;
    for (int k = 0; k < b->assumed->count; k++)
        if (atx_tokens_is(t, i, b->assumed->names[k]))
            return b->assumed->values[k];
    return (b->hip && atx_tokens_is(t, i, "__HIPCC__")) || is_of_build(b, i) ? 1 : -1;
}

static bool is_defined(const branches *b, size_t name)
{
    return find_macro(b, name) || built_in(b, name) >= 0;
}

static long read_any(condition *c, int least);

/* defined X, defined(X) */
static long read_defined(condition *c)
{
    const bool bracket = atx_tokens_is(&c->b->t, c->at, "(");
    c->at += bracket;
    const long value = c->at < c->end && is_defined(c->b, c->at);
    c->at += 1 + (size_t)bracket;
    return value;
}

static long read_name(condition *c)
{
    const size_t name = c->at++;
    const macro *m = find_macro(c->b, name);
    if (m && c->depth < MOST_DEPTH) {
        condition inner = { c->b, m->body, m->end, c->depth + 1 };
        return m->body < m->end ? read_any(&inner, 0) : 0;
    }
    if (atx_tokens_is(&c->b->t, c->at, "(") && atx_tokens_match(&c->b->t, c->at) < c->end)
        c->at = atx_tokens_match(&c->b->t, c->at) + 1; /* __has_include(...) and its kin: no */
    const long known = built_in(c->b, name);
    return known >= 0 ? known : atx_tokens_is(&c->b->t, name, "true");
}

static long read_one(condition *c)
{
    const atx_tokens *t = &c->b->t;
    if (c->at >= c->end)
        return 0;
    const size_t i = c->at;
    if (t->items[i].kind == ATX_TOKEN_NUMBER) {
        c->at++;
        return strtol(t->text + t->items[i].begin, NULL, 0);
    }
    if (atx_tokens_is(t, i, "defined")) {
        c->at++;
        return read_defined(c);
    }
    if (atx_tokens_is_word(t, i))
        return read_name(c);
    c->at++;
    if (atx_tokens_is(t, i, "!"))
        return !read_one(c);
    if (atx_tokens_is(t, i, "-"))
        return -read_one(c);
    if (atx_tokens_is(t, i, "(")) {
        const long value = read_any(c, 0);
        c->at += atx_tokens_is(t, c->at, ")");
        return value;
    }
    return 0;
}

/* How tightly a sign binds; 0: it is none of two operands. */
static int binds(const atx_tokens *t, size_t i)
{
    static const char *const SIGNS[][7] = { { "||" },       { "&&" },
                                            { "==", "!=" }, { "<", ">", "<=", ">=" },
                                            { "+", "-" },   { "*", "/", "%" } };
    for (int k = 0; k < (int)(sizeof SIGNS / sizeof *SIGNS); k++)
        if (i < t->count && atx_token_is_one_of(t->text, &t->items[i], SIGNS[k]))
            return k + 1;
    return 0;
}

static long apply(const atx_tokens *t, size_t sign, long a, long b)
{
    const char c = t->text[t->items[sign].begin];
    const bool equal = t->items[sign].end - t->items[sign].begin == 2;
    const unsigned long x = (unsigned long)a, y = (unsigned long)b;
    switch (c) {
    case '|':
        return a || b;
    case '&':
        return a && b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return equal ? a <= b : a < b;
    case '>':
        return equal ? a >= b : a > b;
    case '+':
        return (long)(x + y);
    case '-':
        return (long)(x - y);
    case '*':
        return (long)(x * y);
    default:
        return b == 0 || b == -1 ? 0 : c == '/' ? a / b : a % b;
    }
}

static long read_any(condition *c, int least)
{
    long value = read_one(c);
    for (int tight; c->at < c->end && (tight = binds(&c->b->t, c->at)) > least;) {
        const size_t sign = c->at++;
        value = apply(&c->b->t, sign, value, read_any(c, tight));
    }
    return value;
}

static bool holds(const branches *b, size_t i, size_t end)
{
    condition c = { b, i + 2, end, 0 };
    if (atx_tokens_is(&b->t, i + 1, "ifdef"))
        return i + 2 < end && is_defined(b, i + 2);
    if (atx_tokens_is(&b->t, i + 1, "ifndef"))
        return !(i + 2 < end && is_defined(b, i + 2));
    return read_any(&c, 0) != 0;
}

static void define(branches *b, size_t i, size_t end)
{
    const bool undef = atx_tokens_is(&b->t, i + 1, "undef");
    if (i + 2 >= end || !(undef || atx_tokens_is(&b->t, i + 1, "define")))
        return;
    if (!atx_grow(&b->macros, &b->cap, b->count, sizeof *b->macros)) {
        b->failed = true;
        return;
    }
    b->macros[b->count++] = (macro){ i + 2, undef ? SIZE_MAX : i + 3, end };
}

/* ---- assumptions ---- */

/* Values for the macros of a condition that the file defines nowhere, with which it holds: 1, or a number
 * that it has itself. false: there are none. */
static bool assume(branches *b, atx_span c)
{
    const int before = b->assumed->count;
    long value = 1;
    for (size_t n = c.begin + 1; n < c.end; n++) {
        if (n > c.begin + 1 && !atx_draft_plain_number(&value, &b->t, n))
            continue;
        for (size_t i = c.begin + 2; i < c.end && b->assumed->count < ATX_DRAFT_ASSUMED; i++) {
            char *name = b->assumed->names[b->assumed->count];
            atx_draft_word(name, &b->t, i);
            if (!atx_tokens_is_word(&b->t, i) || atx_tokens_is(&b->t, i, "defined") ||
                atx_tokens_is(&b->t, i, "true") || atx_tokens_is(&b->t, i + 1, "(") || is_defined(b, i))
                continue;
            b->assumed->values[b->assumed->count] = value;
            b->assumed->count += name[0] != '\0' && name[0] != '_' && !atx_name_is_reserved(name);
        }
        if (b->assumed->count > before && holds(b, c.begin, c.end))
            return true;
        b->assumed->count = before;
    }
    return false;
}

/* At a token that is left out: assumes what the outermost condition asks for. */
static bool assume_around(branches *b)
{
    for (int i = 1; i <= b->depth; i++)
        if (!b->levels[i].taking) {
            b->assumed->left_by = b->t.items[b->levels[i].condition.begin];
            return !b->levels[i].taken && assume(b, b->levels[i].condition);
        }
    return false;
}

/* ENABLE_HIP of a project whose kernels are compiled by HIP; true: a condition asks for it. */
static bool assume_hip(branches *b)
{
    static const char *const NAMES[] = { "ENABLE_HIP", "WITH_HIP", "HAVE_HIP", NULL };
    const atx_tokens *t = &b->t;
    for (size_t i = 0; i < t->count && b->assumed->count < ATX_DRAFT_ASSUMED; i++)
        if (t->items[i].directive && atx_token_is_one_of(t->text, &t->items[i], NAMES) && !is_defined(b, i)) {
            atx_draft_word(b->assumed->names[b->assumed->count], t, i);
            b->assumed->values[b->assumed->count++] = 1;
            return true;
        }
    return false;
}

/* The directive of tokens i..end. */
static void direct(branches *b, size_t i, size_t end)
{
    static const char *const BEGINS[] = { "if", "ifdef", "ifndef", NULL };
    static const char *const OTHERS[] = { "elif", "elifdef", "else", NULL };
    const atx_tokens *t = &b->t;
    level *top = &b->levels[b->depth];
    if (i + 1 >= end)
        return;
    if (atx_token_is_one_of(t->text, &t->items[i + 1], BEGINS) && b->depth + 1 < LEVELS) {
        const bool yes = top->taking && holds(b, i, end);
        b->levels[++b->depth] = (level){ yes, yes, top->taking, { i, end } };
    } else if (atx_token_is_one_of(t->text, &t->items[i + 1], OTHERS) && b->depth) {
        const bool otherwise = atx_tokens_is(t, i + 1, "else");
        top->taking = top->around && !top->taken && (otherwise || holds(b, i, end));
        top->taken = top->taken || top->taking;
    } else if (atx_tokens_is(t, i + 1, "endif") && b->depth) {
        b->depth--;
    } else if (top->taking && atx_tokens_is(t, i + 1, "include")) {
        const size_t begin = t->items[i].begin;
        b->hip = b->hip || memmem(t->text + begin, t->items[end - 1].end - begin, "<hip/", 5) ||
                 memmem(t->text + begin, t->items[end - 1].end - begin, "\"hip/", 5);
        b->hip_once = b->hip_once || b->hip;
    } else if (top->taking) {
        define(b, i, end);
    }
}

/* Tokens i..end of what is left out. The lines of conditions stay, as they belong to each other. */
static void blank(atx_str *out, const atx_tokens *t, size_t i, size_t end)
{
    static const char *const CONDITIONS[] = { "if",      "ifdef", "ifndef", "elif",
                                              "elifdef", "else",  "endif",  NULL };
    if (t->items[i].kind == ATX_TOKEN_DIRECTIVE && i + 1 < end &&
        atx_token_is_one_of(t->text, &t->items[i + 1], CONDITIONS))
        return;
    for (size_t k = t->items[i].begin; k < t->items[end - 1].end; k++)
        if (out->data[k] != '\n' && out->data[k] != '\r')
            out->data[k] = ' ';
}

static bool is_directive(const atx_tokens *t, size_t i, const char *name)
{
    return i + 1 < t->count && t->items[i].kind == ATX_TOKEN_DIRECTIVE && atx_tokens_is(t, i + 1, name);
}

/* Blanks in *out what is left out; true: something was assumed, and it is to be done again. */
static bool pass(atx_str *out, branches *b, size_t wanted)
{
    const atx_tokens *t = &b->t;
    b->count = 0;
    b->depth = 0;
    b->hip = false;
    for (size_t i = 0, end; i < t->count; i = end) {
        end = i + 1;
        if (t->items[i].kind == ATX_TOKEN_DIRECTIVE) {
            while (end < t->count && t->items[end].directive && t->items[end].kind != ATX_TOKEN_DIRECTIVE)
                end++;
            direct(b, i, end);
        }
        const level *top = &b->levels[b->depth];
        if (is_directive(t, i, "else") && is_directive(t, end, "error") && top->taking &&
            assume(b, top->condition))
            return true;
        if (t->items[i].begin == wanted && !top->taking && assume_around(b))
            return true;
        if (!top->taking)
            blank(out, t, i, end);
    }
    return b->hip_once && assume_hip(b);
}

at_status atx_draft_active(atx_str *out, atx_draft_assumed *assumed, const char *text, size_t wanted,
                           at_error *err)
{
    branches b = { .levels = { { .taking = true, .taken = true, .around = true } }, .assumed = assumed };
    if (!atx_tokens_read(&b.t, text, strlen(text), &(atx_lex_options){ 0 }))
        return atx_no_memory(err);
    do {
        atx_str_reset(out);
        atx_str_add(out, text);
    } while (!out->failed && out->len && pass(out, &b, wanted));
    at_status status = b.failed ? atx_no_memory(err) : atx_str_status(out, err);
    free(b.macros);
    atx_tokens_clear(&b.t);
    return status;
}
