/* cut_fold.h - what constants decide in a function. Private to cut*.c. */
#ifndef AUTOTUNE_CUT_FOLD_H
#define AUTOTUNE_CUT_FOLD_H

#include "exchange/cut_lex.h"
#include "util/str.h"

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

/* The value of an expression, where it is certain that C++ finds the same. */
bool at__cut_value(int64_t *value, const at__cut_tokens *t, size_t begin, size_t end,
                   const at__cut_constants *known);

/* Folds the text of one definition. false: out of memory. */
bool at__cut_fold(at__str *text, const at__cut_constants *known);

/* Takes local constants away that nothing reads. false: out of memory. */
bool at__cut_unused_locals(at__str *text);

#endif
