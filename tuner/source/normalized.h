/*
 * normalized.h - the identity of the op or template that a text declares, independent of comments and
 * indentation: the hash of its normalized form. Results of a template are stored under it (`template_hash`).
 *
 * In the *folded* text comments become white space, white space between tokens is removed or becomes one
 * blank, and a declaration loses the `#` comments of its lines and its `general` lines. Tokens, literals and
 * the lines of the preprocessor stay.
 *
 * Invariant: the fold of a text has the same tokens, so that two texts with one fold are one to a compiler,
 * and their declarations one to the reader of those. In doubtful cases (a literal that does not end, a
 * backslash before blanks at the end of a line, __LINE__, ...) nothing is folded. Only the text of a CUDA
 * assert, which has its line number, may still differ.
 */
#pragma once

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
