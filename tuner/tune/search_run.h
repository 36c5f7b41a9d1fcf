/*
 * search_run.h - the candidates for one problem and their results.
 *
 * A search run opens the spaces of an op's templates, lets a strategy propose, and keeps three stages busy at
 * once: compile workers, a short queue of compiled kernels, the device. A problem has two search runs on the
 * same buffers: plain copies, which give the ceiling, and the op's own templates.
 *
 * Other devices of the same model may take part (helper_pool.h): the strategy proposes for all of them. Their
 * measurements are stored in the run of the device that made them.
 *
 * Candidates belong to their search run and stay in place until it is closed. One thread uses a search run.
 */
#pragma once

#include "lang/front.h"
#include "tune/helper_pool.h"
#include "tune/env.h"

typedef struct atx_search_run atx_search_run;

typedef struct atx_candidate {
    const atx_template *t;
    atx_config config;
    int64_t index;  /* in the strategy's numbering                                     */
    char *identity; /* "transpose 4096x4096 b4 tile TILE=32": owned                    */
    char *text;     /* its end: the configuration                                      */
    atx_build build;
    atx_measured m; /* valid once it is decided                                        */
    double score;   /* likewise, when timed: what is tuned for, smaller is better; INFINITY: none */
    bool decided, known, stored;
    bool reverified; /* a re-measurement has timed it                                             */
    int device_slot; /* which of the search run's devices has or had it; 0: its own        */
    bool away;       /* with that device, now                                           */
    bool deferred;   /* compiled, and taken back by the strategy                        */
} atx_candidate;

/* How far a search run has come. */
typedef struct atx_search_run_count {
    int64_t total; /* valid configurations; saturates at INT64_MAX                         */
    int64_t limit; /* of trials: the user's, or total                                      */
    int64_t decided, failed, outcomes[ATX_OUTCOMES];
    int64_t known;          /* of them taken from the store                            */
    double busy_s, saved_s; /* sums over its trials, as in atx_measured                */
    double helped_s;        /* seconds of other devices that took part, together       */
    double fed_s;           /* when the device got its first trial; 0: not yet         */
    bool converged;         /* the strategy ended it, because little was to be gained  */
    bool interrupted;       /* by the user or by the budget                            */
    atx_candidate *best;    /* of the least score; NULL: none is right so far          */
} atx_search_run_count;

/* What a search run is for, besides the time or the op's objective: a place on a front. */
typedef struct atx_aim {
    const atx_front *front; /* NULL: none */
    int other;              /* figure, beside the first one ... */
    double weight;          /* ... which has the rest of 1      */
} atx_aim;

/*
 * Opens the spaces and reads what is known of them; borrows `env` and the aim's front. `aim` NULL: none. One
 * with an aim continues another run's trials, and never measures them again. *out is NULL on failure.
 */
at_status atx_search_run_open(atx_search_run **out, atx_env *env, const atx_problem *problem, bool is_copy,
                              const atx_aim *aim, at_error *err) AT_MUST_CHECK;
void atx_search_run_close(atx_search_run *search_run); /* NULL is allowed */

const atx_search_run_count *atx_search_run_tally(const atx_search_run *search_run);
const atx_problem *atx_search_run_problem(const atx_search_run *search_run);
const atx_problem_key *atx_search_run_key(const atx_search_run *search_run);
const int64_t *atx_search_run_slots(const atx_search_run *search_run); /* the op's, bound */
const char *atx_search_run_strategy(const atx_search_run *search_run); /* its name */
bool atx_search_run_is_copy(const atx_search_run *search_run);

/* Proposes as many candidates as the compilers take, has them compiled, and takes what they have compiled,
 * without waiting: before the device is ready. */
at_status atx_search_run_compile_ahead(atx_search_run *search_run, at_error *err) AT_MUST_CHECK;

/* To a search that was opened before another problem of the op ended: this configuration won that one. */
void atx_search_run_hint(atx_search_run *search_run, const atx_template *t, const atx_config *config);

/*
 * From now on devices that come for the help request (NULL: none) measure too, as long as the search run
 * runs. They are compared with its own by the fastest of `copies` (NULL: by what is the fastest so far).
 * Borrows both.
 */
void atx_search_run_hire(atx_search_run *search_run, atx_help_request *help_request, atx_search_run *copies);

/*
 * Runs until the strategy, the budget or the user says stop. Everything measured is stored. `shown` is what
 * its progress events begin with; `ceiling_s` is the fastest copy, 0: unknown.
 */
at_status atx_search_run_run(atx_search_run *search_run, const atx_progress *shown, double ceiling_s,
                             at_error *err) AT_MUST_CHECK;

/* What is tuned for (lang/metric.h); of copies the time. INFINITY: it has none. */
double atx_search_run_score(const atx_search_run *search_run, const atx_record *record);

/* What a candidate's kernel takes, as far as it is known, tried or not. */
atx_resources atx_search_run_resources(const atx_search_run *search_run, const atx_candidate *candidate,
                                       const atx_kernel *kernel);

/*
 * A candidate turns out to fail after it was timed, or outside of the search: from now on it has this
 * outcome, which is not ATX_TIMED, here and in the store (atx_store_put_verdict). The one way in which an
 * outcome changes.
 */
at_status atx_search_run_invalidate(atx_search_run *search_run, atx_candidate *candidate, atx_outcome outcome,
                                    const char *log, at_error *err) AT_MUST_CHECK;

/*
 * The best timed candidates, by score, within `within` of the best (0.06: 6 %), best first, with their
 * kernels built. Returns how many through *count (at most `max`). One that does not compile any more is
 * invalidated.
 */
at_status atx_search_run_leaders(atx_search_run *search_run, atx_candidate **out, int *count, int max,
                                 double within, at_error *err) AT_MUST_CHECK;

/*
 * The candidate of a configuration, as text, whether it was tried or not, with its kernel built. *out is NULL
 * when it is not in the space, is known to fail, or does not compile, which is stored.
 */
at_status atx_search_run_entrant(atx_candidate **out, atx_search_run *search_run, const atx_template *t,
                                 const char *config, at_error *err) AT_MUST_CHECK;

/* For a candidate whose kernel came from the cache and may be what did not load: compiled instead. *again is
 * set then, and stays for others. */
at_status atx_search_run_compile_again(bool *again, atx_search_run *search_run, atx_candidate *candidate,
                                       at_error *err) AT_MUST_CHECK;

/* A candidate's kernel, ready for a launch; borrows the candidate's build. */
at_status atx_search_run_kernel(atx_kernel *out, const atx_search_run *search_run, atx_candidate *candidate,
                                at_error *err) AT_MUST_CHECK;

/* Why there is nothing to try: the requirement that refused most, of each template. */
void atx_search_run_add_refusals(atx_str *out, const atx_search_run *search_run);

/* One of the failures, with words of why; NULL: there is none. */
const atx_candidate *atx_search_run_failure(const atx_search_run *search_run);

/* One of the failures, for a reader who has not looked at any. */
void atx_search_run_add_failure(atx_str *out, const atx_search_run *search_run);
