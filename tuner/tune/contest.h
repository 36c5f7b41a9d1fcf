/*
 * contest.h - the candidates for one problem and what became of them.
 *
 * A contest opens the spaces of an op's templates, lets a strategy propose, and keeps three stages busy at
 * once: compile workers, a short queue of compiled kernels, the device. A problem has two contests on the
 * same buffers: plain copies, which give the ceiling, and the op's own templates.
 *
 * Other devices of the same model may take part (crew.h): the strategy proposes for all of them. What they
 * measured is stored as it is, in the run of the device that did.
 *
 * Candidates belong to their contest and stay where they are until it is closed. One thread uses a contest.
 */
#ifndef AUTOTUNE_CONTEST_H
#define AUTOTUNE_CONTEST_H

#include "lang/metric.h"
#include "tune/crew.h"
#include "tune/env.h"

typedef struct at__contest at__contest;

typedef struct at__candidate {
    const at__template *t;
    at__config config;
    int64_t index;  /* in the strategy's numbering                                     */
    char *identity; /* "transpose 4096x4096 b4 tile TILE=32": owned                    */
    char *text;     /* its end: the configuration                                      */
    at__build build;
    at__measured m; /* valid once it is decided                                        */
    double score;   /* likewise, when timed: what is tuned for, smaller is better; INFINITY: none */
    bool decided, known, stored;
    bool remeasured; /* a final has timed it                                             */
    int seat;        /* which of the contest's devices has or had it; 0: its own        */
    bool away;       /* with that device, now                                           */
    bool deferred;   /* compiled, and taken back by the strategy                        */
} at__candidate;

/* How far a contest has come. */
typedef struct at__contest_count {
    int64_t total; /* valid configurations; saturates at INT64_MAX                         */
    int64_t limit; /* of trials: the user's, or total                                      */
    int64_t decided, failed, outcomes[AT__OUTCOMES];
    int64_t known;             /* of them taken from the store                            */
    double busy_s, saved_s;    /* sums over its trials, as in at__measured                */
    double started_s;          /* on at__now_s()                                          */
    double helped_s;           /* seconds of other devices that took part, together       */
    double fed_s;              /* when the device got its first trial; 0: not yet         */
    bool settled;              /* the strategy ended it, because little was to be gained  */
    bool interrupted;          /* by the user or by the budget                            */
    const at__candidate *best; /* of the least score; NULL: none is right so far          */
} at__contest_count;

/* Opens the spaces and reads what is known of them; borrows `env`. *out is NULL on failure. */
at_status at__contest_open(at__contest **out, at__env *env, const at__problem *problem, bool is_copy,
                           at_error *err) AT_MUST_CHECK;
void at__contest_close(at__contest *contest); /* NULL is allowed */

const at__contest_count *at__contest_tally(const at__contest *contest);
const at__problem *at__contest_problem(const at__contest *contest);
const at__problem_key *at__contest_key(const at__contest *contest);
const int64_t *at__contest_slots(const at__contest *contest); /* the op's, bound */
const char *at__contest_strategy(const at__contest *contest); /* its name */
bool at__contest_is_copy(const at__contest *contest);

/* Proposes as many candidates as the compilers take, and has them compiled, without waiting: before the
 * device is ready. */
at_status at__contest_compile_ahead(at__contest *contest, at_error *err) AT_MUST_CHECK;

/*
 * From now on devices that come for the offer (NULL: none) measure too, as long as the contest runs. They are
 * compared with its own by the fastest of `copies` (NULL: by what is the fastest so far). Borrows both.
 */
void at__contest_hire(at__contest *contest, at__offer *offer, at__contest *copies);

/*
 * Runs until the strategy, the budget or the user says stop. Everything measured is stored. `shown` is what
 * its progress events begin with; `ceiling_s` is the fastest copy, 0: unknown.
 */
at_status at__contest_run(at__contest *contest, const at__progress *shown, double ceiling_s,
                          at_error *err) AT_MUST_CHECK;

/* What is tuned for (lang/metric.h); of copies the time. INFINITY: it has none. */
double at__contest_score(const at__contest *contest, const at__record *record);

/* What a candidate's kernel takes, as far as it is known, tried or not. */
at__resources at__contest_resources(const at__contest *contest, const at__candidate *candidate,
                                    const at__kernel *kernel);

/*
 * A candidate turns out to fail after it was timed, or outside of the search: from now on it has this
 * outcome, which is not AT__TIMED, here and in the store (at__store_put_verdict). The one way in which an
 * outcome changes.
 */
at_status at__contest_invalidate(at__contest *contest, at__candidate *candidate, at__outcome outcome,
                                 const char *log, at_error *err) AT_MUST_CHECK;

/*
 * The best timed candidates, by score, within `within` of the best (0.06: 6 %), best first, with their
 * kernels built. Returns how many through *count (at most `max`). One that does not compile any more is
 * invalidated.
 */
at_status at__contest_leaders(at__contest *contest, at__candidate **out, int *count, int max, double within,
                              at_error *err) AT_MUST_CHECK;

/*
 * The candidate of a configuration, as text, whether it was tried or not, with its kernel built. *out is NULL
 * when it is not in the space, is known to fail, or does not compile, which is stored.
 */
at_status at__contest_entrant(at__candidate **out, at__contest *contest, const at__template *t,
                              const char *config, at_error *err) AT_MUST_CHECK;

/* For a candidate whose kernel came from the cache and may be what did not load: compiled instead. *again is
 * set then, and stays for others. */
at_status at__contest_compile_again(bool *again, at__contest *contest, at__candidate *candidate,
                                    at_error *err) AT_MUST_CHECK;

/* A candidate's kernel, ready for a launch; borrows the candidate's build. */
at_status at__contest_kernel(at__kernel *out, const at__contest *contest, const at__candidate *candidate,
                             at_error *err) AT_MUST_CHECK;

/* Why there is nothing to try: the requirement that refused most, of each template. */
void at__contest_add_refusals(at__str *out, const at__contest *contest);

/* One of the failures, for a reader who has not looked at any. */
void at__contest_add_failure(at__str *out, const at__contest *contest);

#endif
