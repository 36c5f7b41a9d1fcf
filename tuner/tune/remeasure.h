/*
 * remeasure.h - stored winners measured again: after a driver update, on another card of the same model, in
 * CI.
 *
 * The winner, those it was tied with, the runner-ups of its own run, its template's default and the copy are
 * timed in one interleaved final, as when it won. What fails there is stored (at__contest_invalidate): such a
 * winner is no answer any more.
 */
#ifndef AUTOTUNE_REMEASURE_H
#define AUTOTUNE_REMEASURE_H

#include "tune/session.h"

/* Worst last. */
typedef enum at__remeasure_verdict {
    AT__HOLDS,
    AT__DRIFTED,    /* right and still the fastest, but the time is another one             */
    AT__LOST_TITLE, /* another configuration is faster now, by more than the noise          */
    AT__NOT_RIGHT,  /* its result is wrong, or it fails                                     */
    AT__NOT_ASKED   /* could not be measured: its template has changed, the device is too small */
} at__remeasure_verdict;
const char *at__remeasure_verdict_name(
    at__remeasure_verdict standing); /* "holds", "drift", "lost_title", "wrong", "unverified" */

typedef struct at__remeasured {
    at__remeasure_verdict standing;
    double median_s;  /* now; 0: not measured                                   */
    double ceiling_s; /* the fastest copy now; 0: none                          */
    at__str rival;    /* the fastest other configuration, "tile TILE=32 ..."    */
    double rival_s;   /* 0: there was none                                      */
    char why[800];    /* in words, when it does not hold                        */
} at__remeasured;
void at__remeasured_clear(at__remeasured *remeasured);

/*
 * What rows of a final say of its first finalist, which won in `then_s` seconds. `tolerance` 0.05: 5 % in
 * either direction is no drift. `scores`: of an op with an objective, what rows are compared by, smaller is
 * better, INFINITY: none; else NULL: their times. Pure.
 */
at__remeasure_verdict at__remeasure_judge(const at__finalist *list, const at__final_row *rows,
                                          const double *scores, int count, double then_s, double tolerance);

/* Measures one stored winner. A problem that cannot be measured is AT__NOT_ASKED, with AT_OK. Clear *out
 * after AT_OK. */
at_status at__remeasure(at__remeasured *out, at__session *session, const at__problem *problem,
                        const at__answer *winner, double tolerance, at_error *err) AT_MUST_CHECK;

#endif
