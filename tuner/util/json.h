/*
 * json.h - a JSON text as nodes that point into it, with the place of each: for files of other programs,
 * where a message must say line and column. Nothing is copied or converted before it is asked for.
 *
 * Besides RFC 8259 it takes Python's numbers: NaN, Infinity and -Infinity as numbers. A text may end early,
 * as files of an interrupted program do: `torn` then says so, and containers that were still open are not
 * `whole`.
 *
 * Nodes are numbers; 0 is the whole text, and where a child or member is asked for: there is none.
 */
#pragma once

#include "util/str.h"
#include <stdint.h>

/* Limits: 256 MiB for a text, 512 MiB for its nodes. */
#define ATX_JSON_MAX_DEPTH 64
#define ATX_JSON_MAX_TEXT  ((size_t)256 << 20)
#define ATX_JSON_MAX_NODES ((size_t)1 << 25) /* a power of two, as room for them is */

typedef enum atx_json_kind {
    ATX_JSON_NULL,
    ATX_JSON_FALSE,
    ATX_JSON_TRUE,
    ATX_JSON_NUMBER,
    ATX_JSON_STRING,
    ATX_JSON_ARRAY,
    ATX_JSON_OBJECT
} atx_json_kind;

typedef struct atx_json_node {
    uint32_t begin, end; /* offsets; of a string without its quotes            */
    uint32_t next;       /* the next child of the same parent; 0: the last one */
    uint8_t kind;
    bool whole;
} atx_json_node;

typedef struct atx_json {
    const char *text; /* borrowed, as is `file` */
    const char *file; /* for messages           */
    size_t len;
    atx_json_node *nodes; /* depth first: the first child of a node follows it, a member's value its name */
    size_t count, cap;
    bool torn;
    bool is_table; /* made of rows of cells, each on the line of its row: places are lines and names of
                      columns */
} atx_json;

/* AT_ERR_INPUT: "file:line:column: found ...; expected ...". */
at_status atx_json_read(atx_json *out, const char *text, size_t len, const char *file,
                        at_error *err) AT_MUST_CHECK;
void atx_json_clear(atx_json *json);

/* Children of an array: the values. Of an object: the names; the value of the member at `name` is name + 1.
 */
uint32_t atx_json_first(const atx_json *json, uint32_t node);
uint32_t atx_json_next(const atx_json *json, uint32_t node);

/* The value of a member of an object (of anything else: 0), the first of several of that name. `name` has no
 * characters that JSON escapes. */
uint32_t atx_json_member(const atx_json *json, uint32_t object, const char *name);

/* The value at a path of members: "Metadata/Device"; 0 is the first element of a list: "Results/0/Name". */
uint32_t atx_json_at(const atx_json *json, uint32_t node, const char *path);

/* Is it a string, or the name of a member, of exactly this text? */
bool atx_json_is(const atx_json *json, uint32_t node, const char *text);

/* Appends a string's text, decoded; anything else as it stands. \u0000 and halves of pairs become U+FFFD,
 * bytes that are no UTF-8 stay. */
void atx_json_add_text(atx_str *out, const atx_json *json, uint32_t node);

/* false: not a number. NaN and the infinities are numbers. */
bool atx_json_number(double *out, const atx_json *json, uint32_t node);

/* false: not a number that is an integer ("32.0" is one) below 9e15, up to which a double has them all. */
bool atx_json_integer(int64_t *out, const atx_json *json, uint32_t node);

/* "file:line:column: ..." with AT_ERR_INPUT, for a node; `offset` counts characters of its decoded text. */
at_status atx_json_fail(const atx_json *json, uint32_t node, size_t offset, at_error *err, const char *format,
                        ...) AT_PRINTF(5, 6);
