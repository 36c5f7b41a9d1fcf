/*
 * whole_number.h - whole numbers as users write them: digits, which single underscores may group, 16_384.
 * What could be meant in two ways is refused: 010 (eight, or a part of 1,010), and 1,024 where a comma
 * separates.
 */
#ifndef AUTOTUNE_UTIL_WHOLE_NUMBER_H
#define AUTOTUNE_UTIL_WHOLE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Reads from *p on and moves it behind the digits. NULL: *out is the number. Else what was expected instead,
 * to stand behind "expected ". */
const char *atx_whole_read(int64_t *out, const char **p, const char *end);

/* The same of a whole text. */
const char *atx_whole_parse(int64_t *out, const char *text);

/*
 * Do the digits at `p` begin what looks like one number with commas between its thousands? *stop is then
 * behind it. Where a word that is no number is joined by a comma as well, as in a line of CSV, commas
 * separate. `begin` is where the line begins.
 */
bool atx_looks_like_thousands(const char **stop, const char *begin, const char *p, const char *end);

#endif
