/*
 * report.h - all data of a store as one HTML page: winners with their shares, where which template wins,
 * and for each problem the course of its search, the effect of each parameter, ties, conditions, failures.
 */
#pragma once

#include "lang/front.h"
#include "lookup/compare.h"

typedef struct atx_html_options {
    const char *source;           /* the store's name for the reader                         */
    const char *device;           /* its name; NULL: all                                     */
    const char *op;               /* NULL: all                                               */
    const char *shape;            /* of one problem, as the key has it; NULL: all            */
    const atx_comparison *before; /* with an earlier store, which is called `before_source`; NULL: none */
    const char *before_source;
    const atx_front *front; /* of which problems show the front; no metrics; NULL: none */
    /* Adds what the winner's op makes of its figures, as text; NULL: unknown. */
    void (*add_metrics)(void *context, atx_str *out, const atx_answer *winner);
    void *context;
} atx_html_options;

/* AT_ERR_NOT_FOUND: nothing in the store matches. */
at_status atx_html_report(atx_str *out, atx_store *store, const atx_html_options *options,
                          at_error *err) AT_MUST_CHECK;
