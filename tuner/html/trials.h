/*
 * trials.h - the trials of one winner's problem, under the conditions of the winner, for its section of the
 * report.
 */
#ifndef AUTOTUNE_HTML_TRIALS_H
#define AUTOTUNE_HTML_TRIALS_H

#include "db/store.h"

typedef struct at__html_trial {
    char *template_name, *config, *log; /* owned; log: "" for a timed one */
    char measured_at[24];
    at__outcome outcome;
    at__timing timing;
    at__resources resources;
    int64_t id;
} at__html_trial;

typedef struct at__html_trials {
    at__html_trial *items; /* in the order in which they were measured */
    size_t count, cap;
    bool failed; /* out of memory */
} at__html_trials;

at_status at__html_trials_read(at__html_trials *out, at__store *store, const at__answer *winner,
                               at_error *err) AT_MUST_CHECK;
void at__html_trials_clear(at__html_trials *trials);

/* What one value of one parameter did, among the timed trials of a template. */
typedef struct at__effect {
    char param[64], value[64];
    double best_s, median_s;
    size_t count;
} at__effect;

/* The effects, by parameter in the order of the configurations, by value as numbers where they are; NULL:
 * there are none. free() them. false: out of memory. */
bool at__html_effects(at__effect **out, size_t *count, const at__html_trials *trials,
                      const char *template_name);

#endif
