/*
 * contest.h - the candidates for one problem and what became of them.
 *
 * A contest opens the spaces of an op's templates, lets a strategy propose, and keeps three stages busy at
 * once: compile workers, a short queue of compiled kernels, the device. A problem has two contests on the
 * same buffers: plain copies, which give the ceiling, and the op's own templates.
 */
#ifndef AUTOTUNE_CONTEST_H
#define AUTOTUNE_CONTEST_H

#include "compile/builder.h"
#include "tune/tune.h"

/* Winners of other problems that a search begins with, at most. */
#define AT__MAX_HINTS 8

/* What a device's thread works with. */
typedef struct at__session {
    const at__catalog *catalog;
    const at__tune_options *options;
    at__device *device;
    at__store *store;
    at__builder builder;
    at__build checks; /* tuner/verify.cu */
    at__fingerprint fingerprint;
    int64_t run_id;
    int64_t settled_run_id; /* of winners whose search ended by itself; 0: none yet */
    uint64_t seed;
    at__cancel cancel;     /* of what is waited for just now: everybody's who works for this session */
    double budget_until_s; /* when the problem's budget ends, on at__now_s(); 0: never */
    at__progress now;      /* of the problem, as long as no contest runs */
    double shown_s;        /* when that was shown last */
    char doing[AT__MAX_NAME + 40]; /* now.doing */
    at__store *cache;              /* the builder's, to be closed */
    bool cache_lost;               /* and the user was told so    */
    bool old_templates;            /* of the recording: likewise  */
    const at__tune_events *events; /* all of them there           */
} at__session;

typedef struct at__candidate {
    const at__template *t;
    at__config config;
    int64_t index;  /* in the strategy's numbering   */
    char *identity; /* "transpose 4096x4096 b4 tile TILE=32": owned         */
    char *text;     /* its end: the configuration   */
    at__build build;
    at__measured m; /* valid once it has an outcome  */
    bool decided, known, stored;
    bool deferred; /* compiled, and taken back by the strategy  */
} at__candidate;

typedef struct at__contest {
    at__session *session;
    at__problem problem;
    bool is_copy;
    at__problem_key key;
    at__str shape;
    int64_t slots[AT__MAX_SLOTS];
    at__space **spaces;
    int space_count;
    at__search search;
    const at__strategy *strategy;
    void *strategy_state;
    bool exhausted;               /* the strategy has no more             */
    bool settled;                 /* because little was to be gained      */
    bool waiting;                 /* it wants a report first              */
    int64_t hints[AT__MAX_HINTS]; /* search.hints           */
    struct known_trial *known;
    size_t known_count, known_cap;
    at__candidate **candidates;
    size_t candidate_count, candidate_cap;
    size_t *ready; /* compiled, waiting for the device     */
    size_t ready_first, ready_count, ready_cap;
    size_t unstored; /* first candidate that may lack a row  */
    double started_s, flushed_s, reported_s;
    double fed_s; /* when the device got its first trial; 0: not yet */
    const at__candidate *best;
    int64_t deferred; /* candidates that are, now */
    int64_t decided, failed, outcomes[AT__OUTCOMES], taken_from_store;
    double busy_s, saved_s; /* sums over its trials */
    bool interrupted;       /* by the user or by the budget         */
    at__progress progress;  /* what stays the same between reports  */
    double ceiling_s;
} at__contest;

/* Opens the spaces and reads what is known of them. No strategy: the one that options ask for. */
at_status at__contest_open(at__contest *out, at__session *session, const at__problem *problem, bool is_copy,
                           at_error *err) AT_MUST_CHECK;
void at__contest_close(at__contest *contest);

/* Opens the templates' spaces: contest_space.c. On a replay they hold what was recorded, nothing else. */
at_status at__contest_open_spaces(at__contest *contest, at_error *err) AT_MUST_CHECK;

/* Runs until the strategy, the budget or the user says stop. Everything measured is stored. */
at_status at__contest_run(at__contest *contest, at_error *err) AT_MUST_CHECK;

/*
 * The fastest timed candidates within `within` of the best (0.06: 6 %), fastest first, with their kernels
 * built. Returns how many through *count (at most `max`).
 */
at_status at__contest_leaders(at__contest *contest, at__candidate **out, int *count, int max, double within,
                              at_error *err) AT_MUST_CHECK;

/*
 * The candidate of a configuration, as text, whether it was tried or not, with its kernel built. *out is NULL
 * when it is not in the space, or is known to fail.
 */
at_status at__contest_entrant(at__candidate **out, at__contest *contest, const at__template *t,
                              const char *config, at_error *err) AT_MUST_CHECK;

/* For the files of a contest: a new candidate; NULL: out of memory. */
at__candidate *at__contest_add(at__contest *contest, const at__space *space, int64_t index, int64_t local);

/* A candidate's kernel, ready for a launch; borrows the candidate's build. */
at_status at__contest_kernel(at__kernel *out, const at__contest *contest, const at__candidate *candidate,
                             at_error *err) AT_MUST_CHECK;

/* One problem of a device's session, from its buffers to its stored winner: session_problem.c. */
at_status at__session_tune(at__session *session, const at__problem *problem, int index, int count,
                           at_error *err) AT_MUST_CHECK;

/*
 * Whether a problem can be measured here at all, or is known: before anything starts. AT_ERR_DEVICE: it needs
 * more memory than the device has free; says both.
 */
at_status at__session_fits(at__session *session, const at__problem *problem, at_error *err) AT_MUST_CHECK;

/* The problem's buffers, as the runner lays them out; `setup` is zero before. */
at_status at__session_buffers(at__setup *setup, const at__problem *problem, const at__problem_key *key,
                              const int64_t *slots, at_error *err) AT_MUST_CHECK;

/* Steps of it that remeasure.c takes too: opens the contest's problem on the device; the problem that
 * `ceiling` names (false: none, or the op is its own). */
at_status at__session_set_up(at__session *session, const at__contest *contest, at_error *err) AT_MUST_CHECK;
bool at__session_ceiling(at__problem *out, const at__session *session, const at__contest *contest);

/* A row for a run of this session under a strategy's name. */
at_status at__session_begin_run(int64_t *run_id, at__session *session, const char *strategy,
                                at_error *err) AT_MUST_CHECK;

/* A span on the device's track of the trace, from start_s until now. */
void at__session_trace(const at__session *session, const char *what, const char *detail, double start_s);

/* Opens and closes what a device's thread needs. */
at_status at__session_open(at__session *out, const at__catalog *catalog, const at__tune_options *options,
                           at__device *device, int workers, const at__tune_events *events,
                           at_error *err) AT_MUST_CHECK;
void at__session_close(at__session *session);

#endif
