/* cut_value.h - what constants tell of expressions. Private to cut*.c. */
#ifndef AUTOTUNE_CUT_VALUE_H
#define AUTOTUNE_CUT_VALUE_H

#include "cut/cut_lex.h"
#include "util/str.h"

enum { AT__CUT_NESTING = 60 }; /* deeper ones are left as they are */

typedef struct at__cut_constant {
    const char *name; /* borrowed, not terminated */
    size_t len;
    int64_t value;
} at__cut_constant;

typedef struct at__cut_constants {
    at__cut_constant *items;
    size_t count, cap;
    int64_t type_bytes; /* sizeof(T); 0: unknown */
} at__cut_constants;

typedef enum at__truth { AT__FALSE, AT__TRUE, AT__UNKNOWN } at__truth;

/* The value of an expression, where it is certain that C++ finds the same. Sets *failed: out of memory. */
bool at__cut_value(int64_t *value, bool *failed, const at__cut_tokens *t, size_t begin, size_t end,
                   const at__cut_constants *known);

/* A condition; of one that is unknown, what is left of it is added to *out, and *changed set if that is less.
 */
at__truth at__cut_simplify(at__str *out, bool *changed, const at__cut_tokens *t, size_t begin, size_t end,
                           const at__cut_constants *known, int depth);

#endif
