/* adopt_number.c - what a name of the file is defined as, and the number that an expression of it has. */
#include "exchange/adopt_draft.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 12 };

/* ---- definitions ---- */

bool atx_draft_is_type_word(const atx_tokens *t, size_t i)
{
    static const char *const WORDS[] = { "int",      "unsigned", "long",      "size_t",  "auto",
                                         "short",    "dim3",     "uint",      "int64_t", "uint32_t",
                                         "uint64_t", "int32_t",  "constexpr", "const",   "static",
                                         "float",    "double",   "char",      "uint3",   "bool",
                                         "signed",   "register", NULL };
    return i < t->count && atx_token_is_one_of(t->text, &t->items[i], WORDS);
}

bool atx_draft_is_enumerator(const atx_tokens *t, const char *word)
{
    for (size_t i = 0; i < t->count; i++) {
        if (!atx_tokens_is(t, i, "enum"))
            continue;
        while (i < t->count && !atx_tokens_is(t, i, "{") && !atx_tokens_is(t, i, ";"))
            i++;
        for (size_t k = i + 1; atx_tokens_is(t, i, "{") && k < atx_tokens_match(t, i); k++)
            if (atx_tokens_is(t, k, word))
                return true;
    }
    return false;
}

/* Whether the brace at token i is that of a namespace: namespace { ... }, namespace a::b { ... } */
static bool is_namespace(const atx_tokens *t, size_t i)
{
    while (i && (atx_tokens_is_word(t, i - 1) || atx_tokens_is(t, i - 1, "::")) &&
           !atx_tokens_is(t, i - 1, "namespace"))
        i--;
    return i && atx_tokens_is(t, i - 1, "namespace");
}

/* Whether the brace around token `at` still is open at `before`, or is that of a namespace. */
static bool encloses(const atx_tokens *t, size_t at, size_t before)
{
    for (size_t i = at; i < before; i++) {
        if (atx_tokens_is(t, i, "{")) {
            if (atx_tokens_match(t, i) < before)
                i = atx_tokens_match(t, i);
        } else if (atx_tokens_is(t, i, "}") && !is_namespace(t, t->items[i].pair)) {
            return false;
        }
    }
    return true;
}

static bool is_qualifier(const atx_tokens *t, size_t i)
{
    return atx_tokens_is(t, i, "const") || atx_tokens_is(t, i, "constexpr") || atx_tokens_is(t, i, "static");
}

size_t atx_draft_declared_type(const atx_tokens *t, size_t i)
{
    static const char *const ENDS[] = { ";", "{", "(", "[", NULL }, *const CLOSE[] = { ")", "]", "}", NULL };
    size_t type = i;
    while (type && atx_draft_is_type_word(t, type - 1) && (type == i || is_qualifier(t, type)))
        type--; /* dim3 const block */
    if (type < i)
        return type;
    if (!i || !atx_tokens_is(t, i - 1, ","))
        return t->count;
    while (i && !atx_token_is_one_of(t->text, &t->items[i - 1], ENDS)) {
        const bool closes = atx_token_is_one_of(t->text, &t->items[i - 1], CLOSE);
        if (atx_tokens_is(t, i - 1, "}") && !atx_tokens_is(t, i, ","))
            break; /* of a block, not of a value */
        i = closes && t->items[i - 1].pair < i ? t->items[i - 1].pair : i - 1;
    }
    while (is_qualifier(t, i))
        i++;
    return atx_draft_is_type_word(t, i) ? i : t->count;
}

/* "int x = 4", "dim3 x(a, b)", "int a = 1, x = 4", "dim3 a(1, 2), x(3)": the tokens of the value. */
static bool read_definition(atx_span *out, const atx_tokens *t, size_t i)
{
    const bool typed = i && (atx_draft_is_type_word(t, i - 1) || atx_tokens_is(t, i - 1, ","));
    if (!typed)
        return false;
    if (atx_tokens_is(t, i + 1, "=")) {
        const size_t end = atx_tokens_find(t, i + 2, t->count, ";");
        *out = (atx_span){ i + 2, atx_code_comma(t, i + 2, end) };
        return out->begin < out->end;
    }
    if ((atx_tokens_is(t, i + 1, "(") || atx_tokens_is(t, i + 1, "{")) &&
        atx_draft_declared_type(t, i) < t->count) {
        *out = (atx_span){ i + 2, atx_tokens_match(t, i + 1) };
        return out->begin < out->end && out->end < t->count &&
               (atx_tokens_is(t, out->end + 1, ";") || atx_tokens_is(t, out->end + 1, ","));
    }
    return false;
}

/* f(&name), g(x, &name): a function may change it. */
static bool is_handed_out(const atx_tokens *t, size_t i)
{
    return i > 1 && atx_tokens_is(t, i - 1, "&") &&
           (atx_tokens_is(t, i - 2, "(") || atx_tokens_is(t, i - 2, ",")) &&
           (atx_tokens_is(t, i + 1, ")") || atx_tokens_is(t, i + 1, ","));
}

/* Whether the value of a name changes after its definition at token i. */
static bool is_changed(const atx_tokens *t, const char *name, size_t i, size_t before)
{
    static const char *const SIGNS[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", NULL
    };
    static const char *const STEPS[] = { "++", "--", NULL }, *const SHIFTS[] = { "<<", ">>", NULL };
    for (; i + 1 < before && i + 1 < t->count; i++) {
        const atx_token *next = &t->items[i + 1];
        if (atx_tokens_is(t, i, name) &&
            (atx_token_is_one_of(t->text, next, SIGNS) ||
             (atx_token_is_one_of(t->text, next, SHIFTS) && atx_tokens_is(t, i + 2, "=")) ||
             (i && atx_token_is_one_of(t->text, &t->items[i - 1], STEPS)) || is_handed_out(t, i)))
            return true;
    }
    return false;
}

bool atx_draft_definition(atx_span *out, const atx_draft *d, const char *name, size_t before)
{
    const atx_tokens *t = &d->code;
    for (size_t i = before; i-- > 0;)
        if (atx_tokens_is(t, i, name) && read_definition(out, t, i) && encloses(t, i, before))
            return !is_changed(t, name, i + 1, before);
    return false;
}

/* The bracket of the condition that a statement at token i depends on, unless `before` does so, too; 0: none.
 */
static size_t condition_of(const atx_tokens *t, size_t i, size_t before)
{
    if (atx_tokens_is(t, i - 1, ")"))
        return t->items[i - 1].pair;
    if (atx_tokens_is(t, i - 1, "else"))
        return i;
    if (encloses(t, i, before))
        return 0;
    while (i-- > 1 && !(atx_tokens_is(t, i, "{") && atx_tokens_match(t, i) < before))
        if (atx_tokens_is(t, i, "}") && t->items[i].pair < i)
            i = t->items[i].pair;
    return atx_tokens_is(t, i - 1, ")") ? t->items[i - 1].pair : i;
}

static bool has_name(const atx_tokens *t, const char *name, size_t begin, size_t end)
{
    while (begin < end && !atx_tokens_is(t, begin, name))
        begin++;
    return begin < end;
}

atx_draft_set atx_draft_member(atx_span *out, const atx_draft *d, const char *name, char axis, size_t before)
{
    const char member[2] = { axis, '\0' };
    const atx_tokens *t = &d->code;
    *out = (atx_span){ 0, 0 };
    for (size_t i = before; i-- > 1 && name[0];) {
        if (!atx_tokens_is(t, i, name))
            continue;
        if (atx_draft_declared_type(t, i) < t->count && encloses(t, i, before))
            return ATX_DRAFT_NEVER;
        if (!atx_tokens_is(t, i + 1, ".") || !atx_tokens_is(t, i + 2, member) ||
            !atx_tokens_is(t, i + 3, "="))
            continue;
        const size_t end = atx_tokens_find(t, i + 4, t->count, ";"), open = condition_of(t, i, before);
        if (open && atx_tokens_is(t, open, "(") && has_name(t, name, open, atx_tokens_match(t, open)))
            continue; /* if (grid.x > 65535) grid.x = 65535; */
        if (has_name(t, name, i + 4, end) && has_name(t, "/", i + 4, end) && has_name(t, "+", i + 4, end))
            continue; /* rounded up: block.x = (block.x + 31) / 32 * 32; */
        *out = (atx_span){ i + 4, end };
        return open || end <= i + 4 || has_name(t, name, i + 4, end) ? ATX_DRAFT_UNSURE : ATX_DRAFT_SET;
    }
    return ATX_DRAFT_NEVER;
}

/* ---- numbers ---- */

bool atx_draft_plain_number(long *out, const atx_tokens *t, size_t i)
{
    char text[ATX_MAX_WORD], *end = text;
    size_t n = 0;
    if (atx_token_copy(text, sizeof text, t->text, &t->items[i]) >= sizeof text)
        return false;
    for (size_t k = 0; text[k]; k++) /* 1'000 */
        if (text[k] != '\'')
            text[n++] = text[k];
    text[n] = '\0';
    *out = strtol(text, &end, 0);
    return end != text && !end[strspn(end, "uUlL")];
}

static bool number_of(long *out, const atx_draft *d, const atx_tokens *t, atx_span span, int depth);

/* warp_size() of a function that only returns a number. */
static bool called_number(long *out, const atx_draft *d, const char *name, int depth)
{
    const atx_tokens *t = &d->code;
    const atx_draft_function *f = atx_draft_find_function(d, name);
    const size_t end = f ? atx_tokens_find(t, f->body + 1, f->end, ";") : 0;
    return f && atx_tokens_match(t, f->open) == f->open + 1 && atx_tokens_is(t, f->body + 1, "return") &&
           end + 1 == f->end && number_of(out, d, t, (atx_span){ f->body + 2, end }, depth + 1);
}

/* A parameter of the template that the host's function around token i is: that of the instance that the file
 * has. */
static bool instance_number(long *out, const atx_draft *d, size_t i, int depth)
{
    const bool of_kernel = i >= d->kernel_text.head && i <= d->body_end;
    const atx_span given =
        of_kernel ? (atx_span){ i, i + 1 } : atx_draft_instance(d, (atx_span){ i, i + 1 }, i);
    return given.begin != i && number_of(out, d, &d->code, given, depth + 1);
}

static bool named_number(long *out, const atx_draft *d, const atx_tokens *t, size_t i, int depth)
{
    char name[ATX_MAX_WORD];
    atx_span value;
    atx_draft_word(name, t, i);
    const atx_draft_macro *macro = atx_draft_find_macro(d, name);
    if (depth >= MOST_DEPTH || !name[0])
        return false;
    if (strcmp(name, "warpSize") == 0) {
        *out = 32;
        return true;
    }
    if (atx_tokens_is(t, i + 1, "("))
        return called_number(out, d, name, depth);
    if (macro)
        return !macro->open && number_of(out, d, &d->all, macro->body, depth + 1);
    const size_t before = t == &d->code ? i : d->code.count;
    if (!atx_draft_definition(&value, d, name, before))
        return t == &d->code && instance_number(out, d, i, depth);
    return !(value.begin <= i && i < value.end && t == &d->code) &&
           number_of(out, d, &d->code, value, depth + 1);
}

typedef struct reading {
    const atx_draft *d;
    const atx_tokens *t;
    size_t at, end;
    int depth;
    bool bad;
} reading;

static long read_sum(reading *r, int least);

static long read_operand(reading *r)
{
    long value = 0;
    if (r->at >= r->end) {
        r->bad = true;
        return 0;
    }
    const size_t i = r->at++;
    if (r->t->items[i].kind == ATX_TOKEN_NUMBER) {
        r->bad = r->bad || !atx_draft_plain_number(&value, r->t, i);
    } else if (atx_tokens_is(r->t, i, "sizeof") && r->t == &r->d->code && atx_tokens_is(r->t, r->at, "(")) {
        atx_draft_type type;
        const size_t close = atx_tokens_match(r->t, r->at);
        atx_draft_type_of(&type, r->d, r->at + 1, close);
        value = type.dtype ? atx_draft_bytes(r->d, &type) : 0;
        r->bad = r->bad || !value;
        r->at = close + 1;
    } else if (atx_tokens_is_word(r->t, i)) {
        r->bad = r->bad || !named_number(&value, r->d, r->t, i, r->depth);
        if (atx_tokens_is(r->t, r->at, "("))
            r->at = atx_tokens_match(r->t, r->at) + 1;
    } else if (atx_tokens_is(r->t, i, "-")) {
        value = -read_operand(r);
    } else if (atx_tokens_is(r->t, i, "(")) {
        const size_t close = atx_tokens_match(r->t, i);
        bool cast = close < r->end && close > i + 1;
        for (size_t k = i + 1; k < close && cast; k++)
            cast = atx_draft_is_type_word(r->t, k);
        if (cast) {
            r->at = close + 1;
            return read_operand(r);
        }
        value = read_sum(r, 0);
        r->bad = r->bad || !atx_tokens_is(r->t, r->at, ")");
        r->at++;
    } else {
        r->bad = true;
    }
    return value;
}

static long read_sum(reading *r, int least)
{
    static const char *const SIGNS[][4] = { { "<<", ">>" }, { "+", "-" }, { "*", "/", "%" } };
    long value = read_operand(r);
    while (r->at < r->end && !r->bad && !atx_tokens_is(r->t, r->at, ")")) {
        int tight = 0;
        for (int k = 0; k < 3; k++)
            if (atx_token_is_one_of(r->t->text, &r->t->items[r->at], SIGNS[k]))
                tight = k + 1;
        if (!tight) {
            r->bad = true;
            return value;
        }
        if (tight <= least)
            return value;
        const char c = r->t->text[r->t->items[r->at++].begin];
        const long y = read_sum(r, tight);
        const bool huge = labs(value) > 1L << 31 || labs(y) > 1L << 31;
        r->bad = r->bad || huge || ((c == '/' || c == '%') && y == 0) ||
                 ((c == '<' || c == '>') && (y < 0 || y > 31 || value < 0));
        if (r->bad)
            return 0;
        value = c == '+'   ? value + y
                : c == '-' ? value - y
                : c == '*' ? value * y
                : c == '/' ? value / y
                : c == '%' ? value % y
                : c == '<' ? value << y
                           : value >> y;
    }
    return value;
}

static bool number_of(long *out, const atx_draft *d, const atx_tokens *t, atx_span span, int depth)
{
    reading r = { d, t, span.begin, span.end, depth, false };
    if (span.begin >= span.end)
        return false;
    *out = read_sum(&r, 0);
    return !r.bad && r.at == span.end;
}

bool atx_draft_number(long *out, const atx_draft *d, const atx_tokens *t, atx_span span)
{
    return number_of(out, d, t, span, 0);
}
