/* report_parts.h - Private to report*.c: the page as it is being written. */
#ifndef AUTOTUNE_HTML_REPORT_PARTS_H
#define AUTOTUNE_HTML_REPORT_PARTS_H

#include "html/report.h"

/* A template and what it won; its place in the list is its colour. */
typedef struct at__html_kind {
    char name[64];
    size_t wins;
} at__html_kind;

typedef struct at__html_page {
    at__str *out;
    at__store *store;
    const at__html_options *options;
    at__answer *winners; /* by device, op, size */
    size_t count, cap;
    at__html_kind *kinds; /* by wins */
    size_t kind_count, kind_cap;
    bool rates;  /* an op of the section counts operations */
    bool failed; /* out of memory */
} at__html_page;

/* Degrees on the wheel of colours. */
int at__html_hue(const at__html_page *page, const char *template_name);

/* The section of winner number `index`. */
at_status at__html_problem(at__html_page *page, size_t index, at_error *err) AT_MUST_CHECK;

#endif
