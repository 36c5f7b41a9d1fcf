/* report_internal.h - Private to report*.c: the page as it is being written. */
#ifndef AUTOTUNE_HTML_REPORT_INTERNAL_H
#define AUTOTUNE_HTML_REPORT_INTERNAL_H

#include "html/report.h"

/* A table that can be scrolled by keyboard; the head's row follows, "</tr></thead>\n<tbody>\n", and rows. */
#define ATX_HTML_TABLE(name)                                                                                 \
    "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"" name "\"><table>\n<thead>"
#define ATX_HTML_TABLE_END "</tbody></table></div>\n"
#define ATX_HTML_TH(name)  "<th scope=\"col\">" name "</th>"
#define ATX_HTML_THN(name) "<th scope=\"col\" class=\"n\">" name "</th>"

/* A template and what it won; its place in the list is its colour. */
typedef struct atx_html_kind {
    char name[64];
    size_t wins;
} atx_html_kind;

typedef struct atx_html_page {
    atx_str *out;
    atx_store *store;
    const atx_html_options *options;
    atx_answer *winners; /* by device, op, size */
    size_t count, cap;
    atx_html_kind *kinds; /* by wins */
    size_t kind_count, kind_cap;
    double section_share; /* problems of a greater share of the ceiling have no section */
    bool rates;           /* an op of the section counts operations */
    bool ops;             /* the section has several ops */
    bool failed;          /* out of memory */
} atx_html_page;

/* Degrees on the wheel of colours; a template that is new gets the next. */
int atx_html_hue(atx_html_page *page, const char *template_name);

/* The section of winner number `index`. */
at_status atx_html_problem(atx_html_page *page, size_t index, at_error *err) AT_MUST_CHECK;

#endif
