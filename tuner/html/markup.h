/*
 * markup.h - text and numbers as HTML.
 *
 * Everything that comes from a store is foreign: it goes through atx_html_text, which leaves no character
 * that HTML, or a terminal that prints the file, would take for its own.
 */
#pragma once

#include "util/str.h"

/* Escaped for content and for attributes in double quotes; control characters, and bytes that are none,
 * become U+FFFD. */
void atx_html_text(atx_str *out, const char *text);

/* `frame` with each $ replaced by the next text, escaped. */
void atx_html_add(atx_str *out, const char *frame, ...);

/* The head of the page with its style, up to and with <body>; and what ends it. */
void atx_html_begin(atx_str *out, const char *title);
void atx_html_end(atx_str *out);

/* "36.20 us", "1.05 ms". */
void atx_html_time(atx_str *out, double seconds);

/* A bar of `share` of its cell's width, 0 to 1 and cut off there, with a label beside it. */
void atx_html_bar(atx_str *out, double share, const char *label);
