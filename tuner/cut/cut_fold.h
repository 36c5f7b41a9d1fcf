/* cut_fold.h - what constants decide in a function. Private to cut*.c. */
#ifndef AUTOTUNE_CUT_FOLD_H
#define AUTOTUNE_CUT_FOLD_H

#include "cut/cut_value.h"

enum { AT__CUT_ROUNDS = 500 }; /* edits of one definition */

/* Takes branches away from one definition. false: out of memory. */
bool at__cut_fold(at__str *text, const at__cut_constants *known);

/* Decides the "a ? b : c" behind token i, '=' or '(', of a definition. false: there is none, or it is not
 * certain. */
bool at__cut_choose(at__str *text, const at__cut_tokens *t, size_t i, const at__cut_constants *known);

/* Takes local constants away that nothing reads. false: out of memory. */
bool at__cut_unused_locals(at__str *text);

#endif
