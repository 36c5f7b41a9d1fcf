/*
 * population.h - of a list with more problems than are to be tuned, which ones to tune: those that say most
 * about the others, which are then answered by prediction.
 *
 * The next problem is the one whose answer has the highest expected loss by the model, less where similar
 * problems were tuned. The model beside the database is trained meanwhile. Tuning ends when the answers for
 * the other problems are expected to lose little enough, or when the time is over. Problems that are drawn
 * at random check how good answers are.
 */
#pragma once

#include "lang/catalog.h"
#include "lang/problem.h"
#include "lookup/lookup.h"

#include <stdatomic.h>

typedef struct atx_population_plan {
    double within;  /* tune until the others are expected to lose no more in the mean, 0.03: 3 %; 0: all */
    double until_s; /* begin no problem after that, on atx_now_s(); 0: whenever it is                      */
} atx_population_plan;

/* What is known of the problems in the end. */
typedef struct atx_population_loss {
    size_t tuned;    /* known exactly                                                                    */
    size_t answered; /* the others that have an answer; from a sample if there are many                  */
    size_t others;
    double mean; /* expected loss of those answers, by a model and the spot checks; below 0: no model says */
    size_t checked; /* problems drawn at random, whose answers were compared with what tuning them found */
    double checked_mean, checked_most; /* their loss; 95 of 100 lose no more; below 0: none was checked */
} atx_population_loss;

typedef struct atx_population atx_population;

typedef struct atx_population_of {
    const atx_problem *problems; /* borrowed, as the catalog and the path are */
    size_t count;
    const atx_catalog *catalog;
    const char *db;
    const atomic_int *cancel;
    atx_target target; /* the device */
    bool alone;        /* bundled results and the bundled model say nothing: a replay */
    bool force;        /* what an earlier run has tuned is tuned again */
} atx_population_of;

at_status atx_population_open(atx_population **out, const atx_population_of *of,
                              const atx_population_plan *plan, at_error *err) AT_MUST_CHECK;
void atx_population_close(atx_population *p); /* harmless on NULL */

/* The problem to tune next; *place is `count` when no other is to be tuned. Takes up to some seconds when it
 * trains the model. */
at_status atx_population_next(size_t *place, atx_population *p, at_error *err) AT_MUST_CHECK;

/* After the last one: trains the model once more, and looks the answers up. */
at_status atx_population_state(atx_population_loss *out, atx_population *p, at_error *err) AT_MUST_CHECK;
