/*
 * remeasure.h - stored winners measured again: after a driver update, on another card of the same model, in
 * CI.
 *
 * The winner, those it was tied with, the runner-ups of its own run, its template's default and the copy are
 * timed in one interleaved final, as when it won. What fails there is stored (atx_contest_invalidate): such a
 * winner is no answer any more.
 */
#ifndef AUTOTUNE_REMEASURE_H
#define AUTOTUNE_REMEASURE_H

#include "tune/session.h"

/* Worst last. */
typedef enum atx_remeasure_verdict {
    ATX_HOLDS,
    ATX_DRIFTED,    /* right and still the fastest, but the time is another one             */
    ATX_LOST_TITLE, /* another configuration is faster now, by more than the noise          */
    ATX_NOT_RIGHT,  /* its result is wrong, or it fails                                     */
    ATX_NOT_ASKED   /* could not be measured: its template has changed, the device is too small */
} atx_remeasure_verdict;
const char *atx_remeasure_verdict_name(
    atx_remeasure_verdict standing); /* "holds", "drift", "lost_title", "wrong", "unverified" */

typedef struct atx_remeasured {
    atx_remeasure_verdict standing;
    double median_s;  /* now; 0: not measured                                   */
    double ceiling_s; /* the fastest copy now; 0: none                          */
    atx_str rival;    /* the fastest other configuration, "tile TILE=32 ..."    */
    double rival_s;   /* 0: there was none                                      */
    char why[800];    /* in words, when it does not hold                        */
} atx_remeasured;
void atx_remeasured_clear(atx_remeasured *remeasured);

/*
 * What rows of a final say of its first finalist, which won in `then_s` seconds. `tolerance` 0.05: 5 % in
 * either direction is no drift. `scores`: of an op with an objective, what rows are compared by, smaller is
 * better, INFINITY: none; else NULL: their times. Pure.
 */
atx_remeasure_verdict atx_remeasure_judge(const atx_finalist *list, const atx_final_row *rows,
                                          const double *scores, int count, double then_s, double tolerance);

/* Measures one stored winner. A problem that cannot be measured is ATX_NOT_ASKED, with AT_OK. Clear *out
 * after AT_OK. */
at_status atx_remeasure(atx_remeasured *out, atx_session *session, const atx_problem *problem,
                        const atx_answer *winner, double tolerance, at_error *err) AT_MUST_CHECK;

#endif
