/*
 * declarator.c - a kernel is the text between __global__ and the bracket of its parameters; the name of a
 * parameter is the last word of its declarator. In the type of a parameter every '<' opens the arguments of a
 * template; in its default value only one that is closed before the next '=' or logical operator.
 */
#include "source/declarator.h"

#include "util/options.h"

#include <string.h>

bool atx_code_read(atx_tokens *out, const char *text)
{
    return atx_tokens_read(out, text, strlen(text), &(atx_lex_options){ .active = true, .code = true });
}

static bool is_one_of(const atx_tokens *t, size_t i, const char *const *words)
{
    return i < t->count && atx_token_is_one_of(t->text, &t->items[i], words);
}

/* ---- kernels ---- */

static const char *const ATTRIBUTES[] = { "__launch_bounds__", "__cluster_dims__", "__block_size__",
                                          "__maxnreg__",       "__attribute__",    "__declspec",
                                          "alignas",           "__align__",        NULL };

/* Past a bracket and what it closes. */
static size_t skip_brackets(const atx_tokens *t, size_t open)
{
    const size_t close = atx_tokens_match(t, open);
    return close < t->count ? close + 1 : close;
}

/* Whether word i, before a bracket, is an attribute, or a macro for one: those are known, or stand before a
 * name with a bracket of its own. */
static bool is_attribute(const atx_tokens *t, size_t i)
{
    static const char *const BEHIND[] = { "noexcept", "requires", NULL }; /* and more of these */
    if (is_one_of(t, i, ATTRIBUTES))
        return true;
    for (size_t k = skip_brackets(t, i + 1); atx_tokens_is_word(t, k); k++)
        if (is_one_of(t, k, ATTRIBUTES) || is_one_of(t, k, BEHIND))
            return false;
        else if (atx_tokens_is(t, k + 1, "("))
            return true;
    return false;
}

/* Whether the '<' at token i is of the type before the name, as of enable_if<...>::type, and not of an
 * instance. */
static bool returns_type(const atx_tokens *t, size_t i)
{
    const size_t end = atx_tokens_is(t, i, "<") ? atx_tokens_match(t, i) : t->count;
    return end < t->count && (atx_tokens_is(t, end + 1, "::") || atx_tokens_is_word(t, end + 1));
}

/* The kernel whose __global__ is before token i. */
static bool read_kernel(atx_kernel_text *out, const atx_tokens *t, size_t i)
{
    bool named = false;
    while (i < t->count && !atx_tokens_is(t, i, "__global__")) {
        const bool bracket = atx_tokens_is(t, i + 1, "(");
        const bool scope =
            named && atx_tokens_is(t, i, "::") && atx_tokens_is_word(t, i + 1); /* void ns::k() */
        if (t->items[i].attribute || scope) {
            i++;
        } else if (atx_tokens_is_word(t, i) && bracket && is_attribute(t, i)) {
            i = skip_brackets(t, i + 1);
        } else if (atx_tokens_is_word(t, i)) {
            out->name = i++;
            named = true;
        } else if (named && returns_type(t, i)) {
            i = atx_tokens_match(t, i) + 1;
        } else {
            out->open = i;
            return named && atx_tokens_is(t, i, "(");
        }
    }
    return false;
}

/* Behind the end of what stands before a declaration. */
static size_t find_head(const atx_tokens *t, size_t i)
{
    static const char *const ENDS[] = { ";", "{", "}", "__global__", NULL };
    while (i && !is_one_of(t, i - 1, ENDS))
        i--;
    return i;
}

bool atx_code_kernel(atx_kernel_text *out, const atx_tokens *t, size_t *at)
{
    while (*at < t->count)
        if (atx_tokens_is(t, (*at)++, "__global__") && read_kernel(out, t, *at)) {
            out->head = find_head(t, *at - 1);
            return true;
        }
    return false;
}

/* ---- arguments ---- */

/* The element type that CUDA's words mean. */
static const char *type_of(const atx_tokens *t, size_t i, size_t end)
{
    static const struct {
        const char *word, *type;
    } TYPES[] = { { "float", "f32" },    { "double", "f64" },   { "__half", "f16" },
                  { "half", "f16" },     { "uint8_t", "u8" },   { "__nv_bfloat16", "bf16" },
                  { "int8_t", "i8" },    { "int16_t", "i16" },  { "uint16_t", "u16" },
                  { "int32_t", "i32" },  { "uint32_t", "u32" }, { "int64_t", "i64" },
                  { "uint64_t", "u64" }, { "size_t", "u64" } };
    bool is_unsigned = false, is_int = false, is_char = false, is_short = false;
    int longs = 0;
    for (; i < end; i++) {
        for (size_t k = 0; k < sizeof TYPES / sizeof *TYPES; k++)
            if (atx_tokens_is(t, i, TYPES[k].word))
                return TYPES[k].type;
        is_unsigned = is_unsigned || atx_tokens_is(t, i, "unsigned");
        is_int = is_int || atx_tokens_is(t, i, "int");
        is_char = is_char || atx_tokens_is(t, i, "char");
        is_short = is_short || atx_tokens_is(t, i, "short");
        longs += atx_tokens_is(t, i, "long");
    }
    if (is_char)
        return is_unsigned ? "u8" : "i8";
    if (is_short)
        return is_unsigned ? "u16" : "i16";
    if (longs)
        return is_unsigned ? "u64" : "i64";
    return is_unsigned ? "u32" : is_int ? "i32" : NULL;
}

/* In a value: the end of a template's arguments; the '<' itself where it compares. */
static size_t skip_angle(const atx_tokens *t, size_t open, size_t end, bool value)
{
    enum { MOST = 64 }; /* tokens of a list in a value, lest lists in lists cost quadratic time */
    static const char *const NOT_IN_LISTS[] = { "=", "&&", "||", NULL };
    const size_t close = atx_tokens_match(t, open);
    if (close >= end || (value && close - open > MOST))
        return open;
    for (size_t i = open; value && i < close; i = atx_tokens_opens(t, i) ? skip_brackets(t, i) : i + 1)
        if (is_one_of(t, i, NOT_IN_LISTS))
            return open;
    return close;
}

/* Where a sign stands that no bracket and no angle encloses; *value: behind an '='. */
static size_t find_sign(const atx_tokens *t, size_t begin, size_t end, const char *const *signs)
{
    bool value = false;
    for (size_t i = begin; i < end; i++) {
        if (is_one_of(t, i, signs) && !t->items[i].attribute)
            return i;
        value = value || atx_tokens_is(t, i, "=");
        if (atx_tokens_opens(t, i))
            i = atx_tokens_match(t, i);
        else if (atx_tokens_is(t, i, "<"))
            i = skip_angle(t, i, end, value);
    }
    return end;
}

size_t atx_code_comma(const atx_tokens *t, size_t begin, size_t end)
{
    static const char *const COMMA[] = { ",", NULL };
    return find_sign(t, begin, end, COMMA);
}

/* The token behind the bracket of "(*name", with which a pointer to a function or an array is declared. */
static size_t find_inner(const atx_tokens *t, size_t begin, size_t end)
{
    while (begin < end && !(atx_tokens_is(t, begin, "(") && atx_tokens_is(t, begin + 1, "*")))
        begin++;
    return begin < end ? begin + 1 : end;
}

/* false: there is none, `()` or `(void)`. */
static bool read_argument(atx_kernel_arg *a, const atx_tokens *t, size_t begin, size_t end)
{
    static const char *const STOP[] = { "=", "[", NULL };
    const size_t stop = find_sign(t, begin, end, STOP), inner = find_inner(t, begin, stop);
    size_t name = stop;
    bool plain = true; /* Pair<int> is no int */
    *a = (atx_kernel_arg){ 0 };
    for (size_t i = begin; i < stop && !(i > inner && atx_tokens_is(t, i, ")")); i++) {
        if (t->items[i].attribute)
            continue;
        a->pointer = a->pointer || atx_tokens_is(t, i, "*");
        a->constant = a->constant || (!a->pointer && atx_tokens_is(t, i, "const"));
        if (atx_tokens_is_word(t, i))
            name = i;
        if (atx_tokens_is(t, i, "<")) {
            plain = false;
            i = skip_angle(t, i, stop, false);
        }
    }
    if (name == stop)
        return false;
    a->pointer = a->pointer || (stop < end && atx_tokens_is(t, stop, "["));
    a->type = plain ? type_of(t, begin, name) : NULL;
    a->text = t->text + t->items[name].begin;
    a->len = atx_token_copy(a->name, sizeof a->name, t->text, &t->items[name]);
    if (a->len >= sizeof a->name)
        a->name[0] = '\0'; /* cut, it would be another name */
    return strcmp(a->name, "void") != 0;
}

int atx_code_args(atx_kernel_arg *out, int max, const atx_tokens *t, size_t open)
{
    const size_t end = atx_tokens_match(t, open);
    int count = 0;
    for (size_t at = open + 1; at < end;) {
        atx_kernel_arg a;
        const size_t comma = atx_code_comma(t, at, end);
        const bool is = read_argument(&a, t, at, comma);
        if (is && count == max)
            return -1;
        if (is)
            out[count++] = a;
        at = comma + 1;
    }
    return count;
}

/* ---- of a text as it is ---- */

/* The name in f, ns::f or f<float, 4>: a token of `kernel`. */
static atx_token plain_name(const char *kernel)
{
    atx_token name = { 0 };
    atx_lexer lexer = { .text = kernel, .len = strlen(kernel) };
    for (atx_token t; atx_lexer_next(&t, &lexer) && !atx_token_is(kernel, &t, "<");)
        if (t.kind == ATX_TOKEN_WORD)
            name = t;
    return name;
}

static bool is_kernel(const atx_tokens *t, const atx_kernel_text *k, const char *kernel)
{
    const atx_token wanted = plain_name(kernel), *name = &t->items[k->name];
    return wanted.end > wanted.begin && name->end - name->begin == wanted.end - wanted.begin &&
           memcmp(t->text + name->begin, kernel + wanted.begin, wanted.end - wanted.begin) == 0;
}

int atx_code_args_of(atx_kernel_arg *out, int max, const char *text, const char *kernel)
{
    atx_tokens code;
    atx_kernel_text k;
    int count = -1, found = 0;
    if (!atx_code_read(&code, text))
        return -1;
    for (size_t at = 0; found < 2 && atx_code_kernel(&k, &code, &at);)
        if (is_kernel(&code, &k, kernel)) {
            count = atx_code_args(out, max, &code, k.open);
            found++;
        }
    atx_tokens_clear(&code);
    return found == 1 ? count : -1;
}

const char *atx_code_parameter_word(const char *text, const char *kernel, const char *const *words)
{
    atx_tokens code;
    atx_kernel_text k;
    const char *found = NULL;
    if (!atx_code_read(&code, text))
        return NULL;
    for (size_t at = 0; !found && atx_code_kernel(&k, &code, &at);) {
        const size_t end = is_kernel(&code, &k, kernel) ? atx_tokens_match(&code, k.open) : k.open;
        for (size_t i = k.open; i < end && !found; i++)
            for (const char *const *word = words; *word && !found; word++)
                found = atx_tokens_is(&code, i, *word) ? *word : NULL;
    }
    atx_tokens_clear(&code);
    return found;
}

bool atx_code_is_template(const char *text, const char *kernel)
{
    atx_tokens code;
    atx_kernel_text k;
    bool is = false;
    if (!atx_code_read(&code, text))
        return false;
    for (size_t at = 0; !is && atx_code_kernel(&k, &code, &at);)
        for (size_t i = k.head; !is && i < at && is_kernel(&code, &k, kernel); i++)
            is = atx_tokens_is(&code, i, "template");
    atx_tokens_clear(&code);
    return is;
}

bool atx_code_nearest_kernel(char out[ATX_MAX_WORD], const char *text, const char *kernel)
{
    enum { MOST = 32 };
    char names[MOST][ATX_MAX_WORD], wanted[ATX_MAX_WORD];
    const char *list[MOST + 1] = { NULL };
    const atx_token plain = plain_name(kernel);
    atx_tokens code;
    atx_kernel_text k;
    int count = 0;
    if (!atx_code_read(&code, text))
        return false;
    for (size_t at = 0; count < MOST && atx_code_kernel(&k, &code, &at);) {
        list[count] = names[count];
        count += atx_token_copy(names[count], ATX_MAX_WORD, text, &code.items[k.name]) < ATX_MAX_WORD;
    }
    atx_tokens_clear(&code);
    list[count] = NULL;
    const bool whole = atx_token_copy(wanted, sizeof wanted, kernel, &plain) < sizeof wanted;
    const char *near = whole && *wanted ? atx_nearest(wanted, list) : NULL;
    if (!near && count == 1) /* there is no other */
        near = names[0];
    if (near)
        memcpy(out, near, ATX_MAX_WORD);
    return near != NULL;
}

/* ---- tokens ---- */

bool atx_code_same(const atx_tokens *t, size_t a, size_t b)
{
    const atx_token *x = &t->items[a], *y = &t->items[b];
    return x->end - x->begin == y->end - y->begin &&
           memcmp(t->text + x->begin, t->text + y->begin, x->end - x->begin) == 0;
}

bool atx_code_open(const atx_tokens *code, size_t i, size_t at)
{
    for (; i < at; i++)
        if (atx_tokens_is(code, i, "{")) {
            const size_t close = atx_tokens_match(code, i);
            if (close < at)
                i = close;
        } else if (atx_tokens_is(code, i, "}")) {
            return false;
        }
    return true;
}

/* ---- variables ---- */

bool atx_code_constant(atx_kernel_arg *out, size_t *behind, const atx_tokens *t, size_t *at)
{
    static const char *const NAME_END[] = { ";", "=", "{", "[", "(", ",", "__constant__", NULL },
                             *const END[] = { ";", "=", "{", "(", "__constant__", NULL };
    while (*at < t->count) {
        if (!atx_tokens_is(t, (*at)++, "__constant__"))
            continue;
        size_t from = *at;
        while (is_one_of(t, from, ATTRIBUTES) && atx_tokens_is(t, from + 1, "("))
            from = skip_brackets(t, from + 1);
        size_t name_end = find_sign(t, from, t->count, NAME_END), begin = from;
        const size_t past = atx_tokens_is(t, name_end, "(") ? skip_brackets(t, name_end) : t->count;
        if (atx_tokens_is_word(t, past)) { /* int __align__(8) c */
            begin = past;
            name_end = find_sign(t, begin, t->count, NAME_END);
        }
        const size_t end = find_sign(t, begin, t->count, END);
        const bool array = atx_tokens_is(t, name_end, "[");
        if (!atx_tokens_is(t, end, ";") || !(array || name_end == end || atx_tokens_is(t, name_end, ",")) ||
            !read_argument(out, t, from, name_end))
            continue;
        out->pointer = array;
        out->constant = true;
        *behind = name_end;
        return true;
    }
    return false;
}
