/*
 * trials.h - the trials of one winner's problem, under the conditions of the winner, for its section of the
 * report.
 */
#pragma once

#include "db/store.h"

typedef struct atx_html_trials {
    atx_trial_row *items; /* texts owned; in the order in which they were measured */
    size_t count, cap;
    bool failed; /* out of memory */
} atx_html_trials;

at_status atx_html_trials_read(atx_html_trials *out, atx_store *store, const atx_answer *winner,
                               at_error *err) AT_MUST_CHECK;
void atx_html_trials_clear(atx_html_trials *trials);

/* What one value of one parameter did, among the timed trials of a template. */
typedef struct atx_effect {
    char param[64], value[64];
    double best_s, median_s;
    size_t count;
} atx_effect;

/* The effects, by parameter in the order of the configurations, by value as numbers where they are; NULL:
 * there are none. free() them. false: out of memory. */
bool atx_html_effects(atx_effect **out, size_t *count, const atx_html_trials *trials,
                      const char *template_name);
