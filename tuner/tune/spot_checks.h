/*
 * spot_checks.h - how good predictions are: problems of a population that are drawn at random, whose answer
 * is noted before they are tuned, and compared with what tuning them finds.
 *
 * The problems that are tuned because their answers are doubtful say nothing of the others, and a model that
 * is judged by its own trials is flattered: its answer may be a configuration that no trial has seen to be
 * slow.
 */
#pragma once

#include "db/store.h"
#include "lang/catalog.h"
#include "lang/problem.h"

typedef struct atx_spot_check {
    const atx_problem *problem; /* borrowed */
    const atx_template *t;      /* of the answer */
    atx_config config;
    double expected; /* its loss, by the model         */
    double loss;     /* as measured; below 0: not yet   */
} atx_spot_check;

typedef struct atx_spot_checks {
    atx_spot_check *items;
    size_t count, cap;
} atx_spot_checks;

typedef struct atx_spot_check_figures {
    size_t count;      /* of those that are measured                                      */
    double mean, most; /* loss; 95 of 100 lose no more; below 0: count is 0                */
    double ratio;      /* of losses to expected ones; four more count as lost as expected */
} atx_spot_check_figures;

/* Before the problem is tuned. */
at_status atx_spot_checks_add(atx_spot_checks *checks, const atx_spot_check *check,
                              at_error *err) AT_MUST_CHECK;

/* Measures those whose problem has a winner on the device by now. One whose answer was not timed there is
 * dropped. */
at_status atx_spot_checks_measure(atx_spot_checks *checks, atx_store *store, const char *device,
                                  at_error *err) AT_MUST_CHECK;

at_status atx_spot_checks_figures(atx_spot_check_figures *out, const atx_spot_checks *checks,
                                  at_error *err) AT_MUST_CHECK;

void atx_spot_checks_clear(atx_spot_checks *checks);
