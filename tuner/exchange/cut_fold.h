/* cut_fold.h - what constants decide in a function. Private to cut*.c. */
#ifndef AUTOTUNE_CUT_FOLD_H
#define AUTOTUNE_CUT_FOLD_H

#include "exchange/cut_value.h"

enum { AT__CUT_ROUNDS = 500 }; /* edits of one definition */

/* Takes branches away from one definition. false: out of memory. */
bool at__cut_fold(at__str *text, const at__cut_constants *known);

/* Takes local constants away that nothing reads. false: out of memory. */
bool at__cut_unused_locals(at__str *text);

#endif
