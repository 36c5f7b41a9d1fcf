/*
 * declare_names.c - the names of an op and of its templates, by their slots, and expressions of them.
 *
 * A name gets its slot at its declaration and is known from there on: lets can only read the lets above them,
 * so evaluating them in order is enough, and there are no cycles.
 */
#include <string.h>

#include "declare/declare_internal.h"

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
bool atx_name_is_reserved(const char *name)
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

static void fail_reserved(atx_lines *lines, const char *at, const char *name)
{
    atx_lines_fail(lines, at, "found '%s'; expected a name that C++, CUDA and autotune leave free", name);
}

int atx_add_symbol(atx_lines *lines, const char *name, const char *at)
{
    atx_symbols *symbols = lines->in.symbols;
    if (lines->status != AT_OK)
        return 0;
    if (strlen(name) >= ATX_MAX_NAME)
        atx_lines_fail(lines, at, "found '%s', a name of %zu characters; expected at most %d", name,
                       strlen(name), ATX_MAX_NAME - 1);
    else if (atx_name_is_reserved(name))
        fail_reserved(lines, at, name);
    else if (atx_symbols_find(symbols, name, strlen(name)) >= 0 ||
             atx_index_find(&symbols->indices, name, strlen(name)))
        atx_lines_fail(lines, at, "found '%s' a second time; expected a new name", name);
    else if (symbols->count == ATX_MAX_SLOTS)
        atx_lines_fail(lines, at, "found more than %d names; expected fewer parameters, words or lets",
                       ATX_MAX_SLOTS);
    else
        atx_lines_note(lines, atx_put_symbol(symbols, name, lines->err));
    return symbols->count - 1;
}

const char *atx_read_assigned_name(char out[ATX_MAX_NAME], atx_lines *lines)
{
    const char *at = atx_lines_name(out, lines, "a name");
    atx_lines_take(lines, "=", NULL);
    return at;
}

const char *atx_read_plain_name(char out[ATX_MAX_NAME], atx_lines *lines)
{
    static const char EXPECTED[] = "a name of a-z, 0-9 and _ that starts with a letter";
    const char *at = atx_lines_name(out, lines, EXPECTED);
    if (out[0] == '_' || strspn(out, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(out))
        atx_lines_fail(lines, at, "found '%s'; expected %s", out, EXPECTED);
    return at;
}

const char *atx_read_free_name(char out[ATX_MAX_NAME], atx_lines *lines, const char *expected)
{
    const char *at = atx_lines_name(out, lines, expected);
    if (atx_name_is_reserved(out))
        fail_reserved(lines, at, out);
    return at;
}

/* ---- expressions ---- */

static const char *symbol_name(const void *symbols, int i)
{
    const atx_symbols *s = symbols;
    return i < s->count ? atx_symbol_name(s, i) : NULL;
}

atx_expr *atx_lines_expr_of(atx_lines *lines, const atx_scope *scope)
{
    atx_expr *expr = NULL;
    size_t used = 0;
    if (lines->status != AT_OK)
        return NULL;
    atx_lines_note(lines,
                   atx_expr_compile_first(&expr, &used, lines->at, (size_t)(lines->line_end - lines->at),
                                          scope, atx_lines_where(lines, lines->at), lines->err));
    if (expr)
        atx_lines_skip(lines, used);
    return expr;
}

atx_expr *atx_lines_expr(atx_lines *lines)
{
    const atx_symbols *symbols = lines->in.symbols;
    const atx_scope scope = {
        .find = atx_symbols_find, .context = symbols, .name = symbol_name, .indices = &symbols->indices
    };
    return atx_lines_expr_of(lines, &scope);
}

bool atx_lines_sees_one_of(const atx_lines *lines, const char *const *words)
{
    bool sees = atx_lines_at_end(lines);
    for (; *words && !sees; words++)
        sees = atx_lines_sees_word(lines, *words);
    return sees;
}

int atx_read_exprs(atx_lines *lines, atx_expr **out, int max, const char *const *ends, const char *expected)
{
    int count = 0;
    bool commas = false;
    if (lines->status != AT_OK) /* the fields of another line stay in `out` */
        return 0;
    do {
        if (count == max) {
            atx_lines_expected(lines, expected);
            break;
        }
        if (count > 1 && commas)
            atx_lines_take(lines, ",", "',' as between the first two");
        out[count++] = atx_lines_expr(lines);
        if (count == 1)
            commas = atx_lines_skip_sign(lines, ",");
    } while ((count == 1 && commas) || !atx_lines_sees_one_of(lines, ends));
    return count;
}
