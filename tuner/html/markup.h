/*
 * markup.h - text and numbers as HTML.
 *
 * Everything that comes from a store is foreign: it goes through at__html_text, which leaves no character
 * that HTML, or a terminal that prints the file, would take for its own.
 */
#ifndef AUTOTUNE_HTML_MARKUP_H
#define AUTOTUNE_HTML_MARKUP_H

#include "util/str.h"

/* Escaped for content and for attributes in double quotes; control characters, and bytes that are none,
 * become U+FFFD. */
void at__html_text(at__str *out, const char *text);

/* The head of the page with its style, up to and with <body>; and what ends it. */
void at__html_begin(at__str *out, const char *title);
void at__html_end(at__str *out);

/* "36.20 us", "1.05 ms". */
void at__html_time(at__str *out, double seconds);

/* A bar of `share` of its cell's width, 0 to 1 and cut off there, with a label beside it. */
void at__html_bar(at__str *out, double share, const char *label);

#endif
