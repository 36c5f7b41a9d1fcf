/*
 * contest_parts.h - the insides of a contest. Private to contest*.c: contest.c runs it, contest_outcome.c
 * decides what becomes of candidates, contest_open.c opens it with what is known, contest_space.c opens the
 * spaces, contest_seats.c has the devices that measure, contest_leaders.c says who goes into the final.
 */
#ifndef AUTOTUNE_CONTEST_PARTS_H
#define AUTOTUNE_CONTEST_PARTS_H

#include "lookup/lookup.h"
#include "tune/contest.h"

/* What a search begins with, at most: winners of other problems, and what a model expects to win. */
#define ATX_MAX_WON   8
#define ATX_MAX_HINTS (ATX_MAX_WON + ATX_MAX_EXPECTED)

/* A trial of an earlier run. */
typedef struct atx_known_trial {
    char *key; /* template hash, blank, configuration: owned */
    atx_outcome outcome;
    atx_timing timing;
    atx_resources resources;
} atx_known_trial;

/* A device that measures for a contest. The first is its own and stays. */
typedef struct atx_seat {
    atx_device *device;           /* NULL: it has gone */
    int64_t run_id;               /* in the store      */
    int workers;                  /* compile workers that came along */
    bool ready;                   /* it may have candidates: its own, or one that is like it */
    double since_s;               /* it is ready; on atx_now_s() */
    int asked, gauged;            /* times that the gauge was to be measured on it, and was */
    double gauge_s, gauge_spread; /* the fastest of them */
} atx_seat;

/* What tells cards apart: a kernel that each of them measures. */
typedef struct atx_gauge {
    atx_contest *copies; /* NULL: the gauge is the fastest so far */
    atx_kernel kernel;
    bool is_copy, chosen;
    bool failed; /* there can be none: the contest's own device works alone */
} atx_gauge;

struct atx_contest {
    atx_env *env;
    atx_seat *seats;
    size_t seat_count, seat_cap;
    atx_offer *offer; /* NULL: nobody else is wanted */
    atx_gauge gauge;
    atx_problem problem;
    bool is_copy;
    atx_problem_key key;
    atx_str shape; /* key.shape */
    int64_t slots[ATX_MAX_SLOTS];
    atx_space **spaces;
    int space_count;
    int owner; /* of its jobs: see atx_pool_submit */
    atx_search search;
    const atx_strategy *strategy;
    void *strategy_state;
    bool exhausted;               /* the strategy has no more                              */
    bool waiting;                 /* it wants a report first                               */
    int64_t hints[ATX_MAX_HINTS]; /* search.hints                            */
    atx_known_trial *known;       /* in order of their keys                        */
    size_t known_count, known_cap;
    atx_candidate **candidates;
    size_t candidate_count, candidate_cap;
    size_t *ready; /* compiled, waiting for the device                       */
    size_t ready_first, ready_count, ready_cap;
    size_t *again; /* to be compiled again: what the cache gave did not load        */
    size_t again_count, again_cap;
    size_t unstored;  /* first candidate that may lack a row                 */
    int64_t deferred; /* candidates that are, now                            */
    atx_contest_count tally;
    double compile_s, measure_s; /* sums over the trials that were compiled */
    double flushed_s, reported_s;
    atx_progress progress; /* what stays the same between reports            */
    double ceiling_s;
};

/* Opens the templates' spaces. On a replay they hold what was recorded, nothing else. */
at_status atx_contest_open_spaces(atx_contest *contest, at_error *err);

/* ---- the devices: contest_seats.c ---- */

/* The contest's own. AT_ERR_MEMORY. */
at_status atx_contest_seat_own(atx_contest *contest, at_error *err);

/* Lets in who has come, and has the gauge measured. *progressed is set when something was done. */
at_status atx_contest_admit(atx_contest *contest, bool *progressed, at_error *err);

/* The seat with the least to do that can take a trial; -1: none. */
int atx_contest_free_seat(const atx_contest *contest);

/* What a device says of the gauge; whether its seat is one of the contest's from now on. */
void atx_contest_gauged(atx_contest *contest, size_t seat, const atx_measured *measured);
bool atx_contest_is_gauge(const atx_measured *measured);

/* A device that came to help has gone: its candidates are ready for the others. */
at_status atx_contest_lose(atx_contest *contest, size_t seat, at_status status, const at_error *why,
                           at_error *err);

/* Gives back all that came. */
void atx_contest_dismiss(atx_contest *contest);

/* Candidates with all devices together, and devices that measure. */
int atx_contest_queued(const atx_contest *contest);
int atx_contest_ready_seats(const atx_contest *contest);

/* A candidate's outcome, in a->m, is known: counts it, tells the strategy, remembers the best. Once for each.
 */
void atx_contest_decide(atx_contest *contest, atx_candidate *candidate);

/* What is stored of a candidate; borrowed from it. */
atx_trial_row atx_contest_row(const atx_candidate *candidate);

/* A candidate, by its number, can go to a device. */
at_status atx_contest_make_ready(atx_contest *contest, size_t tag, at_error *err);

/* A new candidate, owned by the contest; NULL: out of memory. */
atx_candidate *atx_contest_add(atx_contest *contest, const atx_space *space, int64_t index, int64_t local);

/* What an earlier run knows of a candidate; NULL: nothing. */
const atx_known_trial *atx_contest_find_known(const atx_contest *contest, const atx_candidate *candidate);

#endif
