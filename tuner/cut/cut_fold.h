/* cut_fold.h - what constants decide in a function. Private to cut*.c. */
#ifndef AUTOTUNE_CUT_FOLD_H
#define AUTOTUNE_CUT_FOLD_H

#include "cut/cut_value.h"

enum { ATX_CUT_ROUNDS = 500 }; /* edits of one definition */

/* Takes branches away from one definition. false: out of memory. */
bool atx_cut_fold(atx_str *text, const atx_cut_constants *known);

/* Decides the "a ? b : c" behind token i, '=' or '(', of a definition. false: there is none, or it is not
 * certain. */
bool atx_cut_choose(atx_str *text, const atx_tokens *t, size_t i, const atx_cut_constants *known);

/* Takes local constants away that nothing reads. false: out of memory. */
bool atx_cut_unused_locals(atx_str *text);

#endif
