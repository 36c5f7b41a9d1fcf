/*
 * number.h - numbers in texts: as in C, 1.5e-3, in any locale of the program that uses the library; and whole
 * numbers as users write them, 16_384.
 *
 * Texts that are exchanged with others (declarations, JSON, CUDA sources) have a point; in the locale of a
 * program that called setlocale(), strtod() and printf() may use a comma. Safe from any thread. Users may
 * group digits with single underscores. Ambiguous numbers are refused: 010 (eight, or a part of 1,010), and
 * 1,024 where a comma separates.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As strtod() in the locale "C"; `end` may be NULL. */
double atx_real_read(const char *text, char **end);

/* As vsnprintf() in the locale "C". */
int atx_vformat(char *out, size_t size, const char *format, va_list args);

/* Reads from *p on and moves it behind the digits. NULL: *out is the number. Else what was expected instead,
 * to stand behind "expected ". */
const char *atx_whole_read(int64_t *out, const char **p, const char *end);

/* The same of a size, which may end with K (1024) or M (1024 K). */
const char *atx_size_read(int64_t *out, const char **p, const char *end);

/* The same of a whole text. */
const char *atx_whole_parse(int64_t *out, const char *text);

/*
 * Do the digits at `p` begin what looks like one number with commas between its thousands? *stop is then
 * behind it. Where a word that is no number is joined by a comma as well, as in a line of CSV, commas
 * separate. `begin` is where the line begins.
 */
bool atx_looks_like_thousands(const char **stop, const char *begin, const char *p, const char *end);
