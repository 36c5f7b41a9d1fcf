/*
 * normalized.h - which op or template a text declares, whatever its comments and indents: the hash of what
 * decides what it does. It is the name by which results of a template are stored (`template_hash`).
 *
 * A text is *folded*: comments become white space, white space between tokens goes or becomes one blank, and
 * a declaration loses the `#` comments of its lines and what it says is `general`. Tokens, literals and the
 * lines of the preprocessor stay.
 *
 * Invariant: the fold of a text is a text with the same tokens, so that two texts with one fold are one to a
 * compiler, and their declarations one to the reader of those. Where that is in doubt
 * (a literal that does not end, a backslash before blanks at the end of a line, __LINE__, ...) nothing is
 * folded. What still sees lines is the text of an assert of CUDA's, which names its own.
 */
#ifndef AUTOTUNE_NORMALIZED_H
#define AUTOTUNE_NORMALIZED_H

#include "util/sha256.h"
#include "util/str.h"

/*
 * Appends the fold of a bundle (declare_common.h) or a file. `left_out`: first words of lines that the
 * declaration is folded without, the last NULL; NULL: none. false: in doubt, and nothing was appended.
 */
bool atx_normalized_fold(atx_str *out, const char *text, size_t len, const char *const *left_out);

/* The hash of the fold; of the text itself where nothing is folded. Never a plain SHA-256 of a text. */
at_status atx_normalized_hash(char hash[ATX_HASH_TEXT], const char *text, size_t len,
                              const char *const *left_out, at_error *err) AT_MUST_CHECK;

#endif
