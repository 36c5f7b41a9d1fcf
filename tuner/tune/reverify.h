/*
 * reverify.h - stored winners measured again: after a driver update, on another card of the same model, in
 * CI.
 *
 * The winner, those it was tied with, the runner-ups of its own run, its template's default and the copy are
 * timed in one interleaved re-measurement, as when it won. What fails there is stored
 * (atx_search_run_invalidate): such a winner is no answer any more.
 */
#pragma once

#include "tune/session.h"

/* Worst last. */
typedef enum atx_reverify_verdict {
    ATX_HOLDS,
    ATX_DRIFTED,    /* right and still the fastest, but the time is another one             */
    ATX_LOST_TITLE, /* another configuration is faster now, by more than the noise          */
    ATX_NOT_RIGHT,  /* its result is wrong, or it fails                                     */
    ATX_NOT_ASKED   /* could not be measured: its template has changed, the device is too small */
} atx_reverify_verdict;
const char *atx_reverify_verdict_name(
    atx_reverify_verdict verdict); /* "holds", "drift", "lost_title", "wrong", "unverified" */

typedef struct atx_reverified {
    atx_reverify_verdict verdict;
    double median_s;  /* now; 0: not measured                                   */
    double ceiling_s; /* the fastest copy now; 0: none                          */
    atx_str rival;    /* the fastest other configuration, "tile TILE=32 ..."    */
    double rival_s;   /* 0: there was none                                      */
    char why[800];    /* in words, when it does not hold                        */
} atx_reverified;
void atx_reverified_clear(atx_reverified *reverified);

/* Measures one stored winner. A problem that cannot be measured is ATX_NOT_ASKED, with AT_OK. Clear *out
 * after AT_OK. */
at_status atx_reverify(atx_reverified *out, atx_session *session, const atx_problem *problem,
                       const atx_answer *winner, double tolerance, at_error *err) AT_MUST_CHECK;
