/* cut_value.h - what constants tell of expressions. Private to cut*.c. */
#ifndef AUTOTUNE_CUT_VALUE_H
#define AUTOTUNE_CUT_VALUE_H

#include "cut/cut_lex.h"
#include "util/str.h"

enum { ATX_CUT_NESTING = 60 }; /* deeper ones are left as they are */

typedef struct atx_cut_constant {
    const char *name; /* borrowed, not terminated */
    size_t len;
    int64_t value;
} atx_cut_constant;

typedef struct atx_cut_constants {
    atx_cut_constant *items;
    size_t count, cap;
    int64_t type_bytes; /* sizeof(T); 0: unknown */
} atx_cut_constants;

typedef enum atx_truth { ATX_FALSE, ATX_TRUE, ATX_UNKNOWN } atx_truth;

/* The value of an expression, where it is certain that C++ finds the same. Sets *failed: out of memory. */
bool atx_cut_value(int64_t *value, bool *failed, const atx_tokens *t, size_t begin, size_t end,
                   const atx_cut_constants *known);

/* A condition; of one that is unknown, what is left of it is added to *out, and *changed set if that is less.
 */
atx_truth atx_cut_simplify(atx_str *out, bool *changed, const atx_tokens *t, size_t begin, size_t end,
                           const atx_cut_constants *known, int depth);

#endif
