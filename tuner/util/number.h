/*
 * number.h - numbers as C writes them, 1.5e-3, whatever the locale of the program that uses the library.
 *
 * What is read and written by others (declarations, JSON, CUDA sources) has a point; in the locale of a
 * program that called setlocale() strtod() and printf() may want a comma. Safe from any thread.
 */
#ifndef AUTOTUNE_UTIL_NUMBER_H
#define AUTOTUNE_UTIL_NUMBER_H

#include <stdarg.h>
#include <stddef.h>

/* As strtod() in the locale "C"; `end` may be NULL. */
double atx_real_read(const char *text, char **end);

/* As vsnprintf() in the locale "C". */
int atx_format(char *out, size_t size, const char *format, va_list args);

#endif
