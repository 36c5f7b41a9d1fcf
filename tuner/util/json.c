/*
 * json.c - one pass over the text, a call for each container within another one: at most ATX_JSON_MAX_DEPTH.
 *
 * A value becomes a node when it begins, so that nodes are in the order of the text: a container's first
 * child follows it, and the value of a member follows its name. If the text ends too early, reading stops
 * (`torn`), and every open container ends there; complete values stay. Escapes and numbers are checked here
 * and converted only when they are read; lines and columns are counted only for a message.
 */
#include "util/json.h"

#include "util/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBER = 64 }; /* characters of a number, with a zero behind them */

typedef struct reader {
    atx_json json;
    size_t at;
    int depth; /* containers that are open */
    at_error *err;
} reader;

/* ---- places ---- */

static void place_of(int *line, int *column, const char *text, size_t offset)
{
    *line = 1;
    size_t begin = 0;
    for (size_t i = 0; i < offset; i++)
        if (text[i] == '\n') {
            ++*line;
            begin = i + 1;
        }
    *column = (int)(offset - begin) + 1;
}

/* How many bytes a character of a string's text takes in the file. */
static size_t raw_len(const char *at, const char *end)
{
    return *at != '\\' ? 1 : at + 1 < end && at[1] == 'u' ? 6 : 2;
}

/* The place itself. */
static void find_place(int *line, int *column, const atx_json *json, uint32_t node, size_t offset)
{
    const atx_json_node *n = &json->nodes[node];
    size_t at = n->begin;
    while (offset-- && at < n->end)
        at += n->kind == ATX_JSON_STRING ? raw_len(json->text + at, json->text + n->end) : 1;
    place_of(line, column, json->text, at < json->len ? at : json->len);
}

/* The name of the member that is this node or has it as its value, in one of the rows; 0: none is. */
static uint32_t column_of(const atx_json *json, uint32_t node)
{
    for (uint32_t row = atx_json_first(json, 0); row; row = atx_json_next(json, row))
        for (uint32_t name = row < node ? atx_json_first(json, row) : 0; name && name <= node;
             name = atx_json_next(json, name))
            if (name == node || name + 1 == node)
                return name;
    return 0;
}

static at_status fail_in_table(const atx_json *json, uint32_t node, int line, const char *what, at_error *err)
{
    const uint32_t name = column_of(json, node);
    const atx_json_node *n = &json->nodes[name];
    return name
               ? atx_fail(err, AT_ERR_INPUT, "%s:%d: column '%.*s': %s", json->file, line,
                          n->end - n->begin < 40 ? (int)(n->end - n->begin) : 40, json->text + n->begin, what)
               : atx_fail(err, AT_ERR_INPUT, "%s:%d: %s", json->file, line, what);
}

at_status atx_json_fail(const atx_json *json, uint32_t node, size_t offset, at_error *err, const char *format,
                        ...)
{
    char what[400];
    int line, column;
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    find_place(&line, &column, json, node, offset);
    if (json->is_table)
        return fail_in_table(json, node, line, what, err);
    return atx_fail(err, AT_ERR_INPUT, "%s:%d:%d: %s", json->file, line, column, what);
}

/* ---- reading ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next character that is no blank; '\0' at the end. */
static char peek(reader *r)
{
    while (r->at < r->json.len && is_blank(r->json.text[r->at]))
        r->at++;
    return r->at < r->json.len ? r->json.text[r->at] : '\0';
}

static at_status fail_at(const reader *r, const char *expected)
{
    int line, column;
    char found[8] = "the end";
    if (r->at < r->json.len) {
        unsigned char c = (unsigned char)r->json.text[r->at];
        snprintf(found, sizeof found, c < 0x20 || c > 0x7e ? "\\x%02x" : "'%c'", c);
    }
    place_of(&line, &column, r->json.text, r->at);
    return atx_fail(r->err, AT_ERR_INPUT, "%s:%d:%d: found %s; expected %s", r->json.file, line, column,
                    found, expected);
}

/* The text ends here: within a container that is fine, but torn. */
static at_status tear(reader *r, const char *expected)
{
    r->json.torn = r->depth > 0;
    return r->depth ? AT_OK : fail_at(r, expected);
}

static at_status fail_full(const reader *r)
{
    int line, column;
    place_of(&line, &column, r->json.text, r->at);
    return atx_fail(r->err, AT_ERR_INPUT, "%s:%d:%d: found more than %zu values and names; expected fewer",
                    r->json.file, line, column, ATX_JSON_MAX_NODES);
}

static at_status add_node(reader *r, atx_json_kind kind, uint32_t *out)
{
    atx_json *json = &r->json;
    if (json->count == ATX_JSON_MAX_NODES)
        return fail_full(r);
    if (!atx_grow(&json->nodes, &json->cap, json->count, sizeof *json->nodes))
        return atx_no_memory(r->err);
    *out = (uint32_t)json->count++;
    json->nodes[*out] = (atx_json_node){
        .begin = (uint32_t)r->at, .end = (uint32_t)r->at, .kind = (uint8_t)kind, .whole = true
    };
    return AT_OK;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Does this backslash begin an escape, or may it begin one where the text ends too early? */
static bool is_escape(const char *at, const char *end)
{
    if (at + 1 == end)
        return true;
    if (!at[1] || !strchr("\"\\/bfnrtu", at[1]))
        return false;
    for (int i = 2; at[1] == 'u' && i < 6 && at + i < end; i++)
        if (!is_hex(at[i]))
            return false;
    return true;
}

static at_status read_string(reader *r, uint32_t *node)
{
    const atx_json *json = &r->json;
    size_t begin = ++r->at;
    while (r->at < json->len && json->text[r->at] != '"') {
        const char *at = json->text + r->at;
        if ((unsigned char)*at < 0x20)
            return fail_at(r, "no control character in a string");
        if (*at == '\\' && !is_escape(at, json->text + json->len))
            return fail_at(r, "an escape that JSON has");
        r->at += raw_len(at, json->text + json->len);
    }
    if (r->at >= json->len) {
        r->at = json->len;
        return tear(r, "a quote");
    }
    at_status status = add_node(r, ATX_JSON_STRING, node);
    if (status == AT_OK)
        json->nodes[*node].begin = (uint32_t)begin;
    r->at++;
    return status;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* The grammar of RFC 8259, section 6. */
static bool is_number(const char *at, const char *end)
{
    at += at < end && *at == '-';
    const char *begin = at;
    at = skip_digits(at, end);
    if (at == begin || (*begin == '0' && at > begin + 1))
        return false;
    if (at < end && *at == '.') {
        begin = ++at;
        at = skip_digits(at, end);
        if (at == begin)
            return false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        begin = at;
        at = skip_digits(at, end);
        if (at == begin)
            return false;
    }
    return at == end;
}

/* null, true, false, and the numbers that Python writes besides those of RFC 8259. */
static bool find_word(atx_json_kind *kind, const char *begin, size_t len)
{
    static const struct {
        const char *word;
        atx_json_kind kind;
    } WORDS[] = { { "null", ATX_JSON_NULL },       { "true", ATX_JSON_TRUE },
                  { "false", ATX_JSON_FALSE },     { "NaN", ATX_JSON_NUMBER },
                  { "Infinity", ATX_JSON_NUMBER }, { "-Infinity", ATX_JSON_NUMBER } };
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strlen(WORDS[i].word) == len && memcmp(WORDS[i].word, begin, len) == 0) {
            *kind = WORDS[i].kind;
            return true;
        }
    return false;
}

static bool is_word_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '-' || c == '.';
}

/* A number or one of the words. */
static at_status read_word(reader *r, uint32_t *node)
{
    const char *begin = r->json.text + r->at, *end = begin, *limit = r->json.text + r->json.len;
    atx_json_kind kind = ATX_JSON_NUMBER;
    while (end < limit && is_word_character(*end))
        end++;
    if (end == limit && r->depth)
        return tear(r, ""); /* the rest of it may be missing */
    size_t len = (size_t)(end - begin);
    bool digits = *begin == '-' || (*begin >= '0' && *begin <= '9');
    bool number = digits && len < MAX_NUMBER && is_number(begin, end);
    if (!number && !find_word(&kind, begin, len))
        return fail_at(r, digits ? "a number" : "a value");
    at_status status = add_node(r, kind, node);
    r->at += len;
    if (status == AT_OK)
        r->json.nodes[*node].end = (uint32_t)r->at;
    return status;
}

static at_status read_value(reader *r, uint32_t *node);

/* `child` gets its name. The name alone is taken back where its value is missing. */
static at_status read_member(reader *r, uint32_t *child)
{
    uint32_t value = 0;
    size_t before = r->json.count;
    if (peek(r) != '"')
        return r->at == r->json.len ? tear(r, "") : fail_at(r, "the name of a member");
    at_status status = read_string(r, child);
    if (status != AT_OK || r->json.torn)
        return status;
    if (peek(r) == ':') {
        r->at++;
        status = read_value(r, &value);
    } else {
        status = r->at == r->json.len ? tear(r, "") : fail_at(r, "':'");
    }
    if (r->json.torn && r->json.count == before + 1)
        r->json.count = before;
    return status;
}

/* The elements, up to the closing bracket. */
static at_status read_children(reader *r, uint32_t node, bool object)
{
    const char closing = object ? '}' : ']';
    uint32_t last = 0, child = 0;
    at_status status = AT_OK;
    while (status == AT_OK && !r->json.torn && peek(r) != closing) {
        const size_t before = r->json.count;
        if (r->at == r->json.len)
            return tear(r, "");
        if (last && r->json.text[r->at++] != ',') {
            r->at--;
            return fail_at(r, object ? "',' or '}'" : "',' or ']'");
        }
        status = object ? read_member(r, &child) : read_value(r, &child);
        if (last && r->json.count > before)
            r->json.nodes[last].next = child;
        last = child;
    }
    if (status == AT_OK && !r->json.torn) {
        r->json.nodes[node].end = (uint32_t)++r->at;
        r->json.nodes[node].whole = true;
    }
    return status;
}

static at_status read_container(reader *r, uint32_t *node)
{
    const bool object = r->json.text[r->at] == '{';
    if (r->depth == ATX_JSON_MAX_DEPTH)
        return fail_at(r, "values in each other at most 64 deep");
    ATX_TRY(add_node(r, object ? ATX_JSON_OBJECT : ATX_JSON_ARRAY, node));
    r->json.nodes[*node].end = (uint32_t)r->json.len; /* where the text ends within it */
    r->json.nodes[*node].whole = false;
    r->depth++;
    r->at++;
    at_status status = read_children(r, *node, object);
    r->depth--;
    return status;
}

static at_status read_value(reader *r, uint32_t *node)
{
    const char c = peek(r);
    if (!c && r->at == r->json.len)
        return tear(r, "a value");
    if (c == '"')
        return read_string(r, node);
    if (c == '{' || c == '[')
        return read_container(r, node);
    return c ? read_word(r, node) : fail_at(r, "a value");
}

at_status atx_json_read(atx_json *out, const char *text, size_t len, const char *file, at_error *err)
{
    reader r = { .json = { .text = text, .file = file, .len = len }, .err = err };
    uint32_t root = 0;
    if (len > ATX_JSON_MAX_TEXT)
        return atx_fail(err, AT_ERR_INPUT, "%s: found more than %zu bytes; expected less", file,
                        ATX_JSON_MAX_TEXT);
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        r.at = 3; /* a byte order mark */
    at_status status = read_value(&r, &root);
    if (status == AT_OK && !r.json.torn && (peek(&r) || r.at < len))
        status = fail_at(&r, "the end of the file");
    if (status == AT_OK) {
        *out = r.json;
        r.json.nodes = NULL;
    }
    free(r.json.nodes);
    return status;
}

void atx_json_clear(atx_json *json)
{
    free(json->nodes);
    *json = (atx_json){ 0 };
}

/* ---- asking ---- */

uint32_t atx_json_first(const atx_json *json, uint32_t node)
{
    const atx_json_node *n = &json->nodes[node];
    bool holds = n->kind == ATX_JSON_ARRAY || n->kind == ATX_JSON_OBJECT;
    /* Depth first: the node behind an empty container begins after its end. */
    return holds && node + 1 < json->count && json->nodes[node + 1].begin < n->end ? node + 1 : 0;
}

uint32_t atx_json_next(const atx_json *json, uint32_t node)
{
    return json->nodes[node].next;
}

uint32_t atx_json_at(const atx_json *json, uint32_t node, const char *path)
{
    for (size_t len; *path; path += len + (path[len] == '/')) {
        char name[64];
        len = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)len, path);
        if (strcmp(name, "0") == 0)
            node = json->nodes[node].kind == ATX_JSON_ARRAY ? atx_json_first(json, node) : 0;
        else
            node = atx_json_member(json, node, name);
        if (!node)
            return 0;
    }
    return node;
}

bool atx_json_is(const atx_json *json, uint32_t node, const char *text)
{
    const atx_json_node *n = &json->nodes[node];
    size_t len = strlen(text);
    return n->kind == ATX_JSON_STRING && n->end - n->begin == len &&
           memcmp(json->text + n->begin, text, len) == 0;
}

uint32_t atx_json_member(const atx_json *json, uint32_t object, const char *name)
{
    if (json->nodes[object].kind != ATX_JSON_OBJECT)
        return 0;
    for (uint32_t at = atx_json_first(json, object); at; at = atx_json_next(json, at))
        if (atx_json_is(json, at, name))
            return at + 1;
    return 0;
}

static void add_utf8(atx_str *out, unsigned code)
{
    char bytes[4];
    size_t n = 1;
    if (code < 0x80) {
        bytes[0] = (char)code;
    } else if (code < 0x800) {
        bytes[0] = (char)(0xc0 | code >> 6);
        n = 2;
    } else if (code < 0x10000) {
        bytes[0] = (char)(0xe0 | code >> 12);
        n = 3;
    } else {
        bytes[0] = (char)(0xf0 | code >> 18);
        n = 4;
    }
    for (size_t i = 1; i < n; i++)
        bytes[i] = (char)(0x80 | (code >> 6 * (n - 1 - i) & 0x3f));
    atx_str_add_bytes(out, bytes, n);
}

/* Four hexadecimal digits: they were checked when the text was read. */
static unsigned hex4(const char *at)
{
    char digits[5] = { at[0], at[1], at[2], at[3], '\0' };
    return (unsigned)strtoul(digits, NULL, 16);
}

/* What begins with \u; returns where the next character begins. Half a pair stands for no character, and a
 * zero would end our texts: both become the replacement character. */
static const char *add_code(atx_str *out, const char *at, const char *end)
{
    unsigned code = hex4(at + 2), low = 0;
    at += 6;
    if (code >= 0xd800 && code < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u')
        low = hex4(at + 2);
    if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
    }
    add_utf8(out, code == 0 || (code >= 0xd800 && code < 0xe000) ? 0xfffd : code);
    return at;
}

/* A character that is escaped; returns where the next one begins. */
static const char *add_escaped(atx_str *out, const char *at, const char *end)
{
    static const char FROM[] = "bfnrt", TO[] = "\b\f\n\r\t";
    const char *hit = strchr(FROM, at[1]);
    if (at[1] == 'u')
        return add_code(out, at, end);
    atx_str_add_bytes(out, hit ? &TO[hit - FROM] : at + 1, 1);
    return at + 2;
}

void atx_json_add_text(atx_str *out, const atx_json *json, uint32_t node)
{
    const atx_json_node *n = &json->nodes[node];
    const char *at = json->text + n->begin, *end = json->text + n->end;
    while (at < end) {
        const char *escape = n->kind == ATX_JSON_STRING ? memchr(at, '\\', (size_t)(end - at)) : NULL;
        const char *stop = escape ? escape : end;
        atx_str_add_bytes(out, at, (size_t)(stop - at));
        at = escape ? add_escaped(out, escape, end) : end;
    }
}

bool atx_json_number(double *out, const atx_json *json, uint32_t node)
{
    const atx_json_node *n = &json->nodes[node];
    char text[MAX_NUMBER];
    size_t len = n->end - n->begin;
    if (n->kind != ATX_JSON_NUMBER)
        return false;
    memcpy(text, json->text + n->begin, len);
    text[len] = '\0';
    *out = atx_real_read(text, NULL);
    return true;
}

bool atx_json_integer(int64_t *out, const atx_json *json, uint32_t node)
{
    double value;
    if (!atx_json_number(&value, json, node) || !(fabs(value) < 9e15) || value != floor(value))
        return false;
    *out = (int64_t)value;
    return true;
}
