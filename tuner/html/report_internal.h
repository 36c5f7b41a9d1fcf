/* report_internal.h - Private to report*.c: the page as it is being written. */
#pragma once

#include "html/plot.h"
#include "html/report.h"
#include "html/trials.h"

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
    bool *sections; /* which winners have one */
    bool rates;     /* an op of the section counts operations */
    bool ops;       /* the section has several ops */
    bool failed;    /* out of memory */
} atx_html_page;

/* Is it of the device, op and shape that the options name? */
bool atx_html_wants(const atx_html_options *options, const atx_answer *a);

/* Degrees on the wheel of colours; a template that is new gets the next. */
int atx_html_hue(atx_html_page *page, const char *template_name);

/* Points and the texts that they borrow. */
typedef struct atx_html_cloud {
    atx_point *points;
    char (*texts)[160];
    size_t count;
} atx_html_cloud;
bool atx_html_cloud_open(atx_html_cloud *c, size_t most);
void atx_html_cloud_close(atx_html_cloud *c);

/* "(shape) (type): (figure)" */
void atx_html_cloud_add(atx_html_cloud *c, atx_point point, const atx_answer *a, const char *figure);

/* What became slower or faster since an earlier store. */
void atx_html_before_and_after(atx_html_page *page);

/* Earlier winners of the same problem, where there are any. */
at_status atx_html_history(atx_html_page *page, const atx_answer *winner, at_error *err) AT_MUST_CHECK;

/* Of one problem the front of the options' figures; nothing where they ask for none. */
void atx_html_front(atx_html_page *page, const atx_html_trials *trials, size_t most_points);

/* The section of winner number `index`. */
at_status atx_html_problem(atx_html_page *page, size_t index, at_error *err) AT_MUST_CHECK;
