/*
 * adopt_template.c - how a kernel is called from outside, ns::f<T, TILE>: the braces before it tell its
 * namespaces, and the file's own launches what its template's arguments are. The first type of a buffer is T,
 * numbers that shape the code are parameters; everything else is as the launch has it.
 */
#include "exchange/adopt_guards.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- the parameters of the template ---- */

/* The '<' of the kernel's own template; 0: it is none. */
static size_t find_template(const atx_draft *d)
{
    const atx_tokens *t = &d->code;
    size_t found = 0, i = d->kernel_text.head;
    while (i < d->kernel_text.name)
        if (atx_tokens_is(t, i, "template") && atx_tokens_is(t, i + 1, "<")) {
            found = i + 1;
            i = atx_tokens_match(t, found);
        } else {
            i++;
        }
    return found;
}

static atx_meaning meaning_of(const atx_tokens *t, size_t begin, size_t end)
{
    static const struct {
        const char *word;
        atx_meaning meaning;
    } WORDS[] = { { "typename", ATX_MEANS_TYPE },   { "class", ATX_MEANS_TYPE },
                  { "bool", ATX_MEANS_TRUTH },      { "int", ATX_MEANS_NUMBER },
                  { "unsigned", ATX_MEANS_NUMBER }, { "long", ATX_MEANS_NUMBER },
                  { "size_t", ATX_MEANS_NUMBER },   { "uint32_t", ATX_MEANS_NUMBER },
                  { "int32_t", ATX_MEANS_NUMBER },  { "uint", ATX_MEANS_NUMBER },
                  { "int64_t", ATX_MEANS_NUMBER },  { "short", ATX_MEANS_NUMBER },
                  { "uint64_t", ATX_MEANS_NUMBER }, { "uint16_t", ATX_MEANS_NUMBER } };
    if (atx_tokens_is(t, begin, "template") || atx_tokens_find(t, begin, end, "(") < end)
        return ATX_MEANS_OTHER;
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
            if (atx_tokens_is(t, i, WORDS[k].word))
                return WORDS[k].meaning;
    return ATX_MEANS_OTHER;
}

/* One parameter, "int TILE = 16". */
static void read_targ(atx_draft_targ *a, const atx_tokens *t, size_t begin, size_t end)
{
    const size_t equal = atx_tokens_find(t, begin, end, "=");
    *a = (atx_draft_targ){ .meaning = meaning_of(t, begin, equal) };
    if (equal > begin + 1 && atx_tokens_is_word(t, equal - 1))
        atx_draft_word(a->name, t, equal - 1);
    for (size_t i = begin; i < equal; i++)
        a->pack = a->pack || atx_tokens_is(t, i, "...");
    if (equal < end)
        a->preset = (atx_span){ equal + 1, end };
}

void atx_draft_targs(atx_draft *d)
{
    const atx_tokens *t = &d->code;
    const size_t open = find_template(d), end = open ? atx_tokens_match(t, open) : 0;
    for (size_t at = open + 1, comma; at < end && d->targ_count < ATX_DRAFT_TARGS; at = comma + 1) {
        comma = atx_code_comma(t, at, end);
        read_targ(&d->targs[d->targ_count++], t, at, comma);
    }
}

/* ---- what stands for them ---- */

/* What the file's launch has; else the first instance that it names: template __global__ void f<float,
 * 4>(...); or an argument of a function that launches it. */
static void take_given(atx_draft *d)
{
    const atx_tokens *t = &d->code;
    atx_span list = { d->launch.list, d->launch.list_end };
    size_t from = d->launch.at, place = 0;
    if (!d->launched || list.begin >= list.end) {
        if (!atx_draft_next_mention(&list, d, &place))
            return;
        from = list.begin;
    }
    for (size_t at = list.begin, n = 0; at < list.end && n < (size_t)d->targ_count; n++) {
        atx_draft_targ *a = &d->targs[n];
        a->given = (atx_span){ at, a->pack ? list.end : atx_code_comma(t, at, list.end) };
        at = a->given.end + 1;
        if (!a->pack)
            a->given = atx_draft_instance(d, a->given, from);
    }
}

/* The type that a word stands for which the launch gives alone: scalar_t of k<scalar_t, Op<scalar_t>>, where
 * only a macro around the launch says it. NULL: none. */
static const char *type_given_as(const atx_draft *d, size_t word)
{
    atx_draft_type type;
    for (int k = 0; k < d->targ_count; k++) {
        const atx_draft_targ *a = &d->targs[k];
        if (a->meaning != ATX_MEANS_TYPE || !a->text[0] || a->given.end != a->given.begin + 1 ||
            a->given.begin == word || !atx_code_same(&d->code, a->given.begin, word))
            continue;
        atx_draft_type_of(&type, d, word, word + 1);
        return type.dtype || type.structure ? NULL : a->text;
    }
    return NULL;
}

/* Names that mean the same everywhere in the file: no argument of a template that is around the launch. */
static bool is_plain(const atx_draft *d, atx_span span)
{
    const atx_tokens *t = &d->code;
    for (size_t i = span.begin; i < span.end; i++) {
        if (!atx_tokens_is_word(t, i))
            continue;
        bool known = false;
        char word[ATX_MAX_WORD];
        atx_draft_type type;
        atx_span value;
        atx_draft_word(word, t, i);
        atx_draft_type_of(&type, d, i, i + 1);
        known = type.dtype || type.structure || atx_draft_find_macro(d, word) ||
                atx_tokens_is(t, i + 1, "::") || (i && atx_tokens_is(t, i - 1, "::")) ||
                strcmp(word, "true") == 0 || strcmp(word, "false") == 0 ||
                atx_draft_definition(&value, d, word, d->launch.at);
        known = known || atx_draft_is_enumerator(t, word) || atx_draft_find_function(d, word) ||
                type_given_as(d, i);
        if (!known)
            return false;
    }
    return span.begin < span.end;
}

/* Where a type or a namespace of that name is declared: the token; 0: nowhere. */
static size_t find_declared(const atx_draft *d, size_t word)
{
    static const char *const HEADS[] = { "struct", "class", "enum", "union", "namespace", "using", NULL },
                             *const BODIES[] = { "{", ":", "=", NULL };
    const atx_tokens *t = &d->code;
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, word);
    for (size_t i = 0; name[0] && i + 2 < t->count; i++)
        if (atx_token_is_one_of(t->text, &t->items[i], HEADS) && atx_tokens_is(t, i + 1, name) &&
            atx_token_is_one_of(t->text, &t->items[i + 2], BODIES))
            return i;
    return 0;
}

/* "a::b::" of the namespaces that its first name is declared in: the compiler asks for it from outside of
 * all. */
static size_t qualify(char out[ATX_DRAFT_EXPR], const atx_draft *d, atx_span span)
{
    const size_t declared = span.begin < span.end ? find_declared(d, span.begin) : 0;
    atx_str spaces = { 0 };
    out[0] = '\0';
    if (declared)
        atx_draft_namespaces(&spaces, d, declared, "");
    if (spaces.len < ATX_DRAFT_EXPR)
        snprintf(out, ATX_DRAFT_EXPR, "%s", atx_str_text(&spaces));
    atx_str_clear(&spaces);
    return strlen(out);
}

/* The last '>' of k<Op<float>> is no token of its own. */
static void copy_span(char out[ATX_DRAFT_EXPR], const atx_draft *d, atx_span span)
{
    size_t n = qualify(out, d, span);
    int open = 0;
    for (size_t i = span.begin; i < span.end; i++) {
        const atx_token *token = &d->code.items[i];
        const bool blank = i > span.begin && token->blank;
        const char *type = type_given_as(d, i), *text = type ? type : d->code.text + token->begin;
        const size_t len = type ? strlen(type) : token->end - token->begin;
        if (n + blank + len + 1 >= ATX_DRAFT_EXPR)
            break;
        n += (size_t)snprintf(out + n, ATX_DRAFT_EXPR - n, "%s%.*s", blank ? " " : "", (int)len, text);
        open += atx_tokens_is(&d->code, i, "<") - atx_tokens_is(&d->code, i, ">");
    }
    if (open == 1 && span.end < d->code.count && atx_tokens_is(&d->code, span.end, ">>") &&
        n + 1 < ATX_DRAFT_EXPR)
        snprintf(out + n, ATX_DRAFT_EXPR - n, ">");
}

/* Whether a buffer is of this argument. */
static bool is_of_buffer(const atx_draft *d, int targ)
{
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].stars && d->args[i].type.targ == targ)
            return true;
    return false;
}

/* Whether the kernel chooses elements by this name, or by an element of it: p[name], p[name[i] + 1]. */
static bool is_subscript(const atx_draft *d, const char *name)
{
    const atx_tokens *t = &d->code;
    for (size_t i = d->kernel_text.open; i < d->body_end; i++)
        if (atx_tokens_is(t, i, "[") && atx_tokens_match(t, i) < d->body_end)
            for (size_t k = i + 1; k < atx_tokens_match(t, i); k++)
                if (atx_tokens_is(t, k, name) && !atx_guards_member(t, k))
                    return true;
    return false;
}

/* Whether a type that the file does not say seems to be one of integers: by its name, or as what is declared
 * with it chooses elements. */
static bool seems_whole(const atx_draft *d, int n)
{
    static const char *const BEGINS[] = { "Id", "id", "Int", "int", NULL }, *const HAVE[] = {
        "Idx", "idx", "IDX", "Index", "index", "Offset", "offset", NULL
    };
    const atx_tokens *t = &d->code;
    const char *name = d->targs[n].name;
    bool whole = false;
    for (int k = 0; BEGINS[k] && !whole; k++)
        whole = strncmp(name, BEGINS[k], strlen(BEGINS[k])) == 0;
    for (int k = 0; HAVE[k] && !whole; k++)
        whole = strstr(name, HAVE[k]) != NULL;
    for (int k = 0; k < d->arg_count && !whole; k++)
        whole = d->args[k].type.targ == n && is_subscript(d, d->args[k].arg.name);
    for (size_t i = d->kernel_text.open; name[0] && i < d->body_end && !whole; i++) {
        char local[ATX_MAX_WORD];
        atx_draft_word(local, t, i + 1);
        whole =
            atx_tokens_is(t, i, name) && atx_tokens_is_word(t, i + 1) && local[0] && is_subscript(d, local);
    }
    return whole;
}

/* Whether it is the only type of buffers. */
static bool is_alone(const atx_draft *d, int n)
{
    for (int k = 0; k < d->targ_count; k++)
        if (k != n && d->targs[k].meaning == ATX_MEANS_TYPE && is_of_buffer(d, k))
            return false;
    return true;
}

/* k<double2>, k<Body>: arguments of that type are vectors or structs. */
static void take_type(atx_draft *d, int n, const atx_draft_type *type)
{
    for (int k = 0; k < d->arg_count && (type->dtype || type->structure); k++)
        if (d->args[k].type.targ == n)
            d->args[k].type = *type;
}

static void write_type(atx_draft *d, int n, bool *have_t)
{
    atx_draft_targ *a = &d->targs[n];
    atx_draft_type type = { .dtype = NULL };
    const atx_span from = a->given.begin < a->given.end ? a->given : a->preset;
    atx_dtype dtype;
    at_error ignored;
    if (from.begin < from.end)
        atx_draft_type_of(&type, d, from.begin, from.end);
    const bool known = type.dtype && type.lanes == 1 && strcmp(type.dtype, "bool") != 0 &&
                       atx_dtype_parse(&dtype, type.dtype, strlen(type.dtype), &ignored) == AT_OK;
    if (known)
        a->dtype = type.dtype;
    if (!known && is_plain(d, from)) {
        copy_span(a->text, d, from);
        take_type(d, n, &type);
        return;
    }
    a->asked = !known;
    const bool whole = !known && seems_whole(d, n), other = *have_t || !is_of_buffer(d, n);
    if (whole) {
        a->dtype = "i32";
        dtype = ATX_I32;
    }
    if ((known && other) || (whole && (other || !is_alone(d, n)))) {
        snprintf(a->text, sizeof a->text, "%s", atx_dtype_cuda(dtype, false));
        return;
    }
    *have_t = *have_t || is_of_buffer(d, n);
    snprintf(a->text, sizeof a->text, "T");
}

/* A value of the name in each instance that the file names. */
static void add_values(atx_draft *d, int n, atx_draft_param *p)
{
    atx_span list;
    for (size_t at = 0; atx_draft_next_mention(&list, d, &at);) {
        size_t begin = list.begin;
        long value = 0;
        for (int k = 0; k < n && begin < list.end; k++)
            begin = atx_code_comma(&d->code, begin, list.end) + 1;
        if (begin >= list.end || p->value_count == ATX_DRAFT_VALUES ||
            !atx_draft_number(&value, d, &d->code,
                              (atx_span){ begin, atx_code_comma(&d->code, begin, list.end) }))
            continue;
        bool known = value == p->value;
        for (int k = 0; k < p->value_count; k++)
            known = known || p->values[k] == value;
        if (!known)
            p->values[p->value_count++] = value;
    }
}

/* wmma::fragment<matrix_a, M, N, K, T>, which is there for few numbers: whether the name is one of these. */
static bool is_of_fragment(const atx_draft *d, const char *name)
{
    const atx_tokens *t = &d->code;
    for (size_t i = d->kernel_text.open; i < d->body_end; i++)
        if (atx_tokens_is(t, i, "fragment") && atx_tokens_is(t, i + 1, "<") &&
            atx_tokens_match(t, i + 1) < d->body_end)
            for (size_t k = i + 2; k < atx_tokens_match(t, i + 1); k++)
                if (atx_tokens_is(t, k, name))
                    return true;
    return false;
}

/* Whether it sizes what a block works on: by its name or its use, or since the grid is a quotient of what the
 * launch calls it. */
static bool is_tile(const atx_draft *d, const atx_draft_targ *a)
{
    char called[ATX_MAX_WORD] = "";
    if (a->given.end == a->given.begin + 1)
        atx_draft_word(called, &d->code, a->given.begin);
    return !is_of_fragment(d, a->name) && (atx_draft_shapes(d, a->name) || atx_draft_divides_grid(d, called));
}

/* Whether the file launches the kernel with blocks of that name: k<SIZE><<<grid, SIZE>>>. */
static bool is_block(const atx_draft *d, atx_span given)
{
    enum { MOST_NAMES = 4 };
    const atx_tokens *t = &d->code;
    char name[ATX_MAX_WORD];
    if (!d->launched || d->launch.config_count < 2 || given.end != given.begin + 1 ||
        !atx_tokens_is_word(t, given.begin))
        return false;
    atx_span block = { d->launch.config[1][0], d->launch.config[1][1] };
    for (int k = 0; k < MOST_NAMES && block.end == block.begin + 1; k++) {
        if (atx_code_same(t, block.begin, given.begin))
            return true;
        atx_draft_word(name, t, block.begin);
        if (!name[0] || !atx_draft_definition(&block, d, name, d->launch.at))
            return false;
    }
    return false;
}

/* Whether the launch's block, or what that is defined as, has the word at token `by`. */
static bool is_of_block(const atx_draft *d, size_t by)
{
    const atx_tokens *t = &d->code;
    char name[ATX_MAX_WORD];
    if (!d->launched || d->launch.config_count < 2)
        return false;
    atx_span span = { d->launch.config[1][0], d->launch.config[1][1] };
    for (int n = 0; n < 2; n++) {
        for (size_t i = span.begin; i < span.end; i++)
            if (atx_code_same(t, i, by))
                return true;
        atx_draft_word(name, t, span.begin);
        if (span.end != span.begin + 1 || !atx_draft_definition(&span, d, name, d->launch.at))
            return false;
    }
    return false;
}

/* Whether the host chooses an argument of the template by what it is asked for: case 4: k<4>...; if (c == 4)
 * k<4>... But not by the block that it launches. */
static bool is_chosen(const atx_draft *d, size_t at, long value)
{
    static const char *const ENDS[] = { ";", "{", "}", ":", NULL };
    const atx_tokens *t = &d->code;
    size_t begin = at, by = 0;
    long number = 0;
    while (begin && !atx_token_is_one_of(t->text, &t->items[begin - 1], ENDS))
        begin--;
    if (begin >= 3 && atx_tokens_is(t, begin - 1, ":") && atx_tokens_is(t, begin - 3, "case") &&
        atx_draft_plain_number(&number, t, begin - 2) && number == value) {
        const size_t open = atx_guards_around(t, 0, begin);
        by =
            open != SIZE_MAX && open > 2 && atx_tokens_is(t, open - 1, ")") ? t->items[open - 1].pair + 1 : 0;
    }
    const size_t brace = begin && atx_tokens_is(t, begin - 1, "{") ? begin - 1 : at;
    for (size_t i = begin > 8 ? begin - 8 : 0; i < at && !by; i++)
        if (atx_tokens_is(t, i, "==") && atx_draft_plain_number(&number, t, i + 1) && number == value &&
            atx_tokens_is(t, i + 2, ")") && (i > begin || i + 3 == brace))
            by = i - 1;
    char name[ATX_MAX_WORD];
    if (!by || is_of_block(d, by))
        return false;
    atx_draft_word(name, t, by);
    for (char *c = name; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    return !strstr(name, "block") && !strstr(name, "thread");
}

/* k<BLOCK_SIZE> of a macro that is a parameter: that one. */
static bool write_macro(const atx_draft *d, atx_draft_targ *a)
{
    for (int i = 0; i < d->param_count; i++)
        if (a->given.end == a->given.begin + 1 && d->params[i].kind == ATX_DRAFT_MACRO &&
            atx_tokens_is(&d->code, a->given.begin, d->params[i].name)) {
            snprintf(a->text, sizeof a->text, "%s", atx_draft_param_line(&d->params[i]));
            return true;
        }
    return false;
}

/* Whether another argument of the template is the logarithm of one: k<16, 4> of SIZE, LOG_SIZE. */
static bool has_log(const atx_draft *d, int n, long value)
{
    for (int k = 0; k < d->targ_count; k++) {
        const atx_draft_targ *a = &d->targs[k];
        long log = 0;
        if (k != n && (strstr(a->name, "log") || strstr(a->name, "LOG") || strstr(a->name, "Log")) &&
            atx_draft_number(&log, d, &d->code, a->given.begin < a->given.end ? a->given : a->preset) &&
            log > 0 && log < 31 && value == 1L << log)
            return true;
    }
    return false;
}

static void write_number(atx_draft *d, int n)
{
    atx_draft_targ *a = &d->targs[n];
    if (a->meaning == ATX_MEANS_NUMBER && write_macro(d, a))
        return;
    const bool has_given = a->given.begin < a->given.end;
    const atx_span from = has_given ? a->given : a->preset;
    long value = 0;
    const bool known = atx_draft_number(&value, d, &d->code, from);
    const bool block = a->meaning == ATX_MEANS_NUMBER && has_given && is_block(d, a->given);
    const int axis = block ? 0 : a->meaning == ATX_MEANS_NUMBER ? atx_draft_block_axis(a->name) : -1;
    atx_draft_param p = { .kind = ATX_DRAFT_TARG, .axis = axis, .guessed = !known };
    if (!known)
        value = axis == 0 ? 256 : axis > 0 ? 8 : strcasecmp(a->name, "WARP_SIZE") == 0 ? 32 : 1;
    p.value = value;
    if (a->meaning == ATX_MEANS_TRUTH) {
        p.boolean = true;
        p.value = atx_tokens_is(&d->code, from.begin, "true") || value == 1;
        snprintf(a->text, sizeof a->text, "%s", p.value ? "true" : "false");
        if (has_given &&
            (atx_tokens_is(&d->code, from.begin, "true") || atx_tokens_is(&d->code, from.begin, "false")))
            return; /* as its author has it */
    } else {
        snprintf(a->text, sizeof a->text, "%ld", value);
        if (known && axis < 0 && (!is_tile(d, a) || is_chosen(d, from.begin, value) || has_log(d, n, value)))
            return;
        add_values(d, n, &p);
    }
    a->asked = !known && !p.boolean;
    if (d->param_count == ATX_DRAFT_PARAMS || !a->name[0])
        return;
    memcpy(p.name, a->name, sizeof p.name);
    atx_draft_free_name(p.line, d, a->name);
    snprintf(a->text, sizeof a->text, "%s", p.line);
    d->params[d->param_count++] = p;
}

/* Whether a number that the kernel is given is in it: no argument of a template is made of that. */
static bool names_size(const atx_draft *d, const char *text)
{
    bool names = false;
    for (int k = 0; k < d->arg_count; k++)
        names = names || (!d->args[k].stars && atx_draft_names_word(text, d->args[k].name));
    return names;
}

/* THREADS of k<BM, BN, THREADS>, where the host computes it: THREADS = BM * BN / 64. */
static void derive_number(atx_draft *d, int n)
{
    atx_draft_targ *a = &d->targs[n];
    atx_span value;
    char name[ATX_MAX_WORD];
    atx_str text = { 0 };
    atx_draft_param *p = atx_draft_find_param(d, a->name);
    if (!p || p->kind != ATX_DRAFT_TARG || a->given.end != a->given.begin + 1)
        return;
    atx_draft_word(name, &d->code, a->given.begin);
    if (!atx_draft_definition(&value, d, name, d->launch.at) || value.end == value.begin + 1)
        return;
    const atx_draft_param before = *p;
    const size_t at = (size_t)(p - d->params);
    memmove(p, p + 1, ((size_t)d->param_count - at - 1) * sizeof *p);
    d->param_count--;
    if (atx_draft_expression(&text, d, value, 0) && text.len + 3 < sizeof a->text &&
        atx_draft_names_param(d, text.data) && !names_size(d, text.data)) {
        snprintf(a->text, sizeof a->text, "(%s)", text.data);
    } else {
        memmove(&d->params[at + 1], &d->params[at], ((size_t)d->param_count - at) * sizeof *p);
        d->params[at] = before;
        d->param_count++;
    }
    atx_str_clear(&text);
}

/* The word before an argument of the template, where it is the name of an enum; 0: it is none. */
static size_t find_enum(const atx_draft *d, const atx_draft_targ *a)
{
    atx_draft_type type;
    for (size_t i = d->kernel_text.head + 1; i < d->kernel_text.name && a->name[0]; i++)
        if (atx_tokens_is(&d->code, i, a->name)) {
            atx_draft_type_of(&type, d, i - 1, i);
            return type.dtype && !type.structure ? i - 1 : 0;
        }
    return 0;
}

static void write_other(atx_draft *d, int n)
{
    atx_draft_targ *a = &d->targs[n];
    const atx_span from = a->given.begin < a->given.end ? a->given : a->preset;
    const size_t type = find_enum(d, a);
    char name[ATX_DRAFT_EXPR] = "";
    if (type)
        copy_span(name, d, (atx_span){ type, type + 1 });
    a->asked = !is_plain(d, from);
    if (!a->asked)
        copy_span(a->text, d, from);
    else if (name[0] && strlen(name) + 4 < sizeof a->text)
        snprintf(a->text, sizeof a->text, "(%s)0", name);
    else
        d->asks_arguments = true;
}

/* Also a launch k<T, Args...> says nothing. */
static at_status refuse_pack(const atx_draft *d)
{
    for (const atx_draft_targ *a = d->targs; a < d->targs + d->targ_count; a++)
        if (a->pack && (a->given.begin >= a->given.end || atx_tokens_is(&d->code, a->given.end - 1, "...")))
            return atx_fail(d->err, AT_ERR_INPUT,
                            "%s: found %s, a template of any number of arguments (%s...), and no launch in "
                            "the file that says them; expected a launch NAME<...><<<...>>>, or an instance",
                            atx_draft_place(d, &d->code.items[d->kernel_text.name]).text, d->kernel, a->name);
    return AT_OK;
}

/* k<float *>: what is of that type is a pointer. */
static void write_pointer(atx_draft *d, int n, bool *have_t)
{
    atx_draft_targ *a = &d->targs[n];
    bool constant = false;
    const size_t end = a->given.end;
    if (a->given.begin < end && atx_tokens_is(&d->code, end - 1, "*"))
        a->given.end = end - 1;
    for (int k = 0; k < d->arg_count && a->given.end < end; k++)
        d->args[k].stars += d->args[k].type.targ == n;
    for (size_t i = a->given.begin; i < a->given.end; i++)
        constant = constant || atx_tokens_is(&d->code, i, "const");
    write_type(d, n, have_t);
    if (a->given.end == end)
        return;
    for (int k = 0; k < d->arg_count; k++)
        d->args[k].arg.constant = d->args[k].arg.constant || (constant && d->args[k].type.targ == n);
    const size_t len = strlen(a->text);
    snprintf(a->text + len, sizeof a->text - len, "%s *", constant ? " const" : "");
}

void atx_draft_template_types(atx_draft *d)
{
    bool have_t = false;
    take_given(d);
    for (int n = 0; n < d->targ_count; n++)
        if (d->targs[n].meaning == ATX_MEANS_TYPE && !d->targs[n].pack)
            write_pointer(d, n, &have_t);
}

at_status atx_draft_template(atx_draft *d)
{
    atx_str called = { 0 };
    at_status status = d->in->space ? AT_OK : refuse_pack(d);
    if (status != AT_OK)
        return status;
    atx_draft_namespaces(&called, d, d->kernel_text.open, "");
    atx_str_add(&called, d->kernel);
    d->asks_arguments = d->in->space && d->targ_count;
    const int count = d->in->space ? 0 : d->targ_count;
    for (int n = 0; n < count; n++) {
        const atx_meaning m = d->targs[n].meaning;
        if (d->targs[n].pack)
            copy_span(d->targs[n].text, d, d->targs[n].given);
        else if (m == ATX_MEANS_OTHER)
            write_other(d, n);
        else if (m != ATX_MEANS_TYPE)
            write_number(d, n);
    }
    for (int n = 0; n < count && d->launched; n++)
        derive_number(d, n);
    for (int n = 0; n < count && !d->asks_arguments; n++)
        atx_str_addf(&called, "%s%s%s", n ? ", " : "<", d->targs[n].text, n + 1 == count ? ">" : "");
    atx_draft_mangle(&called, d);
    if (!called.failed && called.len >= sizeof d->called)
        status = atx_fail(d->err, AT_ERR_INPUT,
                          "%s: found %s, whose full name has %zu characters; expected at most %d",
                          atx_draft_place(d, &d->code.items[d->kernel_text.name]).text, d->kernel, called.len,
                          ATX_MAX_KERNEL - 1);
    snprintf(d->called, sizeof d->called, "%s", atx_str_text(&called));
    status = status == AT_OK ? atx_str_status(&called, d->err) : status;
    atx_str_clear(&called);
    return status;
}
