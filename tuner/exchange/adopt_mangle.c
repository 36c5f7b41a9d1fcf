/*
 * adopt_mangle.c - the symbol of a kernel that others of its name stand beside: _Z1kPfi of k(float *, int). A
 * name alone would not say which one is meant. Only for parameters of CUDA's own types, and outside of
 * namespaces of structs, by value or behind pointers.
 */
#include "exchange/adopt_draft.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SEEN = 32, MOST_TYPE = 96 };

/* Types that a later one may refer to: S_, S0_, S1_ ... */
typedef struct mangling {
    char seen[MOST_SEEN][MOST_TYPE];
    int count;
    bool nested; /* the kernel is in a namespace, where types may be, too */
    bool bad;
} mangling;

/* A type as it is, and as it is written: shorter where it was there before. */
typedef struct mangled {
    char whole[MOST_TYPE], text[MOST_TYPE];
} mangled;

static void abbreviate(mangling *m, mangled *type)
{
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->seen[i], type->whole) == 0) {
            snprintf(type->text, MOST_TYPE, i ? "S%c_" : "S_",
                     "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i ? i - 1 : 0]);
            return;
        }
    m->bad = m->bad || m->count == MOST_SEEN;
    if (m->count < MOST_SEEN)
        memcpy(m->seen[m->count++], type->whole, MOST_TYPE);
}

/* 'K' of const, 'P' of a pointer, before it. */
static void prefix(mangling *m, mangled *type, char letter)
{
    char one[MOST_TYPE];
    m->bad = m->bad || strlen(type->whole) + 2 > MOST_TYPE;
    snprintf(one, sizeof one, "%c%.90s", letter, type->whole);
    memcpy(type->whole, one, sizeof one);
    snprintf(one, sizeof one, "%c%.90s", letter, type->text);
    memcpy(type->text, one, sizeof one);
    abbreviate(m, type);
}

/* The letter of unsigned long and the like, whose words are among those of begin..end; 0: none of these. */
static char builtin(const atx_tokens *t, size_t begin, size_t end)
{
    static const struct {
        const char *word;
        char letter;
    } WORDS[] = { { "float", 'f' },    { "double", 'd' },  { "bool", 'b' },     { "void", 'v' },
                  { "size_t", 'm' },   { "int8_t", 'a' },  { "uint8_t", 'h' },  { "int16_t", 's' },
                  { "uint16_t", 't' }, { "int32_t", 'i' }, { "uint32_t", 'j' }, { "int64_t", 'x' },
                  { "uint64_t", 'y' }, { "uint", 'j' } }; /* of 64 bits: as host.cuh has them */
    bool is_unsigned = false, is_signed = false, is_int = false, is_char = false, is_short = false;
    int longs = 0;
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
            if (atx_tokens_is(t, i, WORDS[k].word))
                return WORDS[k].letter;
        is_unsigned = is_unsigned || atx_tokens_is(t, i, "unsigned");
        is_signed = is_signed || atx_tokens_is(t, i, "signed");
        is_int = is_int || atx_tokens_is(t, i, "int");
        is_char = is_char || atx_tokens_is(t, i, "char");
        is_short = is_short || atx_tokens_is(t, i, "short");
        longs += atx_tokens_is(t, i, "long");
    }
    if (is_char)
        return is_unsigned ? 'h' : is_signed ? 'a' : 'c';
    if (is_short)
        return is_unsigned ? 't' : 's';
    if (longs)
        return longs > 1 ? is_unsigned ? 'y' : 'x' : is_unsigned ? 'm' : 'l';
    return is_unsigned ? 'j' : is_int || is_signed ? 'i' : '\0';
}

/* The letter of a name that the file makes of one of C's types: typedef float real. That of 64 bits may be
 * long or long long. */
static char named(const atx_draft_arg *a)
{
    static const char *const TYPES[] = { "f32", "f64", "i32", "u32", "i16", "u16", "u8", "bool" };
    for (int i = 0; i < 8 && a->type.dtype && a->type.lanes == 1 && !a->type.of_enum; i++)
        if (strcmp(a->type.dtype, TYPES[i]) == 0)
            return "fdijsthb"[i];
    return '\0';
}

/* enum NAME, enum class NAME; another name of one is not in a symbol. */
static bool is_enum(const atx_tokens *t, const char *name)
{
    for (size_t i = 1; i < t->count; i++)
        if (atx_tokens_is(t, i, name) &&
            (atx_tokens_is(t, i - 1, "enum") || (i > 1 && atx_tokens_is(t, i - 2, "enum"))))
            return true;
    return false;
}

/* A name of a type that is none of C's: 4Body, 6__half. false: what it is is not known here. */
static bool mangle_name(mangled *type, mangling *m, const atx_draft *d, const atx_draft_arg *a)
{
    static const char *const ALIASES[][2] = { { "half", "__half" },
                                              { "half2", "__half2" },
                                              { "nv_bfloat16", "__nv_bfloat16" },
                                              { "nv_bfloat162", "__nv_bfloat162" } };
    const char *name = a->type.name;
    for (size_t i = 0; i < sizeof ALIASES / sizeof *ALIASES; i++)
        name = strcmp(name, ALIASES[i][0]) == 0 ? ALIASES[i][1] : name;
    const bool half = strcmp(name, "__half") == 0 || strcmp(name, "__nv_bfloat16") == 0;
    const bool of_file = a->type.structure || (a->type.of_enum && is_enum(&d->code, name));
    long bytes, align;
    if (!half && a->type.lanes == 1 && (!of_file || m->nested || atx_draft_opaque(&bytes, &align, name)))
        return false;
    snprintf(type->whole, MOST_TYPE, "%zu%s", strlen(name), name);
    memcpy(type->text, type->whole, MOST_TYPE);
    abbreviate(m, type);
    return true;
}

/* "const float *__restrict__ p": what is const about the argument itself does not count. */
static void mangle_argument(atx_str *out, mangling *m, const atx_draft *d, const atx_draft_arg *a)
{
    const atx_tokens *t = &d->code;
    const size_t star = atx_tokens_find(t, a->span.begin, a->token, "*");
    const char own = builtin(t, a->span.begin, star), letter = own ? own : named(a);
    mangled type = { .whole = { letter }, .text = { letter } };
    bool is_const = false;
    for (size_t i = a->span.begin; i < a->token; i++) {
        is_const = is_const || (i < star && atx_tokens_is(t, i, "const"));
        m->bad = m->bad || atx_tokens_is(t, i, "::") || atx_tokens_is(t, i, "<");
    }
    m->bad = m->bad || a->stars > 1 || (!letter && !mangle_name(&type, m, d, a));
    if (is_const && a->stars)
        prefix(m, &type, 'K');
    if (a->stars)
        prefix(m, &type, 'P');
    atx_str_add(out, type.text);
}

/* What a namespace without a name is called in a symbol: the compiler adds the file to it. */
static const char UNNAMED[] = "_GLOBAL__N_1::";

/* Whether another kernel of the name is in the same namespaces. */
static bool is_overloaded(const atx_draft *d, const char *spaces)
{
    atx_kernel_text k;
    for (size_t at = 0; atx_code_kernel(&k, &d->code, &at);) {
        atx_str own = { 0 };
        if (k.open == d->kernel_text.open || !atx_tokens_is(&d->code, k.name, d->kernel) ||
            !atx_tokens_is(&d->code, atx_tokens_match(&d->code, k.open) + 1, "{"))
            continue;
        atx_draft_namespaces(&own, d, k.open, UNNAMED);
        const bool same = strcmp(atx_str_text(&own), spaces) == 0;
        atx_str_clear(&own);
        if (same)
            return true;
    }
    return false;
}

/* "N1a1b6kernelE" of a::b::, each namespace of which a type might refer to.
 */
static void mangle_path(atx_str *out, mangling *m, const char *spaces, const char *kernel)
{
    atx_str_add(out, *spaces ? "_ZN" : "_Z");
    for (size_t n; *spaces; spaces += n + 2) {
        n = strcspn(spaces, ":");
        m->bad = m->bad || !n || *spaces == '<' || m->count == MOST_SEEN;
        m->nested = true;
        atx_str_addf(out, "%zu%.*s", n, (int)n, spaces);
        if (m->count < MOST_SEEN)
            snprintf(m->seen[m->count++], MOST_TYPE, "%.*s::", (int)n, spaces);
    }
    atx_str_addf(out, "%zu%s%s", strlen(kernel), kernel, m->nested ? "E" : "");
}

void atx_draft_mangle(atx_str *called, const atx_draft *d)
{
    atx_str spaces = { 0 }, out = { 0 };
    mangling m = { .count = 0 };
    atx_draft_namespaces(&spaces, d, d->kernel_text.open, UNNAMED);
    if (d->targ_count || !is_overloaded(d, atx_str_text(&spaces))) {
        atx_str_clear(&spaces);
        return;
    }
    mangle_path(&out, &m, atx_str_text(&spaces), d->kernel);
    for (int i = 0; i < d->arg_count; i++)
        if (!d->args[i].field)
            mangle_argument(&out, &m, d, &d->args[i]);
    if (!m.bad && !out.failed) {
        atx_str_reset(called);
        atx_str_add(called, out.data);
    }
    atx_str_clear(&spaces);
    atx_str_clear(&out);
}
