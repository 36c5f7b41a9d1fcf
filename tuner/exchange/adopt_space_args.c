/*
 * adopt_space_args.c - the Arguments of a T1 file: scalars with their values, vectors with sizes and
 * contents. Random numbers are those from 0 to FillValue, as KTT has them.
 */
#include "exchange/adopt_space_internal.h"

#include "util/chars.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct known_type {
    const char *word;
    atx_dtype type;
} known_type;

enum { ALIASES = 2 }; /* the first rows: others are the words for these types */

/* "float4" is four of float. */
static const known_type TYPES[] = { { "bool", ATX_U8 },     { "byte", ATX_I8 },     { "int8", ATX_I8 },
                                    { "uint8", ATX_U8 },    { "int16", ATX_I16 },   { "uint16", ATX_U16 },
                                    { "int32", ATX_I32 },   { "uint32", ATX_U32 },  { "int64", ATX_I64 },
                                    { "uint64", ATX_U64 },  { "half", ATX_F16 },    { "float", ATX_F32 },
                                    { "double", ATX_F64 },  { "int", ATX_I32 },     { "uint", ATX_U32 },
                                    { "csingle", ATX_C64 }, { "cdouble", ATX_C128 } };

/* The type of a word, and how many of it one element has; 0: it is none. */
static int read_type(atx_dtype *out, const char *word)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        const size_t n = strlen(TYPES[i].word);
        int lanes = 1;
        char behind;
        if (strncmp(word, TYPES[i].word, n) != 0)
            continue;
        if (word[n] && !atx_is_digit(TYPES[i].word[n - 1]) &&
            (sscanf(word + n, "%2d%c", &lanes, &behind) != 1 || lanes < 1))
            continue;
        if (word[n] && atx_is_digit(TYPES[i].word[n - 1]))
            continue;
        *out = TYPES[i].type;
        return lanes;
    }
    return 0;
}

const char *atx_space_type_word(atx_dtype type)
{
    for (size_t i = ALIASES; i < sizeof TYPES / sizeof *TYPES; i++)
        if (TYPES[i].type == type)
            return TYPES[i].word;
    return atx_dtype_name(type);
}

static bool is_real(atx_dtype type)
{
    return type == ATX_F16 || type == ATX_BF16 || type == ATX_F32 || type == ATX_F64 || type == ATX_C64 ||
           type == ATX_C128;
}

typedef struct reading {
    const atx_import_file *file;
    uint32_t node; /* of the argument */
    atx_space_arg *arg;
} reading;

static uint32_t member(const reading *r, const char *name)
{
    return atx_space_member(&r->file->json, r->node, name);
}

static bool says(const reading *r, const char *name, const char *word)
{
    const uint32_t node = member(r, name);
    return node && atx_json_is(&r->file->json, node, word);
}

/* Its text, cut to fit, as one line of a comment. */
static void copy_line(char *out, size_t size, const reading *r, const char *name)
{
    const uint32_t node = member(r, name);
    atx_str text = { 0 };
    if (node)
        atx_json_add_text(&text, &r->file->json, node);
    snprintf(out, size, "%s", atx_str_text(&text));
    for (char *at = out; *at; at++)
        if ((unsigned char)*at < ' ' || (at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*'))
            *at = ' ';
    atx_str_clear(&text);
}

/* A number as it stands there; some files have it in quotes. */
static bool copy_number(char *out, size_t size, const reading *r, const char *name, double *number)
{
    char *end = out;
    copy_line(out, size, r, name);
    if (strspn(out, "0123456789+-.eE") == strlen(out))
        *number = strtod(out, &end) + 0.0; /* -0 is 0 */
    if (end == out || *end || !isfinite(*number)) {
        out[0] = '\0';
        return false;
    }
    return true;
}

static void read_scalar(const reading *r)
{
    atx_space_arg *a = r->arg;
    double number = 0;
    const bool has = copy_number(a->value, sizeof a->value, r, "FillValue", &number);
    if (has && !is_real(a->type) && a->type != ATX_DTYPES && number == rint(number) && fabs(number) < 9e15)
        snprintf(a->value, sizeof a->value, "%.0f", number); /* 5.0 is an integer */
}

/* Numbers of a floating-point type stay as they stand there; 20.0 of an integer type is 20. */
static void fill(atx_space_arg *a, const char *constant, const char *random, double value, const char *text)
{
    char whole[40];
    snprintf(whole, sizeof whole, "%.0f", value);
    const char *number = is_real(a->type) && value != 0 ? text : whole;
    if (constant)
        snprintf(a->value, sizeof a->value, "%s %s", constant, number);
    else
        snprintf(a->value, sizeof a->value, value > 0 ? "%s 0 %s" : "%s %s 0", random, number);
}

/* Numbers of a generator, "1+i*0.1", by what is known of them: the least and the greatest, and whether they
 * ascend. false: it is not understood. */
static bool read_generator(const reading *r)
{
    atx_space_arg *a = r->arg;
    const uint32_t node = member(r, "DataSource"), size = member(r, "Size");
    atx_generated range;
    int64_t count = 0;
    atx_str text = { 0 };
    if (node)
        atx_json_add_text(&text, &r->file->json, node);
    const bool known = size && atx_json_integer(&count, &r->file->json, size) && count > 0 &&
                       a->type != ATX_DTYPES && !text.failed &&
                       atx_space_generate(&range, atx_str_text(&text), count);
    atx_str_clear(&text);
    if (!known)
        return false;
    const char *order = range.ascends && range.least < range.most ? "sorted " : "";
    const char *kind = is_real(a->type) ? "uniform" : "range";
    if (range.least == range.most)
        snprintf(a->value, sizeof a->value, "constant %.9g", range.least);
    else
        snprintf(a->value, sizeof a->value, is_real(a->type) ? "%s%s %.9g %.9g" : "%s%s %.0f %.0f", order,
                 kind, range.least, range.most);
    copy_line(a->note, sizeof a->note, r, "DataSource");
    return true;
}

/* What a vector holds. */
static void read_fill(const reading *r)
{
    atx_space_arg *a = r->arg;
    char text[40], kind[24], source[100];
    double value = 0;
    const bool has = copy_number(text, sizeof text, r, "FillValue", &value);
    if (says(r, "FillType", "Constant") && has) {
        fill(a, "constant", NULL, value, text);
    } else if (says(r, "FillType", "Random") && has && value != 0) {
        fill(a, NULL, is_real(a->type) ? "uniform" : "range", value, text);
    } else if (says(r, "FillType", "Random")) {
        snprintf(a->value, sizeof a->value, is_real(a->type) ? "uniform 0 1" : "bits");
    } else if (says(r, "FillType", "Generator") && read_generator(r)) {
        return;
    } else if (member(r, "FillType")) {
        copy_line(kind, sizeof kind, r, "FillType");
        copy_line(source, sizeof source, r, "DataSource");
        snprintf(a->ask, sizeof a->ask, "the tuning problem fills it by %s%s%s: what does it hold?", kind,
                 source[0] ? " " : "", source);
    }
}

/* In elements of its type, of which one of the tuning problem's may be several. */
static void read_size(const reading *r, int lanes)
{
    atx_space_arg *a = r->arg;
    const uint32_t node = member(r, "Size");
    atx_str size = { 0 };
    if (node)
        atx_space_expr(&size, r->file, node, true);
    const bool fits = size.len && size.len + 16 < sizeof a->size;
    if (fits && lanes > 1)
        snprintf(a->size, sizeof a->size, strpbrk(size.data, "+-*/%") ? "%d * (%s)" : "%d * %s", lanes,
                 size.data);
    else if (fits)
        snprintf(a->size, sizeof a->size, "%s", size.data);
    atx_str_clear(&size);
}

static void read_arg(const reading *r)
{
    atx_space_arg *a = r->arg;
    int64_t bytes = 0, output = 0;
    char type[24];
    at_error ignored;
    const uint32_t name = member(r, "Name"), size = member(r, "TypeSize"), is_output = member(r, "Output");
    if (!name || atx_import_read_name(a->name, &r->file->json, name, "an argument", &ignored) != AT_OK)
        a->name[0] = '\0';
    copy_line(type, sizeof type, r, "Type");
    a->type = ATX_DTYPES;
    int lanes = read_type(&a->type, type);
    if (!lanes && size && atx_json_integer(&bytes, &r->file->json, size) && bytes > 0 && bytes < 4096) {
        a->type = ATX_U8;
        lanes = (int)bytes;
    }
    a->memory = says(r, "MemType", "Constant") || says(r, "MemoryType", "Symbol") ? ATX_SPACE_CONSTANT
                : says(r, "MemoryType", "Scalar")                                 ? ATX_SPACE_SCALAR
                                                                                  : ATX_SPACE_VECTOR;
    a->reads = says(r, "AccessType", "ReadOnly") || says(r, "AccessType", "ReadWrite");
    a->writes = says(r, "AccessType", "WriteOnly") || says(r, "AccessType", "ReadWrite") ||
                (is_output && atx_json_integer(&output, &r->file->json, is_output) && output) ||
                (is_output && r->file->json.nodes[is_output].kind == ATX_JSON_TRUE);
    if (a->memory == ATX_SPACE_SCALAR) {
        read_scalar(r);
        return;
    }
    read_size(r, lanes);
    read_fill(r);
}

at_status atx_space_read_args(atx_adopt_space *s, const atx_import_file *file, uint32_t kernel, at_error *err)
{
    const atx_json *json = &file->json;
    const uint32_t list = atx_space_member(json, kernel, "Arguments");
    const bool array = list && json->nodes[list].kind == ATX_JSON_ARRAY;
    for (uint32_t at = array ? atx_json_first(json, list) : 0; at; at = atx_json_next(json, at)) {
        if (atx_space_member(json, at, "MemoryType") &&
            atx_json_is(json, atx_space_member(json, at, "MemoryType"), "Local"))
            continue; /* OpenCL's: no parameter in CUDA */
        if (s->arg_count == ATX_SPACE_ARGS)
            return atx_json_fail(json, at, 0, err, "found more than %d arguments; expected fewer",
                                 ATX_SPACE_ARGS);
        const reading r = { .file = file, .node = at, .arg = &s->args[s->arg_count] };
        *r.arg = (atx_space_arg){ .name = "" };
        read_arg(&r);
        s->arg_count++;
    }
    return AT_OK;
}
