/*
 * declare.c - what blocks of ops and of templates have in common: names, requirements, grid and block;
 * lets are declare_let.c's.
 *
 * A block is read line by line through a table of keywords, which says which lines may stand there
 * more than once, must not be missing, or come after which. A name gets its slot at its declaration
 * and is known from there on: lets can only read what is above them, so evaluating them in order is
 * enough, and there are no circles.
 */
#include "declare/declare.h"

#include <stdlib.h>
#include <string.h>

#include "declare/declare_parts.h"
#include "util/str.h"

const char *const atx_limit_names[] = {
    "cc",
    "sms",
    "warp_size",
    "max_threads_per_block",
    "max_shared_bytes",
    "max_static_shared_bytes",
    "max_registers_per_block",
    "max_grid_x",
    "l2_bytes",
    "memory_bytes",
};

_Static_assert(sizeof atx_limit_names / sizeof *atx_limit_names == ATX_LIMIT_COUNT, "a name for each limit");
_Static_assert(sizeof(atx_limits) == ATX_LIMIT_COUNT * sizeof(int64_t),
               "atx_limits is ATX_LIMIT_COUNT integers");

/* ---- names ---- */

/* Names that mean something in CUDA C++ or in declarations. */
static const char *const RESERVED[] = {
    "NULL",         "T",         "alignas",
    "alignof",      "and",       "and_eq",
    "asm",          "assert",    "auto",
    "bitand",       "bitor",     "blockDim",
    "blockIdx",     "bool",      "break",
    "case",         "catch",     "char",
    "char16_t",     "char32_t",  "char8_t",
    "class",        "clock",     "clock64",
    "co_await",     "co_return", "co_yield",
    "compl",        "concept",   "const",
    "const_cast",   "consteval", "constexpr",
    "constinit",    "continue",  "cudaError_t",
    "cudaStream_t", "decltype",  "default",
    "defined",      "delete",    "device",
    "dim3",         "do",        "double",
    "dynamic_cast", "else",      "enum",
    "explicit",     "export",    "extern",
    "false",        "float",     "for",
    "free",         "friend",    "goto",
    "gridDim",      "if",        "inline",
    "int",          "int16_t",   "int32_t",
    "int64_t",      "int8_t",    "long",
    "main",         "malloc",    "memcpy",
    "memset",       "mutable",   "namespace",
    "new",          "noexcept",  "not",
    "not_eq",       "nullptr",   "operator",
    "or",           "or_eq",     "printf",
    "private",      "protected", "ptrdiff_t",
    "public",       "register",  "reinterpret_cast",
    "requires",     "restrict",  "return",
    "short",        "signed",    "size_t",
    "sizeof",       "static",    "static_assert",
    "static_cast",  "std",       "struct",
    "switch",       "template",  "this",
    "thread_local", "threadIdx", "throw",
    "true",         "try",       "typedef",
    "typeid",       "typename",  "uint16_t",
    "uint32_t",     "uint64_t",  "uint8_t",
    "union",        "unsigned",  "using",
    "virtual",      "void",      "volatile",
    "warpSize",     "wchar_t",   "while",
    "xor",          "xor_eq",
};

/* uint4, float2, longlong1 ... */
static bool is_vector_type(const char *name)
{
    static const char *const OF[] = { "char", "short", "int", "long", "longlong", "float", "double" };
    size_t n = strlen(name);
    if (!n || name[n - 1] < '1' || name[n - 1] > '4')
        return false;
    for (size_t i = 0; i < sizeof OF / sizeof *OF; i++) {
        size_t len = strlen(OF[i]);
        const char *at = name + (name[0] == 'u');
        if ((size_t)(name + n - at) == len + 1 && memcmp(at, OF[i], len) == 0 && at[len] >= '1' &&
            at[len] <= '4')
            return true;
    }
    return false;
}

/* RESERVED is in the order of first letters. */
static bool is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof RESERVED / sizeof *RESERVED && RESERVED[i][0] <= name[0]; i++)
        if (RESERVED[i][0] == name[0] && strcmp(RESERVED[i], name) == 0)
            return true;
    return atx_expr_is_function(name, strlen(name)) || is_vector_type(name) || strncmp(name, "__", 2) == 0 ||
           strncmp(name, "AUTOTUNE", 8) == 0;
}

static uint8_t tag_of(const char *name, size_t len)
{
    return len ? (uint8_t)(31 * len + 7 * (size_t)(unsigned char)name[0] + (unsigned char)name[len - 1]) : 0;
}

int atx_symbols_find(const void *symbols, const char *name, size_t len)
{
    const atx_symbols *s = symbols;
    const uint8_t *end = s->tags + s->count, *at = s->tags;
    uint8_t tag = tag_of(name, len);
    for (; (at = memchr(at, tag, (size_t)(end - at))) != NULL; at++) {
        const char *known = atx_symbol_name(s, (int)(at - s->tags));
        if (strncmp(known, name, len) == 0 && known[len] == '\0')
            return (int)(at - s->tags);
    }
    return -1;
}

at_status atx_put_symbol(atx_symbols *symbols, const char *name, at_error *err)
{
    size_t len = strlen(name);
    symbols->begins[symbols->count] = (uint16_t)symbols->text.len;
    symbols->tags[symbols->count++] = tag_of(name, len);
    atx_str_add_bytes(&symbols->text, name, len + 1);
    return atx_str_status(&symbols->text, err);
}

at_status atx_symbols_copy(atx_symbols *out, const atx_symbols *from, at_error *err)
{
    *out = *from;
    out->text = (atx_str){ 0 };
    atx_str_add_bytes(&out->text, from->text.data, from->text.len);
    return atx_str_status(&out->text, err);
}

void atx_symbols_clear(atx_symbols *symbols)
{
    atx_str_clear(&symbols->text);
    symbols->count = 0;
}

at_status atx_add_symbol(int *slot, atx_symbols *symbols, const char *name, const atx_lines *lines,
                         const char *at)
{
    if (strlen(name) >= ATX_MAX_NAME)
        return atx_lines_fail(lines, at, "found '%s', a name of %zu characters; expected at most %d", name,
                              strlen(name), ATX_MAX_NAME - 1);
    if (is_reserved(name))
        return atx_lines_fail(lines, at, "found '%s'; expected a name that C++, CUDA and autotune leave free",
                              name);
    if (atx_symbols_find(symbols, name, strlen(name)) >= 0 ||
        atx_index_find(&symbols->indices, name, strlen(name)))
        return atx_lines_fail(lines, at, "found '%s' a second time; expected a new name", name);
    if (symbols->count == ATX_MAX_SLOTS)
        return atx_lines_fail(lines, at, "found more than %d names; expected fewer parameters, words or lets",
                              ATX_MAX_SLOTS);
    *slot = symbols->count;
    return atx_put_symbol(symbols, name, lines->err);
}

at_status atx_read_assigned_name(char out[ATX_MAX_NAME], const char **at, atx_lines *lines)
{
    *at = lines->at;
    at_status status = atx_lines_name(out, lines, "a name");
    return status == AT_OK ? atx_lines_take(lines, "=", NULL) : status;
}

at_status atx_read_plain_name(char out[ATX_MAX_NAME], atx_lines *lines)
{
    static const char EXPECTED[] = "a name of a-z, 0-9 and _ that starts with a letter";
    const char *at = lines->at;
    at_status status = atx_lines_name(out, lines, EXPECTED);
    if (status != AT_OK)
        return status;
    if (out[0] == '_' || strspn(out, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(out))
        return atx_lines_fail(lines, at, "found '%s'; expected %s", out, EXPECTED);
    return AT_OK;
}

at_status atx_read_free_name(char out[ATX_MAX_NAME], atx_lines *lines, const char *expected)
{
    const char *at = lines->at;
    at_status status = atx_lines_name(out, lines, expected);
    if (status == AT_OK && is_reserved(out))
        status = atx_lines_fail(lines, at,
                                "found '%s'; expected a name that C++, CUDA and autotune leave free", out);
    return status;
}

/* ---- lines by their keyword ---- */

static const atx_keyword *find_keyword(const atx_keyword *keywords, const char *word, size_t len)
{
    for (; keywords->word; keywords++)
        if (strncmp(keywords->word, word, len) == 0 && keywords->word[len] == '\0')
            return keywords;
    return NULL;
}

static at_status fail_unknown_keyword(const atx_lines *lines, const atx_keyword *keywords)
{
    char list[600] = "one of";
    for (; keywords->word; keywords++) {
        strcat(list, " "); /* the tables hold a dozen short words */
        strcat(list, keywords->word);
    }
    return atx_lines_expected(lines, list);
}

/* One line; `seen` holds a bit for each row of the table. */
static at_status read_keyword(atx_lines *lines, const atx_keyword *keywords, unsigned *seen, void *target)
{
    size_t len = atx_lines_word(lines);
    const atx_keyword *k = find_keyword(keywords, lines->at, len);
    if (!k)
        return fail_unknown_keyword(lines, keywords);

    unsigned bit = 1u << (k - keywords);
    if (k->once && (*seen & bit))
        return atx_lines_fail(lines, lines->at, "found a second '%s' line; expected one", k->word);
    if (k->after && !(*seen & 1u << (find_keyword(keywords, k->after, strlen(k->after)) - keywords)))
        return atx_lines_fail(lines, lines->at, "found '%s'; expected '%s' before it", k->word, k->after);
    *seen |= bit;

    atx_lines_skip(lines, len);
    at_status status = k->read(lines, target);
    if (status == AT_OK && !atx_lines_at_end(lines))
        status =
            atx_lines_expected(lines, atx_lines_sees(lines, "=") ? "'==' to compare" : "the end of the line");
    return status;
}

at_status atx_read_keywords(atx_lines *lines, const atx_keyword *keywords, const bool *without, void *target)
{
    unsigned seen = 0;
    bool more = true;
    at_status status;

    while ((status = atx_lines_next(&more, lines)) == AT_OK && more)
        if ((status = read_keyword(lines, keywords, &seen, target)) != AT_OK)
            return status;
    for (int i = 0; status == AT_OK && keywords[i].word; i++)
        if (keywords[i].required && !(*without && keywords[i].of_kernels) && !(seen & 1u << i))
            return atx_lines_fail(lines, lines->next,
                                  "found the end of the declaration; expected a line '%s' in it",
                                  keywords[i].form);
    return status;
}

/* ---- lines that both have ---- */

at_status atx_read_uses(atx_used *uses, atx_lines *lines)
{
    do {
        char name[ATX_MAX_NAME];
        const char *at = lines->at;
        at_status status = atx_read_plain_name(name, lines);
        if (status != AT_OK)
            return status;
        for (int i = 0; i < uses->count; i++)
            if (strcmp(uses->names[i], name) == 0)
                return atx_lines_fail(lines, at, "found '%s' a second time; expected each file once", name);
        if (uses->count == ATX_MAX_USES)
            return atx_lines_fail(lines, at, "found more than %d files of common code; expected fewer",
                                  ATX_MAX_USES);
        strcpy(uses->names[uses->count], name);
        uses->where[uses->count++] = atx_lines_where(lines, at);
    } while (!atx_lines_at_end(lines));
    return AT_OK;
}

at_status atx_read_require(atx_require **requires, size_t *count, size_t *cap, const atx_symbols *symbols,
                           atx_lines *lines)
{
    atx_require require = { .where = atx_lines_where(lines, lines->at) };
    at_status status;

    if (*count == ATX_MAX_REQUIRES)
        return atx_lines_fail(lines, lines->at, "found more than %d requirements; expected fewer",
                              ATX_MAX_REQUIRES);
    if ((status = atx_lines_expr(&require.expr, lines, symbols)) != AT_OK)
        goto done;
    if ((status = atx_lines_comment(&require.reason, lines)) != AT_OK)
        goto done;
    if (!atx_grow(requires, cap, *count, sizeof **requires)) {
        status = atx_no_memory(lines->err);
        goto done;
    }
    (*requires)[(*count)++] = require;
    require = (atx_require){ 0 };
done:
    atx_expr_close(require.expr);
    free(require.reason);
    return status;
}

at_status atx_read_exprs(atx_expr **out, int *count, int max, const atx_symbols *symbols, atx_lines *lines)
{
    *count = 0;
    do {
        if (*count == max)
            return atx_lines_expected(lines, "the end of the line");
        at_status status = atx_lines_expr(&out[*count], lines, symbols);
        if (status != AT_OK)
            return status;
        ++*count;
    } while (!atx_lines_at_end(lines));
    return AT_OK;
}

at_status atx_read_grid(atx_launch *launch, const atx_symbols *symbols, atx_lines *lines)
{
    int count;
    return atx_read_exprs(launch->grid, &count, 3, symbols, lines);
}

at_status atx_read_block(atx_launch *launch, const atx_symbols *symbols, atx_lines *lines)
{
    int count;
    return atx_read_exprs(launch->block, &count, 3, symbols, lines);
}

void atx_requires_clear(atx_require *requires, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(requires[i].reason);
        atx_expr_close(requires[i].expr);
    }
    free(requires);
}

void atx_launch_clear(atx_launch *launch)
{
    for (int i = 0; i < 3; i++) {
        atx_expr_close(launch->grid[i]);
        atx_expr_close(launch->block[i]);
    }
    atx_expr_close(launch->shared);
}

bool atx_template_has_hash(const atx_template *t, const char *hash)
{
    return strcmp(t->text.hash, hash) == 0;
}
