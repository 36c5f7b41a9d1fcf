/*
 * cut_items.h - a rendered source, taken apart. Private to cut*.c.
 *
 * An item is a top-level definition with the comments above it, or a preprocessor line. A list (the constants
 * of one declaration, enumerators with values) is one item of several units, which are kept one by one; any
 * other item is one unit.
 */
#ifndef AUTOTUNE_CUT_ITEMS_H
#define AUTOTUNE_CUT_ITEMS_H

#include "cut/cut.h"
#include "cut/cut_fold.h"
#include "cut/cut_lex.h"

typedef enum at__item_kind {
    AT__ITEM_PLAIN,  /* one unit                                            */
    AT__ITEM_LIST,   /* units with `prefix` before them and `suffix` behind */
    AT__ITEM_ALWAYS, /* of no form that is known, or an #include            */
    AT__ITEM_NEVER,  /* a static_assert: it holds                           */
    AT__ITEM_OPENS,  /* #if                                                 */
    AT__ITEM_TURNS,  /* #else, #elif                                        */
    AT__ITEM_CLOSES  /* #endif                                              */
} at__item_kind;

typedef struct at__item {
    at__item_kind kind;
    at__str text; /* with its comments */
    at__str prefix, suffix;
    bool gap;     /* blank lines before it */
    size_t group; /* the #if around it, as an index of items; SIZE_MAX: none */
    size_t unit, unit_count;
    bool kept;
} at__item;

typedef struct at__unit {
    at__str text;
    size_t item;
    bool reached;
} at__unit;

/* A name that a unit declares. */
typedef struct at__unit_name {
    const char *text; /* borrowed from the clean text */
    size_t len, unit;
} at__unit_name;

typedef struct at__cut_state {
    at__str clean;
    at__item *items;
    size_t item_count, item_cap;
    at__unit *units;
    size_t unit_count, unit_cap;
    at__unit_name *names; /* in the order of units; sorted by text for reaching */
    size_t name_count, name_cap;
    size_t *open; /* reached units whose words were not looked at */
    size_t open_count, open_cap;
    at__cut_constants constants;
    at__cut_tokens tokens; /* of the clean text, comments included */
    size_t group;
    bool failed; /* out of memory */
    bool odd;    /* the text cannot be taken apart */
} at__cut_state;

/* The text without what is the tuner's. *odd: brackets of #if do not close. false: out of memory. */
bool at__cut_clean(at__str *out, bool *odd, const at__cutting *cutting);

/* From tokens to items, units and names. Sets `failed` or `odd`. */
void at__cut_split(at__cut_state *c);

#endif
