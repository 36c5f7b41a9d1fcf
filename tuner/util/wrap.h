/*
 * wrap.h - a line of text as several that fit a terminal. Lines end between words; a word that is wider than
 * the rest of a line keeps its line. Columns are counted in characters of UTF-8. Pure.
 */
#pragma once

#include "util/str.h"

/* Where the words of a text go. */
typedef struct atx_wrap_box {
    size_t begin;  /* columns that the caller has filled     */
    size_t indent; /* column at which further lines begin    */
    size_t width;  /* columns of a line; 0: there is no limit */
} atx_wrap_box;

/* Adds the words of one line, without a newline at the end. */
void atx_wrap(atx_str *out, const char *text, size_t len, atx_wrap_box box);

/* Columns of a text; escape sequences of colours take none. */
size_t atx_columns(const char *text, size_t len);
