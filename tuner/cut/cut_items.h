/*
 * cut_items.h - a rendered source, taken apart. Private to cut*.c.
 *
 * An item is a top-level definition with the comments above it, or a preprocessor line. A list (the constants
 * of one declaration, enumerators with values) is one item of several units, which are kept one by one; any
 * other item is one unit.
 */
#pragma once

#include "cut/cut.h"
#include "cut/cut_lex.h"

typedef enum atx_item_kind {
    ATX_ITEM_PLAIN,  /* one unit                                            */
    ATX_ITEM_LIST,   /* units with `prefix` before them and `suffix` behind */
    ATX_ITEM_ALWAYS, /* of no form that is known, or an #include            */
    ATX_ITEM_NEVER,  /* a static_assert: it holds                           */
    ATX_ITEM_OPENS,  /* #if                                                 */
    ATX_ITEM_TURNS,  /* #else, #elif                                        */
    ATX_ITEM_CLOSES  /* #endif                                              */
} atx_item_kind;

typedef struct atx_item {
    atx_item_kind kind;
    atx_str text; /* with its comments */
    atx_str prefix, suffix;
    bool gap;     /* blank lines before it */
    size_t group; /* the #if around it, as an index of items; SIZE_MAX: none */
    size_t unit, unit_count;
    bool kept;
} atx_item;

typedef struct atx_unit {
    atx_str text;
    size_t item;
    bool reached;
} atx_unit;

/* A name that a unit declares. */
typedef struct atx_unit_name {
    const char *text; /* borrowed from the clean text */
    size_t len, unit;
} atx_unit_name;

typedef struct atx_cut_state {
    atx_str clean;
    atx_item *items;
    size_t item_count, item_cap;
    atx_unit *units;
    size_t unit_count, unit_cap;
    atx_unit_name *names; /* in the order of units; sorted by text for reaching */
    size_t name_count, name_cap;
    size_t *open; /* reached units whose words were not looked at */
    size_t open_count, open_cap;
    atx_tokens tokens; /* of the clean text, comments included */
    size_t group;
    bool failed; /* out of memory */
    bool odd;    /* the text cannot be taken apart */
} atx_cut_state;

/* The text without what is the tuner's. *odd: brackets of #if do not close. false: out of memory. */
bool atx_cut_clean(atx_str *out, bool *odd, const atx_cutting *cutting);

/* From tokens to items, units and names. Sets `failed` or `odd`. */
void atx_cut_split(atx_cut_state *c);
