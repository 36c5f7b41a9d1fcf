/*
 * adopt_params.c - what may become a parameter: a macro or constant that is an integer and shapes the code
 * that the kernel reaches. One behind #ifndef is meant to be set; another one must look like the size of a
 * tile, a block or an unrolled loop. Few and good.
 */
#include "exchange/adopt_draft.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void lower(char out[ATX_MAX_WORD], const char *name)
{
    size_t n = 0;
    for (; name[n] && n + 1 < ATX_MAX_WORD; n++)
        out[n] = (char)tolower((unsigned char)name[n]);
    out[n] = '\0';
}

static bool has_any(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

/* NUM_BLOCKS; not blockSize. */
static bool counts_blocks(const char *low)
{
    const char *at = strstr(low, "blocks");
    return at && strncmp(at, "blocksize", strlen("blocksize")) != 0;
}

int atx_draft_block_axis(const char *name)
{
    static const char *const BLOCK[] = { "block", "threads", "bdim", NULL };
    static const char *const OTHER[] = { "per_thread", "perthread",   "grid",       "per_block",
                                         "num_block",  "block_m",     "block_n",    "block_k",
                                         "log",        "threads_per", "threadsper", NULL };
    static const char *const WHOLE[] = { "threads_per_block", "threadsperblock", "cta_size", "ctasize",
                                         NULL };
    char low[ATX_MAX_WORD];
    lower(low, name);
    if (has_any(low, WHOLE))
        return 0;
    if (!(has_any(low, BLOCK) || strcmp(low, "tpb") == 0) || has_any(low, OTHER) || counts_blocks(low))
        return -1;
    const char axis = low[0] ? low[strlen(low) - 1] : '\0';
    return axis == 'y' ? 1 : axis == 'z' ? 2 : 0;
}

static bool looks_like_shape(const char *name)
{
    static const char *const YES[] = { "tile",       "block",     "unroll",  "threads", "warps",  "vec",
                                       "per_thread", "items",     "stage",   "chunk",   "coarse", "bdim",
                                       "strip",      "perthread", "thread_", NULL };
    static const char *const NO[] = { "grid", "warp_size", "warpsize", "shift", "mask",
                                      "log",  "max_",      "version",  NULL };
    static const char *const EXACT[] = { "bm", "bn", "bk",  "tm",       "tn", "tk",
                                         "wm", "wn", "tpb", "rows_per", NULL };
    char low[ATX_MAX_WORD];
    lower(low, name);
    for (int i = 0; EXACT[i]; i++)
        if (strcmp(low, EXACT[i]) == 0)
            return true;
    return has_any(low, YES) && !has_any(low, NO) && !counts_blocks(low);
}

/* What the hardware has, whatever the file offers: #ifndef WARP_SIZE. */
static bool is_of_hardware(const char *name)
{
    static const char *const WORDS[] = { "warp_size", "warpsize", NULL };
    char low[ATX_MAX_WORD];
    lower(low, name);
    return has_any(low, WORDS);
}

/* #pragma unroll NAME */
static bool unrolls(const atx_draft *d, const char *name)
{
    for (size_t i = 0; i + 3 < d->all.count; i++)
        if (d->all.items[i].kind == ATX_TOKEN_DIRECTIVE && atx_tokens_is(&d->all, i + 1, "pragma") &&
            atx_tokens_is(&d->all, i + 2, "unroll") &&
            (atx_tokens_is(&d->all, i + 3, name) || atx_tokens_is(&d->all, i + 4, name)))
            return true;
    return false;
}

/* Whether it is within the brackets of an array that the kernel declares: TYPE NAME[... X ...] */
static bool sizes_array(const atx_draft *d, const char *name)
{
    const atx_tokens *t = &d->code;
    for (size_t i = 2; i < t->count; i++) {
        if (!d->reached[i] || !atx_tokens_is(t, i, "[") || !atx_tokens_is_word(t, i - 1) ||
            !(atx_tokens_is_word(t, i - 2) || atx_tokens_is(t, i - 2, ">")) ||
            atx_tokens_is(t, i - 2, "return"))
            continue;
        for (size_t end = i; atx_tokens_is(t, end, "["); end++) { /* NAME[A][B] */
            const size_t open = end;
            end = atx_tokens_match(t, open);
            for (size_t k = open + 1; k < end; k++)
                if (atx_tokens_is(t, k, name))
                    return true;
        }
    }
    return false;
}

bool atx_draft_shapes(const atx_draft *d, const char *name)
{
    return name[0] && (unrolls(d, name) || looks_like_shape(name) || sizes_array(d, name));
}

/* Do only lines of the preprocessor ask for it, so that it switches something on or off? */
static bool is_switch(const atx_draft *d, const char *name)
{
    for (size_t i = 0; i < d->code.count; i++)
        if (atx_tokens_is(&d->code, i, name))
            return false;
    for (size_t m = 0; m < d->macro_count; m++) /* a number that another macro is made of */
        for (size_t i = d->macros[m].body.begin; i < d->macros[m].body.end; i++)
            if (atx_tokens_is(&d->all, i, name))
                return false;
    return true;
}

/* Whether the kernel's code, or a macro of it, stands in the text begin..end. */
static bool is_code_between(const atx_draft *d, size_t begin, size_t end)
{
    for (size_t i = 0; i < d->code.count && d->code.items[i].begin < end; i++)
        if (d->reached[i] && d->code.items[i].begin > begin)
            return true;
    for (size_t m = 0; m < d->macro_count; m++) {
        const size_t at = d->all.items[d->macros[m].name].begin;
        if (d->macros[m].reached && at > begin && at < end)
            return true;
    }
    return false;
}

/* The #endif of the #if at token i of `all`: where it stands in the text. */
static size_t find_endif(const atx_draft *d, size_t i)
{
    static const char *const OPENS[] = { "if", "ifdef", "ifndef", NULL };
    const atx_tokens *t = &d->all;
    int depth = 1;
    for (i++; i + 1 < t->count; i++) {
        if (t->items[i].kind != ATX_TOKEN_DIRECTIVE)
            continue;
        depth += atx_token_is_one_of(t->text, &t->items[i + 1], OPENS);
        depth -= atx_tokens_is(t, i + 1, "endif");
        if (!depth)
            return t->items[i].begin;
    }
    return t->len;
}

/* Whether a condition around the kernel's code asks for it: #if X > 2. */
static bool is_condition(const atx_draft *d, const char *name)
{
    const atx_tokens *t = &d->all;
    for (size_t i = 0; i + 2 < t->count; i++) {
        if (t->items[i].kind != ATX_TOKEN_DIRECTIVE ||
            !(atx_tokens_is(t, i + 1, "if") || atx_tokens_is(t, i + 1, "elif")))
            continue;
        for (size_t k = i + 2;
             k < t->count && t->items[k].directive && t->items[k].kind != ATX_TOKEN_DIRECTIVE; k++)
            if (atx_tokens_is(t, k, name) && is_code_between(d, t->items[k].begin, find_endif(d, i)))
                return true;
    }
    return false;
}

atx_draft_param *atx_draft_find_param(atx_draft *d, const char *name)
{
    for (int i = 0; i < d->param_count; i++)
        if (strcmp(d->params[i].name, name) == 0)
            return &d->params[i];
    return NULL;
}

const char *atx_draft_param_line(const atx_draft_param *p)
{
    return p->line[0] ? p->line : p->name;
}

const atx_draft_param *atx_draft_given_param(const atx_draft *d, const char *name)
{
    for (int i = 0; i < d->param_count; i++)
        if (strcmp(d->params[i].name, name) == 0)
            return &d->params[i];
    for (int n = 0; n < d->targ_count; n++)
        for (int i = 0; i < d->param_count; i++)
            if (d->params[i].kind == ATX_DRAFT_TARG && strcmp(d->params[i].name, d->targs[n].name) == 0 &&
                d->targs[n].given.end == d->targs[n].given.begin + 1 &&
                atx_tokens_is(&d->code, d->targs[n].given.begin, name))
                return &d->params[i];
    return NULL;
}

const char *atx_draft_divisor(const atx_draft *d, const atx_tokens *t, size_t i, int axis, long less)
{
    char name[ATX_MAX_WORD];
    const long value = less + 1;
    if (value < 2 || !atx_tokens_is(t, i - 1, "+") || !atx_tokens_is(t, i + 1, ")") ||
        !atx_tokens_is(t, i + 2, "/") || !atx_tokens_is_word(t, i + 3))
        return NULL;
    i += 3;
    atx_draft_word(name, t, i);
    const bool member = atx_tokens_is(t, i + 1, ".");
    const bool block = member && t == &d->code && d->launch.config[1][1] == d->launch.config[1][0] + 1 &&
                       atx_code_same(t, d->launch.config[1][0], i);
    const atx_draft_param *param = member ? NULL : atx_draft_given_param(d, name);
    if (param)
        return param->value == value ? atx_draft_param_line(param) : NULL;
    for (int n = 0; n < 4; n++) {
        const int k = n ? n - 1 : axis;
        bool called = block && t->text[t->items[i + 2].begin] == "xyz"[k];
        for (int a = 0; a < ATX_DRAFT_ALIASES && !member; a++)
            called = called || (d->block_from[k][a][0] && strcmp(d->block_from[k][a], name) == 0);
        if (called && d->block_param[k][0] && d->block_value[k] == value)
            return d->block_param[k];
    }
    return NULL;
}

bool atx_draft_names_param(const atx_draft *d, const char *text)
{
    for (int i = 0; i < d->param_count; i++)
        if (atx_draft_names_word(text, atx_draft_param_line(&d->params[i])))
            return true;
    return false;
}

/* A name that declarations cannot have is none of theirs: it stands in the file as it is. */
static void add(atx_draft *d, atx_draft_param p)
{
    if (d->param_count < ATX_DRAFT_PARAMS && !atx_draft_find_param(d, p.name) && p.name[0] &&
        !atx_name_is_reserved(p.name) && strcmp(p.name, "T") != 0)
        d->params[d->param_count++] = p;
}

/* Whether the launch of the file is made with it. */
static bool is_in_launch(const atx_draft *d, const char *name)
{
    for (int k = 0; d->launched && k < 2 && k < d->launch.config_count; k++)
        for (size_t i = d->launch.config[k][0]; i < d->launch.config[k][1]; i++) {
            char word[ATX_MAX_WORD];
            atx_span value;
            if (atx_tokens_is(&d->code, i, name))
                return true;
            atx_draft_word(word, &d->code, i);
            if (!atx_tokens_is_word(&d->code, i) || !atx_draft_definition(&value, d, word, d->launch.at))
                continue;
            for (size_t j = value.begin; j < value.end; j++)
                if (atx_tokens_is(&d->code, j, name))
                    return true;
        }
    return false;
}

/* Whether a name divides in the tokens, or in what they are defined as: (n + 4 * NAME - 1) / (4 * NAME), or
 * ceil_div(n, NAME); all: the tokens are such a divisor. */
static bool divides(const atx_draft *d, atx_span span, const char *name, bool all, int depth)
{
    const atx_tokens *t = &d->code;
    size_t divided = all ? span.end : 0; /* until that token */
    for (size_t i = span.begin; i < span.end; i++) {
        char word[ATX_MAX_WORD];
        atx_span value;
        const bool calls = atx_tokens_is(t, i, "(") && i > span.begin && atx_tokens_is_word(t, i - 1) &&
                           !atx_tokens_is(t, i - 1, "dim3");
        if (i >= divided && (calls || atx_tokens_is(t, i, "/")))
            divided = calls ? atx_tokens_match(t, i) : atx_code_comma(t, i, span.end);
        if (i < divided && atx_tokens_is(t, i, name))
            return true;
        atx_draft_word(word, t, i);
        if (!depth || !atx_tokens_is_word(t, i) || !atx_draft_definition(&value, d, word, d->launch.at))
            continue;
        if (atx_tokens_is(t, value.begin - 1, "(") || atx_tokens_is(t, value.begin - 1, "{"))
            value.end = atx_tokens_match(t, value.begin - 1); /* dim3 grid(x, y): both */
        if (divides(d, value, name, i < divided, depth - 1))
            return true;
    }
    return false;
}

bool atx_draft_divides_grid(const atx_draft *d, const char *name)
{
    enum { MOST_DEFINITIONS = 3 };
    return d->launched && d->launch.config_count && name[0] &&
           divides(d, (atx_span){ d->launch.config[0][0], d->launch.config[0][1] }, name, false,
                   MOST_DEFINITIONS);
}

static bool is_wanted(const atx_draft *d, const char *name, long value)
{
    return value > 1 && value <= 4096 &&
           (unrolls(d, name) || looks_like_shape(name) || (is_in_launch(d, name) && sizes_array(d, name)));
}

static void add_macros(atx_draft *d)
{
    for (size_t m = 0; m < d->macro_count; m++) {
        const atx_draft_macro *macro = &d->macros[m];
        atx_draft_param p = { .kind = ATX_DRAFT_MACRO, .guarded = macro->guarded };
        atx_draft_word(p.name, &d->all, macro->name);
        const size_t words = macro->body.end - macro->body.begin;
        bool plain = words > 0 && words <= 4 && !macro->open; /* 4, (4), -4 */
        for (size_t i = macro->body.begin; i < macro->body.end && plain; i++)
            plain = d->all.items[i].kind == ATX_TOKEN_NUMBER || atx_tokens_is(&d->all, i, "(") ||
                    atx_tokens_is(&d->all, i, ")") || atx_tokens_is(&d->all, i, "-");
        if (!plain || !atx_draft_number(&p.value, d, &d->all, macro->body))
            continue;
        p.axis = atx_draft_block_axis(p.name);
        const bool used = macro->reached || unrolls(d, p.name) || (macro->guarded && is_condition(d, p.name));
        if (used && !is_of_hardware(p.name) && (macro->guarded || is_wanted(d, p.name, p.value)))
            add(d, p);
    }
}

/* Whether the kernel means an argument of its template by a name that a constant of the file has, too. */
static bool is_hidden(const atx_draft *d, const char *name)
{
    bool hidden = false;
    for (int n = 0; n < d->targ_count; n++)
        hidden = hidden || strcmp(d->targs[n].name, name) == 0;
    return hidden;
}

/* constexpr int X = 4; of the file or a namespace. */
static void add_constants(atx_draft *d)
{
    const atx_tokens *t = &d->code;
    for (size_t i = 0; i + 3 < t->count; i++) {
        if (atx_tokens_is(t, i, "{") && !(i > 0 && (atx_tokens_is(t, i - 1, "namespace") ||
                                                    (i > 1 && atx_tokens_is(t, i - 2, "namespace"))))) {
            i = atx_tokens_match(t, i) < t->count ? atx_tokens_match(t, i) : i;
            continue;
        }
        if (!(atx_tokens_is(t, i, "const") || atx_tokens_is(t, i, "constexpr")) ||
            atx_tokens_is(t, i + 1, "const"))
            continue;
        size_t end = i; /* no further than a bracket: that of a function may be far from the next ';' */
        while (end < t->count && !atx_tokens_is(t, end, ";") && !atx_tokens_opens(t, end))
            end++;
        const size_t equal = atx_tokens_find(t, i, end, "=");
        atx_draft_param p = { .kind = ATX_DRAFT_CONSTANT };
        atx_draft_type type;
        if (!atx_tokens_is(t, end, ";") || equal >= end || equal < i + 2 || end != equal + 2 ||
            !atx_draft_number(&p.value, d, t, (atx_span){ equal + 1, end }))
            continue;
        atx_draft_type_of(&type, d, i, equal - 1);
        if (!type.dtype || !strchr("iu", type.dtype[0]))
            continue;
        atx_draft_word(p.name, t, equal - 1);
        p.axis = atx_draft_block_axis(p.name);
        if (!is_hidden(d, p.name) && is_wanted(d, p.name, p.value) &&
            (atx_draft_uses(d, p.name) || unrolls(d, p.name)))
            add(d, p);
    }
}

/* Whether a declaration has it: a word that is no statement's stands before it. Its type may be unknown. */
static bool is_declared(const atx_draft *d, const char *name)
{
    static const char *const STATEMENTS[] = {
        "return", "else", "case", "do", "goto", "and", "or", "not", NULL
    };
    const atx_tokens *t = &d->code;
    for (int i = 0; i < d->arg_count; i++)
        if (strcmp(d->args[i].arg.name, name) == 0)
            return true;
    for (size_t i = 1; i < t->count; i++)
        if (atx_tokens_is(t, i, name) &&
            ((atx_tokens_is_word(t, i - 1) && !atx_token_is_one_of(t->text, &t->items[i - 1], STATEMENTS)) ||
             (atx_tokens_is(t, i - 1, "*") && atx_tokens_is(t, i + 1, "=")))) /* auto *p = */
            return true;
    return false;
}

/* Whether a name is declared in a list: int a, b; enum { A, B }; */
static bool is_listed(const atx_draft *d, const char *name)
{
    static const char *const BEFORE[] = { ",", "{", "*", "&", ">", NULL };
    static const char *const BEHIND[] = { ",", "}", "=", ";", "[", "(", NULL };
    const atx_tokens *t = &d->code;
    for (size_t i = 1; i + 1 < t->count; i++)
        if (atx_tokens_is(t, i, name) && atx_token_is_one_of(t->text, &t->items[i - 1], BEFORE) &&
            atx_token_is_one_of(t->text, &t->items[i + 1], BEHIND))
            return true;
    return false;
}

/* Of CUDA's and C's headers. */
static bool is_of_headers(const char *name)
{
    static const char *const PREFIXES[] = { "FLT_",  "DBL_",  "INT_",  "UINT", "CUDA", "LONG_",
                                            "LLONG", "SHRT_", "CHAR_", "M_",   "NULL", "INFINITY",
                                            "NAN",   "RAND_", "EXIT_", NULL };
    for (int i = 0; PREFIXES[i]; i++)
        if (strncmp(name, PREFIXES[i], strlen(PREFIXES[i])) == 0)
            return true;
    return false;
}

/* Names as parameters have them: of capitals, or of several words. */
void atx_draft_note_unknown(atx_draft *d)
{
    static const char *const BEHIND[] = { "(", "::", "<", "{", NULL }, *const BEFORE[] = { ".", "->",
                                                                                           "::", "struct",
                                                                                           NULL };
    const atx_tokens *t = &d->code;
    snprintf(d->out->kernel, sizeof d->out->kernel, "%s", d->kernel);
    for (size_t i = d->kernel_text.head; i < d->body_end && !d->out->unknown; i++) {
        char name[ATX_MAX_WORD];
        atx_draft_word(name, t, i);
        const bool shaped = strpbrk(name, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL;
        if (!atx_tokens_is_word(t, i) || !name[0] || !shaped ||
            atx_token_is_one_of(t->text, &t->items[i + 1], BEHIND) ||
            (i && atx_token_is_one_of(t->text, &t->items[i - 1], BEFORE)) || atx_tokens_is_word(t, i + 1))
            continue;
        d->out->unknown =
            !(is_of_headers(name) || atx_name_is_reserved(name) || atx_draft_find_macro(d, name) ||
              is_declared(d, name) || is_listed(d, name) || atx_draft_find_function(d, name));
    }
}

/* Whether the name is that of an array: no number stands for it. */
static bool is_array(const atx_draft *d, const char *name)
{
    for (size_t i = 0; i < d->code.count; i++)
        if (d->reached[i] && atx_tokens_is(&d->code, i, name) && atx_tokens_is(&d->code, i + 1, "["))
            return true;
    return false;
}

/* Names that code uses and nothing defines. */
static void add_undefined(atx_draft *d)
{
    for (const char *const *name = d->in->undefined; name && *name; name++) {
        atx_draft_param p = { .value = 1, .kind = ATX_DRAFT_UNDEFINED, .guessed = true };
        if (strlen(*name) >= ATX_MAX_WORD || is_declared(d, *name) || is_array(d, *name) ||
            atx_draft_is_enumerator(&d->code, *name))
            continue;
        strcpy(p.name, *name);
        p.axis = atx_draft_block_axis(*name);
        p.value = p.axis == 0 ? 256 : p.axis > 0 ? 8 : 1;
        add(d, p);
    }
}

/* __launch_bounds__(BX * BY) of parameters follows them, and bounds nothing. */
static void free_bound(atx_draft *d)
{
    char word[ATX_MAX_WORD];
    for (size_t i = d->bound_is.begin; i < d->bound_is.end; i++) {
        atx_draft_word(word, &d->code, i);
        if (d->bound > 0 && atx_draft_find_param(d, word))
            d->bound = 0;
    }
}

void atx_draft_params(atx_draft *d)
{
    add_macros(d);
    add_constants(d);
    add_undefined(d);
    free_bound(d);
}

/* ---- values ---- */

static bool is_power(long v)
{
    return v > 0 && (v & (v - 1)) == 0;
}

static bool is_vector(const char *name)
{
    static const char *const WORDS[] = { "vec", NULL };
    char low[ATX_MAX_WORD];
    lower(low, name);
    return has_any(low, WORDS);
}

/* THREADS_PER_ROW: threads of a warp, which its lanes are divided by. */
static bool is_part_of_warp(const atx_draft_param *p)
{
    static const char *const WORDS[] = { "threads_per", "threadsper", NULL };
    char low[ATX_MAX_WORD];
    lower(low, p->name);
    return p->axis < 0 && p->value <= 32 && has_any(low, WORDS);
}

/* Around what its author took: the author's first. */
static void add_around(atx_str *out, const atx_draft *d, const atx_draft_param *p)
{
    const long v = p->value;
    if (v == 0 || (v == 1 && p->kind == ATX_DRAFT_MACRO && is_switch(d, p->name)))
        atx_str_add(out, "0 1");
    else if (v == 1) /* of a vector that nobody knows: 16 bytes of floats at most */
        atx_str_add(out, p->guessed && is_vector(p->name) ? "1 2 4" : "1 2 4 8");
    else if (v < 0)
        atx_str_addf(out, "%ld", v);
    else if (is_power(v) && is_part_of_warp(p))
        for (long x = v > 4 ? v / 4 : 1; x <= 32 && x <= 2 * v; x *= 2)
            atx_str_addf(out, "%s%ld", x == 1 || x == v / 4 ? "" : " ", x);
    else if (is_power(v) && v <= 1 << 20)
        atx_str_addf(out, "%ld %ld %ld %ld", v / 2, v, 2 * v, 4 * v);
    else
        atx_str_addf(out, "%ld %ld", v, 2 * v);
}

static void add_listed(atx_str *out, const atx_draft_param *p)
{
    long all[ATX_DRAFT_VALUES + 1] = { p->value };
    int count = 1;
    for (int i = 0; i < p->value_count; i++)
        all[count++] = p->values[i];
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && all[k - 1] > all[k]; k--) {
            const long one = all[k];
            all[k] = all[k - 1];
            all[k - 1] = one;
        }
    for (int i = 0; i < count; i++)
        atx_str_addf(out, "%s%ld", i ? " " : "", all[i]);
}

void atx_draft_values(atx_str *out, const atx_draft *d, const atx_draft_param *p)
{
    const long bound = d->bound > 0 ? d->bound : 1024, most = bound > p->value ? bound : p->value;
    if (p->boolean) {
        atx_str_add(out, "false true");
    } else if (p->value_count) {
        add_listed(out, p);
    } else if (p->axis == 0 && p->value >= 32 && is_power(p->value)) {
        bool first = true;
        for (long v = p->value / 4 < 32 ? 32 : p->value / 4; v <= most && v <= 4 * p->value;
             v *= 2, first = false)
            atx_str_addf(out, "%s%ld", first ? "" : " ", v);
        if (first)
            atx_str_addf(out, "%ld", p->value);
    } else if (p->axis == 0 && 2 * p->value > most) {
        if (p->value % 64 == 0)
            atx_str_addf(out, "%ld ", p->value / 2);
        atx_str_addf(out, "%ld", p->value);
    } else {
        add_around(out, d, p);
    }
}
