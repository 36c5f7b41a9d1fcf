/* adopt_types.c - which element type the words of a declaration mean: CUDA's own, and what the file makes of
 * them by typedef, using, #define and enum. */
#include "exchange/adopt_draft.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 8 }; /* of names for names */

static const struct {
    const char *word, *dtype;
} SINGLE[] = {
    { "float", "f32" },
    { "double", "f64" },
    { "__half", "f16" },
    { "half", "f16" },
    { "nv_half", "f16" },
    { "float16_t", "f16" },
    { "float_t", "f32" },
    { "__nv_bfloat16", "bf16" },
    { "nv_bfloat16", "bf16" },
    { "uint8_t", "u8" },
    { "int8_t", "i8" },
    { "int16_t", "i16" },
    { "uint16_t", "u16" },
    { "int32_t", "i32" },
    { "uint32_t", "u32" },
    { "int64_t", "i64" },
    { "uint64_t", "u64" },
    { "size_t", "u64" },
    { "uint", "u32" },
    { "ushort", "u16" },
    { "uchar", "u8" },
    { "ulong", "u64" },
    { "ulonglong", "u64" },
    { "ptrdiff_t", "i64" },
    { "intptr_t", "i64" },
    { "uintptr_t", "u64" },
    { "u_int32_t", "u32" },
    { "longlong", "i64" },
    { "uint_fast32_t", "u64" },
    { "clock_t", "i64" },
    { "byte", "u8" },
    { "Half", "f16" },
    { "BFloat16", "bf16" },
    { "half_t", "f16" },
    { "bfloat16_t", "bf16" },
    { "__nv_fp8_storage_t", "u8" },
    { "__nv_fp8x2_storage_t", "u16" },
    { "__nv_fp8x4_storage_t", "u32" },
};

/* Where the header that has them is not at hand. */
static const struct {
    const char *word, *dtype;
} USUAL[] = {
    { "int8", "i8" },     { "uint8", "u8" },   { "int16", "i16" },       { "uint16", "u16" },
    { "int32", "i32" },   { "uint32", "u32" }, { "int64", "i64" },       { "uint64", "u64" },
    { "index_t", "i32" }, { "idx_t", "i32" },  { "data_size_t", "i32" },
};

static const struct {
    const char *word, *dtype;
    int lanes;
} PACKED[] = {
    { "half2", "f16", 2 },         { "__half2", "f16", 2 },
    { "nv_bfloat162", "bf16", 2 }, { "__nv_bfloat162", "bf16", 2 },
    { "cuComplex", "f32", 2 },     { "cuFloatComplex", "f32", 2 },
    { "cufftComplex", "f32", 2 },  { "cuDoubleComplex", "f64", 2 },
    { "cufftReal", "f32", 1 },     { "dim3", "u32", 3 },
};

/* float4, uchar2, ulonglong1 */
static bool read_vector(atx_draft_type *out, const char *word)
{
    static const struct {
        const char *word, *dtype;
    } OF[] = { { "char", "i8" },      { "uchar", "u8" },      { "short", "i16" }, { "ushort", "u16" },
               { "int", "i32" },      { "uint", "u32" },      { "long", "i64" },  { "ulong", "u64" },
               { "longlong", "i64" }, { "ulonglong", "u64" }, { "float", "f32" }, { "double", "f64" } };
    const size_t n = strlen(word);
    for (size_t i = 0; n > 1 && i < sizeof OF / sizeof *OF; i++)
        if (strlen(OF[i].word) == n - 1 && strncmp(OF[i].word, word, n - 1) == 0 && word[n - 1] >= '1' &&
            word[n - 1] <= '4') {
            out->dtype = OF[i].dtype;
            out->lanes = word[n - 1] - '0';
            return true;
        }
    for (size_t i = 0; i < sizeof PACKED / sizeof *PACKED; i++)
        if (strcmp(PACKED[i].word, word) == 0) {
            out->dtype = PACKED[i].dtype;
            out->lanes = PACKED[i].lanes;
            return true;
        }
    return false;
}

/* unsigned long long int, in any order; NULL: no such word is there. */
static const char *read_integer(const atx_tokens *t, size_t begin, size_t end)
{
    bool is_unsigned = false, is_int = false, is_char = false, is_short = false;
    int longs = 0;
    for (size_t i = begin; i < end; i++) {
        if (atx_tokens_is(t, i, "<") && atx_tokens_match(t, i) < end)
            i = atx_tokens_match(t, i); /* View<int> */
        is_unsigned = is_unsigned || atx_tokens_is(t, i, "unsigned");
        is_int = is_int || atx_tokens_is(t, i, "int") || atx_tokens_is(t, i, "signed");
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

static bool is_qualifier(const atx_tokens *t, size_t i)
{
    static const char *const WORDS[] = { "const",      "volatile",   "__restrict__", "__restrict",
                                         "restrict",   "struct",     "typename",     "class",
                                         "static",     "inline",     "constexpr",    "__constant__",
                                         "__device__", "__shared__", "enum",         "__grid_constant__",
                                         NULL };
    return i < t->count && atx_token_is_one_of(t->text, &t->items[i], WORDS);
}

static void resolve(atx_draft_type *out, const atx_draft *d, const atx_tokens *t, atx_span span, int depth);

/* Behind the attributes of a struct: struct __align__(16) NAME. */
static size_t skip_attributes(const atx_tokens *t, size_t i)
{
    static const char *const WORDS[] = { "__align__", "alignas", "__attribute__", "__builtin_align__", NULL };
    while (i < t->count && atx_token_is_one_of(t->text, &t->items[i], WORDS) && atx_tokens_is(t, i + 1, "("))
        i = atx_tokens_match(t, i + 1) + 1;
    return i;
}

static void set_enum(atx_draft_type *out)
{
    out->dtype = "i32";
    out->of_enum = true;
}

/* "typedef WORDS NAME;", "using NAME = WORDS;", "struct NAME {", "enum NAME {". */
typedef struct declared {
    atx_span words; /* of another type; empty: it is none  */
    size_t body;    /* of a struct; 0: not known           */
    bool is_enum;
    size_t at;
} declared;

/* At token i. false: there is none of that name, or one that only repeats it: using x = a::x<T>. */
static bool declares(declared *out, const atx_tokens *t, const char *name, size_t i)
{
    *out = (declared){ .body = 0 };
    if (atx_tokens_is(t, i, "using") && atx_tokens_is(t, i + 1, name) && atx_tokens_is(t, i + 2, "=")) {
        const size_t last = atx_tokens_find(t, i + 3, t->count, ";") - 1;
        const bool list = atx_tokens_is(t, last, ">") && t->items[last].pair < last;
        out->words = (atx_span){ i + 3, last + 1 };
        return !atx_tokens_is(t, list ? t->items[last].pair - 1 : last, name);
    }
    if (atx_tokens_is(t, i, "typedef")) {
        const size_t end = atx_tokens_find(t, i + 1, t->count, ";");
        const size_t body = atx_tokens_find(t, i + 1, end, "{");
        if (end == t->count || !atx_tokens_is(t, end - 1, name))
            return false;
        out->is_enum = atx_tokens_is(t, i + 1, "enum");
        out->body = body < end && !out->is_enum ? body : 0;
        if (!out->is_enum && !out->body)
            out->words = (atx_span){ i + 1, end - 1 };
        return !atx_tokens_is(t, end - 2, name) || out->body; /* typedef struct s s; */
    }
    out->is_enum = atx_tokens_is(t, i, "enum");
    const bool is_struct =
        (atx_tokens_is(t, i, "struct") || atx_tokens_is(t, i, "class") || atx_tokens_is(t, i, "union")) &&
        !atx_tokens_is(t, i - 1, "enum");
    if (!out->is_enum && !is_struct)
        return false;
    const size_t at = skip_attributes(
        t, i + 1 + (out->is_enum && (atx_tokens_is(t, i + 1, "class") || atx_tokens_is(t, i + 1, "struct"))));
    if (!atx_tokens_is(t, at, name) || !(atx_tokens_is(t, at + 1, "{") || atx_tokens_is(t, at + 1, ":")))
        return false;
    out->body = is_struct && atx_tokens_is(t, at + 1, "{") ? at + 1 : 0;
    return true;
}

/* Of several of a name: the last one that is visible at token `at`, else the first of all. */
static bool find_declared(declared *out, const atx_tokens *t, const char *name, size_t at)
{
    declared one;
    bool any = false;
    for (size_t i = 0; i + 2 < t->count; i++)
        if ((!any || i < at) && declares(&one, t, name, i) && (!any || atx_code_open(t, i, at))) {
            *out = one;
            out->at = i;
            any = true;
        }
    return any;
}

/* Whether it stands in a function: no other file can name it. */
static bool is_local(const atx_tokens *t, size_t i)
{
    while (i-- > 1)
        if (atx_tokens_is(t, i, "}") && t->items[i].pair < i)
            i = t->items[i].pair;
        else if (atx_tokens_is(t, i, "{") && atx_tokens_is(t, i - 1, ")"))
            return true;
    return false;
}

/* The type of that name at token `at` of the code. */
static bool read_declared(atx_draft_type *out, const atx_draft *d, const char *name, size_t at, int depth)
{
    declared one;
    if (!find_declared(&one, &d->code, name, at))
        return false;
    if (one.words.begin < one.words.end) {
        resolve(out, d, &d->code, one.words, depth + 1);
        if (out->structure && out->list && is_local(&d->code, one.at))
            out->structure = false, out->body = out->list = 0; /* using P = Pack<float, 4>: a stand-in */
        return true;
    }
    out->structure = !one.is_enum;
    out->body = one.body;
    if (one.is_enum)
        set_enum(out);
    return true;
}

static int find_targ(const atx_draft *d, const char *name)
{
    for (int i = 0; i < d->targ_count; i++)
        if (d->targs[i].meaning == ATX_MEANS_TYPE && strcmp(d->targs[i].name, name) == 0)
            return i;
    return -1;
}

bool atx_draft_opaque(long *bytes, long *align, const char *name)
{
    static const struct {
        const char *name;
        long bytes, align;
    } TYPES[] = { { "CUtensorMap", 128, 64 },
                  { "curandState", 48, 8 },
                  { "curandState_t", 48, 8 },
                  { "curandStateXORWOW", 48, 8 },
                  { "curandStateXORWOW_t", 48, 8 },
                  { "curandStateMRG32k3a", 48, 8 },
                  { "curandStateMRG32k3a_t", 48, 8 },
                  { "curandStatePhilox4_32_10", 64, 16 },
                  { "curandStatePhilox4_32_10_t", 64, 16 } };
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(TYPES[i].name, name) == 0) {
            *bytes = TYPES[i].bytes;
            *align = TYPES[i].align;
            return true;
        }
    return false;
}

static void resolve_name(atx_draft_type *out, const atx_draft *d, size_t at, int depth)
{
    const char *name = out->name;
    long bytes, align;
    if (read_vector(out, name) || (out->structure = atx_draft_opaque(&bytes, &align, name)))
        return;
    for (size_t i = 0; i < sizeof SINGLE / sizeof *SINGLE; i++)
        if (strcmp(SINGLE[i].word, name) == 0) {
            out->dtype = SINGLE[i].dtype;
            return;
        }
    if (strcmp(name, "bool") == 0) {
        out->dtype = "bool";
        return;
    }
    if ((out->targ = find_targ(d, name)) >= 0)
        return;
    const atx_draft_macro *macro = depth < MOST_DEPTH ? atx_draft_find_macro(d, name) : NULL;
    if (macro && !macro->open)
        resolve(out, d, &d->all, macro->body, depth + 1);
    else if (depth < MOST_DEPTH && !read_declared(out, d, name, at, depth))
        for (size_t i = 0; i < sizeof USUAL / sizeof *USUAL; i++)
            if (strcmp(USUAL[i].word, name) == 0) {
                out->dtype = USUAL[i].dtype;
                out->usual = strcmp(name, "index_t") == 0 || strcmp(name, "idx_t") == 0; /* 4 or 8 bytes */
            }
}

/* View<float>, where the file has the struct's template: its arguments are read with its fields. */
static void resolve_instance(atx_draft_type *out, const atx_draft *d, const char *name, size_t list,
                             int depth)
{
    atx_draft_type found = { .lanes = 1, .targ = -1 };
    if (depth >= MOST_DEPTH || !read_declared(&found, d, name, list, depth) || !found.structure ||
        !found.body)
        return;
    out->structure = true;
    out->body = found.body;
    out->list = list;
}

/* The words of a type: the last one of a name with namespaces. */
static void resolve(atx_draft_type *out, const atx_draft *d, const atx_tokens *t, atx_span span, int depth)
{
    size_t list = 0;
    char name[ATX_MAX_WORD] = "";
    out->dtype = read_integer(t, span.begin, span.end);
    out->lanes = 1;
    out->targ = -1;
    out->structure = false;
    out->body = out->list = 0;
    for (size_t i = span.begin; i < span.end; i++) {
        if (atx_tokens_is(t, i, "<")) {
            list = i;
            const size_t close = atx_tokens_match(t, i);
            i = close < span.end ? close : i;
        } else if (name[0] && atx_tokens_is_word(t, i) && atx_tokens_is(t, i + 1, "(")) {
            i = atx_tokens_match(t, i + 1); /* uint32_t __align__(8) */
        } else if (atx_tokens_is_word(t, i) && !is_qualifier(t, i)) {
            atx_draft_word(name, t, i);
        }
    }
    if (!depth)
        memcpy(out->name, name, sizeof name);
    if (!out->dtype && list && t == &d->code)
        resolve_instance(out, d, name, list, depth);
    if (out->dtype || list || !name[0])
        return;
    char first[ATX_MAX_WORD];
    memcpy(first, out->name, sizeof first);
    memcpy(out->name, name, sizeof name);
    resolve_name(out, d, t == &d->code ? span.begin : d->kernel_text.open, depth);
    memcpy(out->name, first, sizeof first);
}

int atx_draft_alias_stars(const atx_draft *d, atx_span type, bool *constant)
{
    const atx_tokens *t = &d->code;
    char name[ATX_MAX_WORD] = "";
    int stars = 0;
    for (size_t i = type.begin; i < type.end; i++)
        if (atx_tokens_is_word(t, i) && !is_qualifier(t, i))
            atx_draft_word(name, t, i);
    for (size_t i = 0, end; name[0] && i + 3 < t->count; i = end) {
        const bool is_using = atx_tokens_is(t, i, "using") && atx_tokens_is(t, i + 1, name);
        end = i + 1;
        if (!is_using && !atx_tokens_is(t, i, "typedef"))
            continue;
        end = atx_tokens_find(t, i, t->count, ";");
        if (end == t->count || !(is_using || atx_tokens_is(t, end - 1, name)) ||
            atx_tokens_find(t, i, end, "{") < end || atx_tokens_find(t, i, end, "(") < end)
            continue;
        for (size_t k = i; k < end; k++) {
            if (atx_tokens_is(t, k, "<") && atx_tokens_match(t, k) < end)
                k = atx_tokens_match(t, k); /* Array<float *, 4> */
            *constant = *constant || (!stars && atx_tokens_is(t, k, "const"));
            stars += atx_tokens_is(t, k, "*");
        }
        return stars;
    }
    return 0;
}

void atx_draft_type_in(atx_draft_type *out, const atx_draft *d, const atx_tokens *t, atx_span span)
{
    *out = (atx_draft_type){ .lanes = 1, .targ = -1 };
    resolve(out, d, t, span, 0);
}

void atx_draft_type_of(atx_draft_type *out, const atx_draft *d, size_t begin, size_t end)
{
    atx_draft_type_in(out, d, &d->code, (atx_span){ begin, end });
}

long atx_draft_bytes(const atx_draft *d, const atx_draft_type *type)
{
    const char *name = type->targ >= 0 ? d->targs[type->targ].dtype : type->dtype;
    atx_dtype dtype;
    if (!name && type->targ >= 0 && strcmp(d->targs[type->targ].text, "T") == 0)
        name = atx_draft_element(d);
    if (name && strcmp(name, "bool") == 0)
        name = "u8";
    at_error ignored;
    if (!name || atx_dtype_parse(&dtype, name, strlen(name), &ignored) != AT_OK)
        return 0;
    return atx_dtype_bytes(dtype) * type->lanes;
}
